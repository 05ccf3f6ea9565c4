#include "sched/detail/proportions.h"

#include <numeric>

#include "base/assert.h"

namespace strc::sched {

Proportions::Proportions(std::size_t nodes)
    : classOf(nodes), members(nodes), value(nodes), live(static_cast<std::uint32_t>(nodes)) {
    std::iota(classOf.begin(), classOf.end(), 0);
    for (std::uint32_t i = 0; i < nodes; ++i) members[i] = {i};
}

/// Every number here is a quotient of two repetition counts in lowest terms, and the smallest integer
/// solution is at least as large as each of its parts: an overflow is one of the solution.
Proportions::Added Proportions::add(graph::NodeId from, graph::NodeId to, Ratio times) {
    auto target = multiply(value[from], times);
    if (areJoined(from, to)) {
        return target && *target == value[to] ? Added::Agrees : Added::Contradicts;
    }
    if (!target) return Added::Overflows;
    auto factor = multiply(*target, value[to].inverse());
    if (!factor) return Added::Overflows;
    std::uint32_t keep = classOf[from];
    std::uint32_t move = classOf[to];
    if (members[keep].size() < members[move].size()) {
        std::swap(keep, move);
        factor = factor->inverse();
    }
    std::vector<Ratio> moved;
    for (graph::NodeId node : members[move]) {
        auto product = multiply(value[node], *factor);
        if (!product) return Added::Overflows;
        moved.push_back(*product);
    }
    for (std::size_t i = 0; i < moved.size(); ++i) {
        value[members[move][i]] = moved[i];
        classOf[members[move][i]] = keep;
    }
    members[keep].insert(members[keep].end(), members[move].begin(), members[move].end());
    members[move] = {};
    --live;
    return Added::Joined;
}

std::optional<Ratio> Proportions::between(graph::NodeId from, graph::NodeId to) const {
    STRC_ASSERT(areJoined(from, to), "proportion of nodes that are not joined");
    return multiply(value[to], value[from].inverse());
}

}  // namespace strc::sched
