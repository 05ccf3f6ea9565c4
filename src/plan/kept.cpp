#include "plan/kept.h"

#include "plan/detail/layout.h"

namespace strc::plan {

std::vector<Kept> keptBetweenPhases(const Plan& plan) {
    std::vector<Kept> all;
    if (plan.demand) return all;
    auto keep = [&all](std::int64_t at, std::int64_t size) {
        if (at >= 0 && size > 0) all.push_back({at, size});
    };
    for (NodeId id = 0; id < plan.fields.size(); ++id) {
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
