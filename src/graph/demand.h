#pragma once
/// Demand simulation on counts, never values (language.md 12.7): the common ground of the
/// initialisation phase, deadlock detection and SDEP. Iterative (graphs are thousands deep), batched.

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace strc::graph {

/// Firings done and items held so far.
struct Counts {
    explicit Counts(const Graph&);
    std::vector<std::int64_t> fired;   ///< by NodeId
    std::vector<std::int64_t> items;   ///< by EdgeId
};

struct Deadlock {
    NodeId node = kNone;               ///< re-entered: it needs its own output
    std::vector<EdgeId> cycle;         ///< the edges of the loop, in order of demand
    bool overSteps = false;            ///< gave up: Limits::simulationSteps
};

/// Fires `node` until it has fired `target` times in all, sources first, only as often as needed.
/// Edges with a dynamic end count as always holding enough. Empty: done.
std::optional<Deadlock> demand(const Graph&, Counts&, NodeId node, std::int64_t target, std::uint64_t& stepsLeft);

/// SDEP(up, down, m) of language.md 14.3 for one pair: least number of firings of `up` that lets
/// `down` complete m firings. Computed lazily, one transient and one period are stored.
class Sdep {
public:
    Sdep(const Graph&, const Quota&, NodeId up, NodeId down);
    /// Empty if the simulation deadlocks.
    std::optional<std::int64_t> operator()(std::int64_t m);
    /// Least m with SDEP(m) >= n.
    std::optional<std::int64_t> firstAtLeast(std::int64_t n);

private:
    const Graph& graph;
    const Quota& quota;
    NodeId up, down;
    Counts counts;
    std::vector<std::int64_t> table;   ///< SDEP(0), SDEP(1), … as far as simulated
    std::uint64_t steps;
};

}  // namespace strc::graph
