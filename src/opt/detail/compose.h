#pragma once
/// Several filters that deal with tensors as one. Private to opt.

#include <memory>
#include <string>
#include <vector>

#include "elab/elaborate.h"
#include "opt/detail/original_kernels.h"

namespace strc::opt {

/// Part of a graph whose nodes fire equally often, with one way in and one way out.
struct Region {
    std::vector<graph::NodeId> nodes;  ///< from upstream to downstream
    graph::EdgeId input = graph::kNone, output = graph::kNone;
};

/// Can these nodes stand in one body, as far as each is looked at alone? Filters of tensors that take and give the
/// same items in each firing, in an order that can be read off, and have nothing that somebody could see;
/// splitters and joiners of tensors.
bool isComposable(const elab::Elaboration&, const OriginalKernels&, graph::NodeId);
/// Does each firing of what is before the edge give what one firing behind it takes, of the same types?
bool isDirect(const elab::Elaboration&, graph::EdgeId);

/// One filter, a firing of which is one of each: bodies behind each other, what went through channels in variables,
/// fields side by side. The code still has tensors.
struct Composed {
    elab::Kernel kernel;
    std::shared_ptr<const std::string> state;
};
Composed compose(const elab::Elaboration&, const OriginalKernels&, const Region&,
                 const std::string& name);

}  // namespace strc::opt
