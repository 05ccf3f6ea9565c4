#include "elab/initial_fields.h"

#include <algorithm>
#include <cstring>

namespace strc::elab {

InitialFields::InitialFields(const Elaboration& of) : program(of), instances(of.kernels.size()) {
    for (graph::NodeId id = 0; id < program.graph.nodes.size(); ++id)
        if (const auto kernel = program.graph.nodes[id].kernel; kernel != graph::kNone)
            instances[kernel].push_back(id);
}

std::vector<std::optional<ir::Range>> InitialFields::of(graph::KernelId id) const {
    const Kernel& kernel = program.kernels[id];
    std::vector<std::optional<ir::Range>> fields(kernel.fieldTypes.size());
    if (kernel.code.startsLate) return fields;
    for (std::size_t k = 0; k < fields.size(); ++k) {
        if (!kernel.fieldTypes[k]->is(types::TypeKind::Int)) continue;
        for (graph::NodeId node : instances[id]) {
            std::int32_t value = 0;
            const std::string& state = *program.states[node];
            std::memcpy(&value, state.data() + kernel.fieldOffsets[k], sizeof value);
            const ir::Range range{value, value};
            fields[k] = fields[k] ? ir::Range{std::min(fields[k]->min, range.min),
                                              std::max(fields[k]->max, range.max)}
                                  : range;
        }
    }
    return fields;
}

}  // namespace strc::elab
