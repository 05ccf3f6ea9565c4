#include <algorithm>

#include "plan/detail/message_check.h"
#include "plan/detail/names.h"
#include "plan/detail/own_messages.h"

namespace strc::plan {

MessageCheck::MessageCheck(const Plan& made, const graph::Repetitions& repetitions,
                           VerifyFaults& all)
    : plan(made), faults(all), fired(made.program->graph.nodes.size()) {
    if (plan.mailboxes.empty() || plan.demand) return;
    guards = graph::guards(plan.program->graph, repetitions);
    findOrders();
}

void MessageCheck::findOrders() {
    const graph::Graph& graph = plan.program->graph;
    std::map<NodeId, Order> found;
    std::set<NodeId> visible;
    for (const graph::MessageLink& link : graph.messages) {
        Order& order = found[link.receiver];
        order.receiver = link.receiver;
        order.nodes.insert({link.sender, link.receiver});
        const bool isDueByNumber =
            link.downstream && link.minLatency &&
            std::any_of(plan.routes.begin(), plan.routes.end(), [&](const Route& route) {
                return route.sender == link.sender && route.receiver == link.receiver;
            });
        if (!isDueByNumber || order.nodes.size() > 2 || sendsToItself(*plan.program, link.receiver))
            visible.insert(link.receiver);
    }
    for (auto& [receiver, order] : found)
        if (visible.contains(receiver)) orders.push_back(std::move(order));
}

void MessageCheck::beginPattern() {
    learns = true;
    for (Order& order : orders) order.pattern.clear();
}

void MessageCheck::fires(NodeId id) {
    checkGuards(id);
    for (Order& order : orders)
        if (order.nodes.contains(id)) checkOrder(order, id);
    ++fired[id];
}

void MessageCheck::checkGuards(NodeId id) {
    for (graph::Guard& guard : guards) {
        if (guard.node() != id) continue;
        if (fired[guard.waitsFor()] >= guard.required(fired[id] + 1)) continue;
        faults.add("firing {} of '{}' comes before a message of '{}' that may be due",
                   fired[id] + 1, path(plan.program->graph, id),
                   path(plan.program->graph, guard.waitsFor()));
    }
}

void MessageCheck::checkOrder(Order& order, NodeId id) {
    if (learns) return order.pattern.push_back(id);
    if (order.pattern.empty()) return;  // the phase init
    if (order.pattern[order.at] != id)
        faults.add("'{}' and those who send to it fire in another order",
                   path(plan.program->graph, order.receiver));
    order.at = (order.at + 1) % order.pattern.size();
}

}  // namespace strc::plan
