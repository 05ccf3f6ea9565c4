#pragma once
/// Teleport messages on their way (language.md 14): when they are due, and who has to wait for whom.

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "graph/sdep.h"
#include "interp/detail/actor.h"

namespace strc::interp {

class Messages {
public:
    Messages(const graph::Graph& graph, const graph::Repetitions& repetitions,
             std::uint64_t mostBytes)
        : graph(graph), repetitions(repetitions), bytesLeft(mostBytes) {}
    /// Notes in the actors whom they wait for and whom they wake.
    void setUp(std::vector<Actor>&);

    std::optional<eval::Trap> post(Actor& sender, Actor& receiver, const ir::Send&,
                                   std::int64_t latency, std::span<const Value> args,
                                   base::SourceRange range);
    /// Takes the next that is due before the actor's next firing, if there is one.
    std::optional<PendingMessage> takeDue(Actor&);
    /// A message that is sent later must not be due earlier (language.md 14.5).
    bool guardsAllow(const Actor& receiver, const std::vector<Actor>&, bool isDraining);
    const graph::Guard& guard(std::size_t k) const { return guards[k]; }

    /// For messages; what has been posted and not been taken counts.
    std::uint64_t bytesFree() const { return bytesLeft; }
    void setBytesFree(std::uint64_t bytes) { bytesLeft = bytes; }

private:
    /// Delivery of messages from one sender to one receiver.
    struct Link {
        bool downstream;
        graph::Sdep sdep;
    };
    Link* findLink(NodeId sender, NodeId receiver);
    std::optional<std::int64_t> dueBefore(const Actor& sender, const Actor& receiver,
                                          std::int64_t latency);

    const graph::Graph& graph;
    const graph::Repetitions& repetitions;
    std::vector<Link> links;
    std::vector<graph::Guard> guards;
    std::map<std::pair<NodeId, NodeId>, std::size_t> linkOf;
    std::uint64_t bytesLeft;
};

}  // namespace strc::interp
