#pragma once
/// When messages are due (language.md 14.3 to 14.5): SDEP and the guards that keep the order of
/// firings such that no message comes too late.

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/demand.h"
#include "graph/graph.h"

namespace strc::graph {

/// SDEP(up, down, m): the least number of firings of `up` after which `down` can complete m firings;
/// counted from the start of the program, a prework is firing 1. Evaluated lazily; beyond the
/// transient it continues periodically. Of a graph that sched::balance accepted.
class Sdep {
public:
    /// All that there is to know: values for m < transient + periodDown, then they repeat.
    struct Table {
        std::int64_t transient = 0, periodUp = 0, periodDown = 0;
        std::vector<std::int64_t> firings;
    };

    Sdep(const Graph&, const Repetitions&, NodeId up, NodeId down);

    /// False if no path of static edges leads from `up` to `down`: SDEP is 0 for every m.
    bool isConnected() const { return connected; }
    /// 0 for m <= 0; kMaxCount if the value is that large.
    std::int64_t operator()(std::int64_t m);
    /// Least m with SDEP(m) >= n; empty if there is none.
    std::optional<std::int64_t> firstAtLeast(std::int64_t n);

    /// Empty if it would be long, or take long.
    std::optional<Table> tabulate();

private:
    const std::vector<std::int64_t>& countsFor(std::int64_t m);
    std::int64_t evaluate(std::int64_t m);
    void findTransient();

    NodeId up, down;
    std::int64_t periodUp, periodDown;
    Demand demand;
    bool connected;
    std::int64_t transient = 0;  ///< periodic from here on
    std::vector<std::int64_t> table;  ///< one transient and one period; -1: not yet known
    std::vector<std::int64_t> counts;  ///< of the latest evaluation
};

/// The order that the messages of one sender to one receiver impose: node() may start its m-th
/// firing only when waitsFor() has completed required(m).
class Guard {
public:
    Guard(const Graph&, const Repetitions&, std::uint32_t message);

    NodeId node() const { return receiver; }
    NodeId waitsFor() const { return sender; }
    std::uint32_t message() const { return index; }  ///< into Graph::messages
    std::int64_t latency() const { return least; }
    bool isDownstream() const { return downstream; }
    std::int64_t required(std::int64_t m);

private:
    NodeId sender, receiver;
    std::uint32_t index;
    std::int64_t least;
    bool downstream;
    Sdep sdep;
};

/// Guards of all messages with a known least latency, but for those that data imply: one for each
/// pair and direction. Messages between islands, to oneself and `[*]` have none. Needs
/// Repetitions::steady and Repetitions::island only.
std::vector<Guard> guards(const Graph&, const Repetitions&);

}  // namespace strc::graph
