#pragma once
/// The pass `remove-reinterpret-casts`: scalars beside each other and a tensor of them are the same bytes, so who takes tensors from
/// `frame`, or gives them to `unframe`, can take them from the tape of scalars, or write them there. The filter between
/// becomes an Identity of scalars, which has no steps in a plan (plan/share.h).

#include <optional>
#include <set>
#include <vector>

#include "base/context.h"
#include "elab/replace.h"

namespace strc::opt {

/// Filters without anything but the bytes they hand on, between scalars and tensors: `frame`, `unframe` and all that do the
/// same.
class Frames {
public:
    Frames(base::Context&, const ir::Module&, types::TypeTable&, const elab::Elaboration&);

    /// Those that can go: all that is at the tape of tensors are filters with code, splitters that duplicate and
    /// identities. `program`: the same one, or what passes have made of it.
    std::vector<graph::NodeId> removable(const elab::Elaboration& program) const;

private:
    std::set<graph::KernelId> kernels;
};

/// Without those that can go. Kernels stay as they are: their items are tensors, and the rates of their nodes count scalars.
std::optional<elab::Improved> removeFrames(base::Context&, const Frames&, const elab::Elaboration&,
                                           const graph::Quota&);

}  // namespace strc::opt
