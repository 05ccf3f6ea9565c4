// Teleport messages (language.md 14): when they are due, and who has to wait for whom.

#include <algorithm>

#include "interp/engine.h"

namespace strc::interp {

void Engine::setUpMessages() {
    for (const graph::MessageLink& link : graph.messages) {
        bool connected = quota.island[link.sender] == quota.island[link.receiver];
        std::unique_ptr<graph::Sdep> sdep;
        if (connected) {
            NodeId up = link.downstream ? link.sender : link.receiver;
            NodeId down = link.downstream ? link.receiver : link.sender;
            sdep = std::make_unique<graph::Sdep>(graph, quota, up, down);
        }
        linkOf[{link.sender, link.receiver}] = links.size();
        if (sdep && link.minLatency && !link.bestEffort) {
            actor(link.receiver).guards.push_back(links.size());
            actor(link.sender).wakes.push_back(actor(link.receiver).order);
        }
        links.push_back({&link, std::move(sdep)});
    }
}

Link* Engine::findLink(NodeId sender, NodeId receiver) {
    auto found = linkOf.find({sender, receiver});
    return found == linkOf.end() ? nullptr : &links[found->second];
}

std::optional<eval::Trap> Engine::send(std::int32_t portal, const ir::Send& message,
                                       std::optional<std::int64_t> maxLatency, std::span<const Value> args,
                                       base::SourceRange range) {
    Actor& sender = *current;
    for (NodeId receiver : elaboration.portals[static_cast<std::size_t>(portal)])
        if (auto trap = post(sender, actor(receiver), message, maxLatency.value_or(0), args, range)) return trap;
    return std::nullopt;
}

/// Number of the receiver's firing that the message must precede; empty: no deadline can be computed.
std::optional<std::int64_t> Engine::dueBefore(Actor& sender, Actor& receiver, std::int64_t latency) {
    std::int64_t firing = sender.fired + 1;
    if (&sender == &receiver) return std::max(firing + latency, firing) + 1;
    Link* link = findLink(sender.id, receiver.id);
    if (!link || !link->sdep) return std::nullopt;
    if (link->link->downstream) return link->sdep->firstAtLeast(firing + latency);
    std::optional<std::int64_t> after = (*link->sdep)(firing + latency);
    return after ? std::optional(*after + 1) : std::nullopt;
}

std::optional<eval::Trap> Engine::post(Actor& sender, Actor& receiver, const ir::Send& message,
                                       std::int64_t latency, std::span<const Value> args,
                                       base::SourceRange range) {
    std::int64_t soonest = receiver.fired + 1 + (receiver.firing ? 1 : 0);
    std::int64_t before = dueBefore(sender, receiver, latency).value_or(soonest);
    if (message.bestEffort) before = std::max(before, soonest);
    if (before < soonest)
        return eval::Trap{Diag::MissedDeadline, range,
                          {graph::path(graph, sender.id), graph::path(graph, receiver.id), std::to_string(before)}};
    auto place = std::upper_bound(receiver.messages.begin(), receiver.messages.end(), before,
                                  [](std::int64_t due, const PendingMessage& other) { return due < other.before; });
    receiver.messages.insert(place, {before, message.handler, {args.begin(), args.end()}});
    return std::nullopt;
}

/// Runs the handlers that are due before the actor's next firing.
bool Engine::deliverDue(Actor& actor) {
    while (!actor.messages.empty() && actor.messages.front().before <= actor.fired + 1) {
        PendingMessage message = std::move(actor.messages.front());
        actor.messages.pop_front();
        auto handler = actor.code->handlers.find(message.handler);
        STRC_ASSERT(handler != actor.code->handlers.end(), "receiver without the handler");
        eval::Firing none;
        if (!runCode(actor, *handler->second, none, message.args)) return false;
    }
    return true;
}

/// Firing guards of language.md 14.5: a message sent later must not be due earlier.
bool Engine::guardsAllow(const Actor& receiver) const {
    std::int64_t firing = receiver.fired + 1;
    for (std::size_t index : receiver.guards) {
        const Link& link = links[index];
        std::int64_t latency = *link.link->minLatency;
        std::int64_t senderFired = actors[link.link->sender].fired;
        if (link.link->downstream) {
            std::optional<std::int64_t> needed = (*link.sdep)(firing);
            if (needed && senderFired < *needed - latency) return false;
        } else {
            std::optional<std::int64_t> beyond = link.sdep->firstAtLeast(firing);
            if (beyond && senderFired < *beyond - 1 - latency) return false;
        }
    }
    return true;
}

}  // namespace strc::interp
