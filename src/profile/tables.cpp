#include "profile/tables.h"

#include <algorithm>
#include <map>
#include <optional>

#include "graph/hierarchy.h"
#include "plan/marks.h"
#include "plan/work.h"
#include "types/type.h"

namespace strc::profile {
namespace {

using graph::kNone;
using graph::NodeId;

constexpr std::size_t kPhases = STRC_PROFILE_PHASES;

class Maker {
public:
    Maker(const elab::Elaboration& program, const graph::Repetitions& repetitions)
        : program(program), graph(program.graph), repetitions(repetitions) {
        made.texts.push_back('\0');
        made.top.main_stream =
            text(graph::path(graph, 0).substr(0, graph::path(graph, 0).find('.')));
        addNodes();
    }

    Tables ofPlan(const plan::Plan& plan, const std::vector<plan::TimedSteps>& timed) {
        made.top.engine = text(plan.demand ? "compiled, dynamic rates" : "compiled");
        if (plan.demand) {
            addRegions(*plan.demand);
        } else {
            for (const plan::TimedSteps& steps : timed) addEntry(steps);
        }
        addChannels(&plan);
        return std::move(made);
    }

    Tables ofInterpreter() {
        made.top.engine = text("interpreted");
        for (NodeId id = 0; id < graph.nodes.size(); ++id) addEntry({{id, 1}});
        addEntry({});
        addChannels(nullptr);
        return std::move(made);
    }

private:
    static std::uint64_t count(std::int64_t number) { return static_cast<std::uint64_t>(number); }

    std::uint32_t text(const std::string& wanted) {
        auto [known, isNew] =
            offsets.try_emplace(wanted, static_cast<std::uint32_t>(made.texts.size()));
        if (isNew) made.texts += wanted + '\0';
        return known->second;
    }

    // ---- nodes

    void addNodes() {
        const graph::Paths paths = graph::allPaths(graph);
        for (NodeId id = 0; id < graph.nodes.size(); ++id) {
            const graph::Node& node = graph.nodes[id];
            strc_profile_node row{};
            row.path = text(paths.nodes[id]);
            row.kernel = text(kernelName(node));
            row.group = groupOf(node);
            row.head = STRC_NOBODY;
            if (id < repetitions.steady.size()) {
                row.init_firings = count(repetitions.init[id]);
                row.steady_firings = count(repetitions.steady[id]);
            }
            row.items = count(itemsOf(node));
            made.nodes.push_back(row);
        }
    }

    static std::string kernelName(const graph::Node& node) {
        switch (node.kind) {
            case graph::NodeKind::Filter: return node.name;
            case graph::NodeKind::Duplicate: return "split duplicate";
            case graph::NodeKind::RoundRobinSplitter: return "split roundrobin";
            case graph::NodeKind::RoundRobinJoiner: return "join roundrobin";
        }
        return {};
    }

    /// Splitters and joiners have no kernel; they are grouped by their kind.
    std::uint32_t groupOf(const graph::Node& node) {
        const bool hasKernel = node.kind == graph::NodeKind::Filter;
        const std::pair key{hasKernel ? node.kernel : kNone, static_cast<int>(node.kind)};
        return groups.try_emplace(key, static_cast<std::uint32_t>(groups.size())).first->second;
    }

    static std::int64_t itemsOf(const graph::Node& node) {
        const auto outputs = static_cast<std::int64_t>(node.outputs.size());
        if (node.kind == graph::NodeKind::Duplicate) return outputs;
        if (node.kind != graph::NodeKind::Filter) return node.totalWeight;
        const bool isGivenKnown = !node.outputs.empty() && !node.work.push.dynamic;
        const graph::Rate& rate = isGivenKnown ? node.work.push : node.work.pop;
        return rate.dynamic ? 0 : rate.max;
    }

    // ---- laps

    void addEntry(const plan::TimedSteps& steps) {
        strc_profile_entry row{};
        row.first = static_cast<std::uint32_t>(made.members.size());
        if (steps.size() <= 1)
            made.members.push_back({steps.empty() ? STRC_NOBODY : steps.front().node, 0, 1});
        else
            shareOut(steps);
        row.count = static_cast<std::uint32_t>(made.members.size()) - row.first;
        made.entries.push_back(row);
    }

