#include "plan/memory.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "plan/detail/arena.h"
#include "plan/detail/layout.h"
#include "plan/detail/names.h"

namespace strc::plan {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 3> kPhases{"init", "steady", "scaled"};

struct Tenant {
    const Channel* channel = nullptr;
    std::int64_t bytes = 0;
    bool shares = false;
    LiveRange liveRange;
};

struct Memory {
    std::int64_t fields = 0;
    std::int64_t tapes = 0;  ///< all of them beside each other
    std::int64_t arena = 0, unshared = 0;  ///< of those that may share; if they did not
    std::vector<Tenant> tenants;
};

Memory memoryOf(const Plan& plan) {
    Memory memory;
    const auto nodes = static_cast<NodeId>(plan.program->graph.nodes.size());
    for (NodeId id = 0; id < nodes; ++id) memory.fields += fieldsSize(*plan.program, id);
    const std::vector<LiveRange> ranges = liveRanges(plan);
    std::int64_t begin = plan.stateSize, end = 0;
    for (const Channel& channel : plan.channels) {
        const std::int64_t bytes = channel.capacity * channel.itemSize;
        if (channel.tape != channel.edge || bytes == 0) continue;
        const bool shares = canShare(plan, channel.edge);
        memory.tenants.push_back({&channel, bytes, shares, ranges[channel.edge]});
        memory.tapes += bytes;
        if (!shares) continue;
        memory.unshared += bytes;
        begin = std::min(begin, channel.offset);
        end = std::max(end, channel.offset + bytes);
    }
    memory.arena = std::max<std::int64_t>(end - begin, 0);
    std::stable_sort(
        memory.tenants.begin(), memory.tenants.end(),
        [](const Tenant& a, const Tenant& b) { return a.channel->offset < b.channel->offset; });
    return memory;
}

std::string toString(const Interval& interval) {
    if (interval.isEmpty()) return "-";
    return fmt::format("{}-{}", interval.first, interval.last);
}

}  // namespace

std::string printMemory(const Plan& plan) {
    const Memory memory = memoryOf(plan);
    std::string text = fmt::format("state: {} bytes\nfields: {} bytes\ntapes: {} bytes\n",
                                   plan.stateSize, memory.fields, memory.tapes);
    if (memory.unshared > 0)
        text +=
            fmt::format("arena: {} bytes for tapes of {} bytes\n", memory.arena, memory.unshared);
    if (memory.tenants.empty()) return text;
    text += fmt::format("{:>12} {:>12}  {:>9} {:>9} {:>9}  tape\n", "offset", "bytes", kPhases[0],
                        kPhases[1], kPhases[2]);
    for (const Tenant& tenant : memory.tenants) {
        text += fmt::format("{:>12} {:>12} ", tenant.channel->offset, tenant.bytes);
        for (std::size_t k = 0; k < kPhases.size(); ++k)
            text += fmt::format(" {:>9}",
                                tenant.shares ? toString(tenant.liveRange.phases[k]) : "always");
        text += "  " + edgeName(plan.program->graph, tenant.channel->edge) + "\n";
    }
    return text;
}

std::string memoryToJson(const Plan& plan) {
    const Memory memory = memoryOf(plan);
    Json json{{"format", "strc-memory"},    {"version", 1},          {"state", plan.stateSize},
              {"fields", memory.fields},    {"tapes", memory.tapes}, {"arena", memory.arena},
              {"unshared", memory.unshared}};
    Json& tenants = json["tenants"] = Json::array();
    for (const Tenant& tenant : memory.tenants) {
        const graph::Edge& edge = plan.program->graph.edges[tenant.channel->edge];
        auto end = [](NodeId id) { return id == graph::kNone ? Json(nullptr) : Json(id); };
        Json row{{"tape", edgeName(plan.program->graph, tenant.channel->edge)},
                 {"from", end(edge.from)},
                 {"to", end(edge.to)},
                 {"offset", tenant.channel->offset},
                 {"bytes", tenant.bytes},
                 {"shares", tenant.shares}};
        for (std::size_t k = 0; tenant.shares && k < kPhases.size(); ++k) {
            const Interval& interval = tenant.liveRange.phases[k];
            row[kPhases[k]] =
                interval.isEmpty() ? Json(nullptr) : Json{interval.first, interval.last};
        }
        tenants.push_back(std::move(row));
    }
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace strc::plan
