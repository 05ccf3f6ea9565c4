#pragma once
/// Takes parts out of a graph. For passes: what stays has been joined already.

#include <vector>

#include "elab/elaborate.h"

namespace strc::elab {

/// By number: what goes.
struct Unwanted {
    std::vector<bool> nodes, edges, composites;
};

struct Without {
    Elaboration program;
    std::vector<graph::NodeId> nodeOf;  ///< by old node; graph::kNone: it is gone
};

/// The same program without them, numbered anew. Nothing that stays refers to what goes, but for lists of children of composites that
/// go themselves.
Without without(Elaboration, const Unwanted&);

}  // namespace strc::elab
