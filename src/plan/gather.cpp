#include "plan/detail/gather.h"

#include <map>
#include <tuple>
#include <utility>

namespace strc::plan {
namespace {

using sched::Loop;

/// What readers have in common that stand together: tape, items and firings.
using Window = std::tuple<EdgeId, std::int64_t, std::int64_t>;

}  // namespace

void gatherReaders(const graph::Graph& graph, const Sharing& sharing,
                   const std::vector<bool>& sequential, Loop& phase) {
    std::vector<std::vector<Loop>> groups;
    std::map<Window, std::size_t> open;  // groups that more readers can join
    for (Loop& loop : phase.children) {
        if (!loop.isLeaf()) {
            open.clear();
            groups.push_back({std::move(loop)});
            continue;
        }
        const NodeId node = loop.node;
        const std::vector<EdgeId>& inputs = sharing.inputsOf(node);
        const std::int64_t pop = inputs.size() == 1 ? popRate(graph, inputs[0]) : 0;
        if (graph.nodes[node].kind == graph::NodeKind::Filter && pop > 1 && !sequential[node]) {
            const Window window{sharing.tapeOf(inputs[0]), pop, loop.count};
            auto [group, isNew] = open.try_emplace(window, groups.size());
            if (isNew) groups.emplace_back();
            groups[group->second].push_back(std::move(loop));
        } else {
            groups.push_back({std::move(loop)});
        }
        for (EdgeId edge : sharing.outputsOf(node)) {
            const EdgeId tape = sharing.tapeOf(edge);
            open.erase(open.lower_bound({tape, 0, 0}), open.lower_bound({tape + 1, 0, 0}));
        }
    }
    phase.children.clear();
    for (std::vector<Loop>& group : groups)
        for (Loop& loop : group) phase.children.push_back(std::move(loop));
}

}  // namespace strc::plan
