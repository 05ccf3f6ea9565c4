#pragma once
/// Puts one filter into the place of some parts of a graph. For passes: code generation alone sees what is made.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "elab/elaborate.h"

namespace strc::elab {

/// Children [from, to) of a pipeline, or one child of any composite; of no composite: the whole program.
struct GraphRange {
    graph::CompositeId parent = graph::kNone;
    std::uint32_t from = 0, to = 1;
    graph::NodeId entry = graph::kNone;  ///< takes its input
};

struct Replacement {
    GraphRange place;
    std::string name;
    graph::KernelId kernel = graph::kNone;  ///< kNone: `made` is added
    Kernel made;
    graph::Rates work;
    std::shared_ptr<const std::string> state;
};

struct Replaced {
    Elaboration program;
    std::vector<graph::NodeId> nodeOf;  ///< by old node; those of a place have one
};

/// The same program with these filters. Nodes that stay keep their paths. The places do not overlap, and the
/// program has no messages.
Replaced replace(const Elaboration&, std::vector<Replacement>);

/// What stands there.
std::vector<graph::Child> childrenAt(const graph::Graph&, const GraphRange&);
/// "Low+High", or "Low+…+High" of more than a few: what stands there.
std::string nameOf(const graph::Graph&, const GraphRange&);
/// With the path of the composite around.
std::string pathOf(const graph::Graph&, const GraphRange&);

/// Do all nodes that stay fire as often as before?
bool firesAsBefore(const graph::Repetitions& before, const graph::Repetitions& after,
                   const std::vector<graph::NodeId>& nodeOf);

/// May passes replace parts of it at all? Not where somebody can see in which order nodes fire.
bool mayReplace(const Elaboration&);

}  // namespace strc::elab
