#include "plan/detail/messages.h"

#include <algorithm>
#include <map>

namespace strc::plan {

std::uint32_t Plan::mailboxOf(NodeId node) const {
    auto found =
        std::lower_bound(mailboxes.begin(), mailboxes.end(), node,
                         [](const Mailbox& box, NodeId wanted) { return box.node < wanted; });
    if (found == mailboxes.end() || found->node != node) return graph::kNone;
    return static_cast<std::uint32_t>(found - mailboxes.begin());
}

namespace {

void findMailboxes(Plan& plan) {
    const graph::Graph& graph = plan.program->graph;
    std::map<NodeId, bool> receives;
    for (NodeId id = 0; id < graph.nodes.size(); ++id)
        if (graph.nodes[id].effects & graph::kSends) receives[id] = false;
    if (receives.empty()) return;
    for (const auto& receivers : plan.program->portals)
        for (NodeId id : receivers) receives[id] = true;
    for (auto [node, isSo] : receives) plan.mailboxes.push_back({node, isSo});
}

}  // namespace

bool findMessages(base::Context& context, Plan& plan, const graph::Repetitions& repetitions) {
    const graph::Graph& graph = plan.program->graph;
    findMailboxes(plan);
    std::map<std::uint32_t, std::int64_t> latencies;  // of guards, by message
    if (graph.isDynamic())
        for (const graph::Guard& guard : graph::guards(graph, repetitions))
            latencies[guard.message()] = guard.latency();
    for (std::uint32_t index = 0; index < graph.messages.size(); ++index) {
        const graph::MessageLink& link = graph.messages[index];
        const NodeId up = link.downstream ? link.sender : link.receiver;
        const NodeId down = link.downstream ? link.receiver : link.sender;
        graph::Sdep sdep(graph, repetitions, up, down);
        if (!sdep.isConnected()) continue;
        auto table = sdep.tabulate();
        if (!table) {
            context.diags.add(base::Diag::CannotCompile, link.range)
                << "the deadlines of a message repeat only after too many firings";
            return false;
        }
        plan.routes.push_back({link.sender, link.receiver, link.downstream, std::move(*table), {}});
        if (auto found = latencies.find(index); found != latencies.end())
            plan.routes.back().guard = found->second;
    }
    return true;
}

}  // namespace strc::plan