    void shareOut(const plan::TimedSteps& steps) {
        double whole = 0;
        for (const plan::TimedFirings& each : steps) whole += workOf(each);
        for (const plan::TimedFirings& each : steps)
            made.members.push_back(
                {each.node, 0,
                 whole > 0 ? workOf(each) / whole : 1 / static_cast<double>(steps.size())});
    }

    double workOf(const plan::TimedFirings& each) {
        if (!work) work.emplace(program);
        return work->ofFiring(each.node) * static_cast<double>(each.firings);
    }

    /// A region fires as its head.
    void addRegions(const plan::Demand& demand) {
        std::vector<plan::TimedSteps> members(graph.nodes.size());
        for (NodeId id = 0; id < members.size(); ++id) members[id] = {{id, 1}};
        for (const plan::Region& region : demand.regions) {
            members[region.head].clear();
            const auto first = plan::firingsOf(region.init.steps),
                       later = plan::firingsOf(region.steady.steps);
            for (NodeId node : region.nodes) {
                strc_profile_node& row = made.nodes[node];
                row.head = region.head;
                const auto before = first.find(node), after = later.find(node);
                const std::int64_t steady = after == later.end() ? 0 : after->second;
                row.steady_firings = count(steady);
                row.init_firings = count(steady + (before == first.end() ? 0 : before->second));
                members[region.head].push_back({node, steady});
            }
        }
        for (const plan::TimedSteps& each : members) addEntry(each);
        addEntry({});
    }

    // ---- tapes

    void addChannels(const plan::Plan* plan) {
        std::vector<plan::Marks> marks;
        if (plan && !plan->demand) marks = plan::highWaterMarks(*plan);
        const graph::Paths paths = graph::allPaths(graph);
        auto end = [&](NodeId id, const char* open) {
            return id == kNone ? std::string(open) : paths.nodes[id];
        };
        for (graph::EdgeId id = 0; id < graph.edges.size(); ++id) {
            const graph::Edge& edge = graph.edges[id];
            strc_profile_channel row{};
            row.name = text(end(edge.from, "input") + " -> " + end(edge.to, "output"));
            row.item_bytes = bytesOf(edge);
            for (std::size_t phase = 0; phase < kPhases; ++phase)
                row.marks[phase] = marks.empty() ? -1 : marks[id][phase];
            made.channels.push_back(row);
        }
    }

    /// 0: only the run knows the shape.
    static std::uint32_t bytesOf(const graph::Edge& edge) {
        const std::int64_t size = edge.type ? types::sizeOf(edge.type) : 0;
        return size > 0 && size <= UINT32_MAX ? static_cast<std::uint32_t>(size) : 0;
    }

    const elab::Elaboration& program;
    const graph::Graph& graph;
    const graph::Repetitions& repetitions;
    std::optional<plan::WorkEstimate> work;  ///< once somebody has asked
    Tables made;
    std::map<std::string, std::uint32_t> offsets;
    std::map<std::pair<std::uint32_t, int>, std::uint32_t> groups;
};

}  // namespace

strc_profile_tables Tables::view() const {
    strc_profile_tables all = top;
    all.texts = texts.data();
    all.nodes = nodes.data();
    all.entries = entries.data();
    all.members = members.data();
    all.channels = channels.data();
    all.node_count = static_cast<std::uint32_t>(nodes.size());
    all.entry_count = static_cast<std::uint32_t>(entries.size());
    all.member_count = static_cast<std::uint32_t>(members.size());
    all.channel_count = static_cast<std::uint32_t>(channels.size());
    return all;
}

Tables tablesOf(const plan::Plan& plan, const graph::Repetitions& repetitions,
                const std::vector<plan::TimedSteps>& timed) {
    const plan::Plan& seen = plan.before ? *plan.before : plan;
    return Maker(*seen.program, repetitions).ofPlan(seen, timed);
}

Tables tablesOf(const elab::Elaboration& program, const graph::Repetitions& repetitions) {
    return Maker(program, repetitions).ofInterpreter();
}

}  // namespace strc::profile
