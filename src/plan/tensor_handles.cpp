#include "plan/tensor_handles.h"

#include "plan/detail/layout.h"

namespace strc::plan {

std::vector<strc_names> handlesOf(const Plan& plan) {
    std::vector<strc_names> rows;
    auto add = [&](std::int64_t at, std::int64_t count) {
        rows.push_back({static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(count)});
    };
    for (const Channel& channel : plan.channels) {
        if (!plan.program->graph.edges[channel.edge].isHandle) continue;
        if (plan.demand) add(plan.demand->queueOffset + kQueueSize * std::int64_t{channel.edge}, 0);
        const std::int64_t items = plan.tapes == Tapes::Ring ? channel.capacity : channel.retained;
        if (channel.tape == channel.edge && items > 0) add(channel.offset, items);
    }
    return rows;
}

}  // namespace strc::plan
