#include "elab/initial_fields.h"

#include <algorithm>

namespace strc::elab {
namespace {

ir::Range around(const ir::Range& a, const ir::Range& b) {
    return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

}  // namespace

IntsOfFields initialInts(const Kernel& kernel, const std::string& state) {
    IntsOfFields fields(kernel.fieldTypes.size());
    if (kernel.code.startsLate) return fields;
    for (std::size_t k = 0; k < fields.size(); ++k) {
        const types::Type* type = kernel.fieldTypes[k];
        if (!types::innermost(type)->is(types::TypeKind::Int)) continue;
        const auto bytes = static_cast<std::size_t>(types::sizeOf(type));
        fields[k] = ir::rangeOfInts({state.data() + kernel.fieldOffsets[k], bytes});
    }
    return fields;
}

InitialFields::InitialFields(const Elaboration& of) : program(of), instances(of.kernels.size()) {
    for (graph::NodeId id = 0; id < program.graph.nodes.size(); ++id)
        if (const auto kernel = program.graph.nodes[id].kernel; kernel != graph::kNone)
            instances[kernel].push_back(id);
}

IntsOfFields InitialFields::of(graph::KernelId id) const {
    const Kernel& kernel = program.kernels[id];
    IntsOfFields fields(kernel.fieldTypes.size());
    bool isFirst = true;
    for (graph::NodeId node : instances[id]) {
        const IntsOfFields ints = initialInts(kernel, *program.states[node]);
        for (std::size_t k = 0; k < fields.size(); ++k)
            fields[k] = isFirst || !ints[k] ? ints[k] : around(*fields[k], *ints[k]);
        isFirst = false;
    }
    return fields;
}

}  // namespace strc::elab
