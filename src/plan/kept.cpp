#include "plan/kept.h"

#include "plan/detail/layout.h"

namespace strc::plan {
namespace {

/// Of a program that has become one filter; null: all of its fields are kept.
const std::vector<elab::FieldBytes>* keptParts(const elab::Elaboration& program, NodeId id) {
    const graph::KernelId kernel = program.graph.nodes[id].kernel;
    const bool areParts = kernel != graph::kNone && program.kernels[kernel].kept;
    return areParts ? &*program.kernels[kernel].kept : nullptr;
}

}  // namespace

std::vector<Kept> keptBetweenPhases(const Plan& plan) {
    std::vector<Kept> all;
    if (plan.demand) return all;
    auto keep = [&all](std::int64_t at, std::int64_t size) {
        if (at >= 0 && size > 0) all.push_back({at, size});
    };
    for (NodeId id = 0; id < plan.fields.size(); ++id) {
        if (const auto* parts = keptParts(*plan.program, id))
            for (const elab::FieldBytes& part : *parts) keep(plan.fields[id] + part.at, part.size);
        else
            keep(plan.fields[id], fieldsSize(*plan.program, id));
        keep(plan.counters[id], kCounterSize);
    }
    const bool areRings = plan.tapes == Tapes::Ring;
    for (const Channel& channel : plan.channels) {
        if (areRings) keep(plan.ringOf(channel.edge), kRingSize);
        if (channel.tape != channel.edge) continue;
        const std::int64_t items = areRings ? channel.capacity : channel.retained;
        keep(channel.offset, items * channel.itemSize);
    }
    return all;
}

}  // namespace strc::plan
