#pragma once
/// Which firings have to come before which: demand on counts, never values (language.md 12.7). The
/// common ground of initialisation, deadlock detection and SDEP. Nothing is fired one by one: in a
/// graph without deadlock the firings that a firing needs are a least fixed point, found in a few
/// passes over the graph whatever the counts are.
///
/// Edges with a dynamic end and open ends of the program always hold enough.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graph/components.h"
#include "graph/flow.h"
#include "graph/graph.h"

namespace strc::graph {

class Guard;

/// `to` waits for `from`: because of an edge, or of a message's guard.
struct Link {
    NodeId from = kNone;
    NodeId to = kNone;
    EdgeId edge = kNone;
    std::uint32_t guard = kNone;
};

struct Deadlock {
    std::vector<Link>
        cycle;  ///< each link's `from` is the next one's `to`; the last closes the loop
    bool overSteps = false;   ///< undecided: the simulation took too many steps
};

/// Counts are vectors by index(): by NodeId if the demand covers the whole graph.
class Demand {
public:
    /// `guards` add their order to that of the edges; they and the graph outlive this.
    explicit Demand(const Graph&, std::vector<Guard>* guards = nullptr);
    /// Restricted to these nodes and the edges between them.
    Demand(const Graph&, std::vector<NodeId> only, std::vector<Guard>* guards = nullptr);

    std::size_t size() const { return nodes.size(); }
    std::uint32_t index(NodeId node) const { return indexOf[node]; }

    /// Strongly connected components, upstream ones first; nodes by index().
    std::size_t components() const { return parts.size(); }
    std::span<const std::uint32_t> component(std::size_t which) const { return parts[which]; }
    /// Does the component hold a loop? Only there deadlock is possible.
    bool isLoop(std::size_t which) const { return parts.loops[which]; }

    enum class Outcome : std::uint8_t { Done, Overflow, Deadlock };
    /// Raises `fired` to the least counts, node by node, that are legal: each firing has what it
    /// needs. Done implies legal only where no loop deadlocks; a Deadlock met here is certain.
    Outcome raise(std::vector<std::int64_t>& fired) const;

    /// Can the nodes of a component fire for ever, if all input from elsewhere is there? Decided by
    /// simulating one period after everything has fired once; `period` by index(), of this component
    /// without common factor. Empty: they can.
    std::optional<Deadlock> findDeadlock(std::size_t which, const std::vector<std::int64_t>& period,
                                         std::uint64_t& stepsLeft) const;

    /// Pretends another number of items on an edge at the start.
    void setInitial(EdgeId, std::int64_t items);

    /// True if from these counts on everything repeats with the steady state.
    bool isPeriodicAt(const std::vector<std::int64_t>& fired) const;

private:
    struct Way {  ///< a link with indices
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        std::uint32_t flow = kNone;
        std::uint32_t guard = kNone;
    };
    struct Simulation;

    void connect(const Graph&);
    std::int64_t required(const Way&, std::int64_t firings) const;
    std::int64_t enabled(const Way&, std::int64_t sourceFirings, std::int64_t fired) const;
    Outcome raiseSources(std::uint32_t node, std::vector<std::int64_t>& fired, bool inside,
                         bool& changed) const;
    Link linkOf(const Way&) const;

    std::vector<NodeId> nodes;
    std::vector<std::uint32_t> indexOf;
    std::vector<Flow> flows;
    std::vector<Guard>* guards;
    std::vector<Way> ways;  ///< sorted by `to`
    std::vector<std::uint32_t> waysStart;  ///< by index, into ways
    Components parts;
    std::vector<bool> hasFirst;
};

}  // namespace strc::graph
