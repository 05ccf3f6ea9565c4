#include "interp/detail/messages.h"

#include <algorithm>

#include "graph/hierarchy.h"

namespace strc::interp {

void Messages::setUp(std::vector<Actor>& actors) {
    for (const graph::MessageLink& link : graph.messages) {
        NodeId up = link.downstream ? link.sender : link.receiver;
        NodeId down = link.downstream ? link.receiver : link.sender;
        linkOf[{link.sender, link.receiver}] = links.size();
        links.push_back({link.downstream, graph::Sdep(graph, repetitions, up, down)});
    }
    guards = graph::guards(graph, repetitions);
    for (std::size_t k = 0; k < guards.size(); ++k) {
        Actor& receiver = actors[guards[k].node()];
        receiver.guards.push_back(k);
        actors[guards[k].waitsFor()].wakes.push_back(receiver.order);
    }
}

Messages::Link* Messages::findLink(NodeId sender, NodeId receiver) {
    auto found = linkOf.find({sender, receiver});
    return found == linkOf.end() ? nullptr : &links[found->second];
}

/// Number of the receiver's firing that the message must precede; empty: no deadline can be computed.
std::optional<std::int64_t> Messages::dueBefore(const Actor& sender, const Actor& receiver,
                                                std::int64_t latency) {
    std::int64_t firing = sender.fired + 1;
    if (&sender == &receiver) return std::max(firing + latency, firing) + 1;
    Link* link = findLink(sender.id, receiver.id);
    if (!link || !link->sdep.isConnected()) return std::nullopt;
    if (link->downstream) return link->sdep.firstAtLeast(firing + latency);
    return link->sdep(firing + latency) + 1;
}

namespace {

/// That a message counts for, in every engine.
std::uint64_t bytesOf(std::span<const Value> args) {
    constexpr std::uint64_t kMessage = 64, kUnit = 16;
    std::uint64_t bytes = kMessage;
    for (const Value& arg : args) bytes += (arg.bytes.size() + kUnit - 1) / kUnit * kUnit;
    return bytes;
}

}  // namespace

std::optional<eval::Trap> Messages::post(Actor& sender, Actor& receiver, const ir::Send& message,
                                         std::int64_t latency, std::span<const Value> args,
                                         base::SourceRange range) {
    std::int64_t soonest = receiver.fired + 1 + (receiver.firing ? 1 : 0);
    std::int64_t before = dueBefore(sender, receiver, latency).value_or(soonest);
    if (message.bestEffort) before = std::max(before, soonest);
    if (before < soonest)
        return eval::Trap{base::Diag::MissedDeadline,
                          range,
                          {graph::path(graph, sender.id), graph::path(graph, receiver.id),
                           std::to_string(before)}};
    const std::uint64_t bytes = bytesOf(args);
    if (bytes > bytesLeft)
        return eval::Trap{
            base::Diag::OutOfMemory, range, {"the messages on their way", std::to_string(bytes)}};
    bytesLeft -= bytes;
    auto place = std::upper_bound(
        receiver.messages.begin(), receiver.messages.end(), before,
        [](std::int64_t due, const PendingMessage& other) { return due < other.before; });
    receiver.messages.insert(place, {before, message.handler, {args.begin(), args.end()}, bytes});
    return std::nullopt;
}

std::optional<PendingMessage> Messages::takeDue(Actor& actor) {
    if (actor.messages.empty() || actor.messages.front().before > actor.fired + 1)
        return std::nullopt;
    PendingMessage message = std::move(actor.messages.front());
    actor.messages.pop_front();
    bytesLeft += message.bytes;
    return message;
}

bool Messages::guardsAllow(const Actor& receiver, const std::vector<Actor>& actors,
                           bool isDraining) {
    return std::all_of(receiver.guards.begin(), receiver.guards.end(), [&](std::size_t k) {
        const Actor& sender = actors[guards[k].waitsFor()];
        const bool isDone = sender.fired >= sender.target;
        if (isDraining && !graph.isDynamic() && isDone) return true;  // it sends no more
        return sender.fired >= guards[k].required(receiver.fired + 1);
    });
}

}  // namespace strc::interp
