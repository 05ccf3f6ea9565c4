#pragma once
/// The balance equations of language.md 12.2, one edge at a time: nodes that are connected so far
/// form a class, in which every node's repetitions relative to the others are known.

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "sched/detail/ratio.h"

namespace strc::sched {

class Proportions {
public:
    explicit Proportions(std::size_t nodes);

    enum class Added : std::uint8_t { Joined, Agrees, Contradicts, Overflows };
    /// The equation rep(to) = rep(from) * `times`. One that contradicts or overflows is not taken.
    Added add(graph::NodeId from, graph::NodeId to, Ratio times);

    bool areJoined(graph::NodeId a, graph::NodeId b) const { return classOf[a] == classOf[b]; }
    /// rep(to) / rep(from) of joined nodes; empty if that overflows.
    std::optional<Ratio> between(graph::NodeId from, graph::NodeId to) const;
    std::uint32_t classes() const { return live; }
    /// Number of the node's class, not dense.
    std::uint32_t classIndex(graph::NodeId node) const { return classOf[node]; }
    const std::vector<graph::NodeId>& membersOf(std::uint32_t which) const {
        return members[which];
    }
    /// rep(node) relative to an unnamed node of its class.
    Ratio relative(graph::NodeId node) const { return value[node]; }

private:
    std::vector<std::uint32_t> classOf;
    std::vector<std::vector<graph::NodeId>> members;
    std::vector<Ratio> value;
    std::uint32_t live;
};

}  // namespace strc::sched
