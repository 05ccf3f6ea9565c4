#pragma once
/// Filters whose firings get items of different types in turn, such as a filter behind `chunk` whose last part is
/// shorter. Private to elab.
///
/// Code is made for the types of all items of a firing. So where the same types come round after several firings, these become one:
/// the body that many times, with rates that are that many times as large. What an iteration of the steady state is stays as it
/// was if the types come from inside of the graph: all items of an edge in an iteration are whole rounds of its types then.

#include <map>
#include <utility>
#include <vector>

#include "elab/elaborate.h"

namespace strc::elab {

class CycloStatic {
public:
    explicit CycloStatic(Elaboration& of) : program(of) {}

    /// Makes firings of a filter take whole rounds of so many types. False: only the run can tell what a firing gets. Whoever is in
    /// a loop, sends or gets messages, has dynamic rates or a prework, fires as it did: others would see the
    /// difference.
    bool join(graph::NodeId, std::size_t types);
    /// All fire as they did.
    void undo();

private:
    bool mayFireTogether(graph::NodeId);
    graph::KernelId joined(graph::KernelId, std::size_t firings);
    bool isInLoop(graph::NodeId);

    Elaboration& program;
    std::map<std::pair<graph::KernelId, std::size_t>, graph::KernelId> made;  ///< kNone: cannot be
    std::map<graph::NodeId, graph::KernelId> before;
    std::vector<bool> loops;  ///< by node, once somebody has asked
};

}  // namespace strc::elab
