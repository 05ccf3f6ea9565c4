#pragma once
/// The pass `layout-propagation`: images between filters of tensors, and inside of them, with the channels of a place beside each
/// other where that takes fewer cycles.

#include <string>
#include <vector>

#include "elab/replace.h"
#include "opt/detail/compose.h"
#include "pass/context.h"
#include "tensor/expand.h"

namespace strc::opt {

/// A filter that will be there instead of some, before its operations become loops.
struct Fused {
    elab::GraphRange place;
    Region region;
    Composed composed;
    std::string path;  ///< for whoever looks at passes
    bool changes = false;  ///< is it other code than that of the filter it stands for?
    tensor::Layouts layouts;
};

/// Decides on `layouts`. All that reads and writes one tape, also through splitters, joiners and identities, agrees on it; what
/// other nodes see, and the program's own items, lie row by row.
void propagateLayouts(const pass::Context&, const elab::Elaboration&, const graph::Repetitions&,
                      std::vector<Fused>&);

}  // namespace strc::opt
