#pragma once
/// The pass `remove-reinterpret-casts`: scalars beside each other and a tensor of them are the same bytes, so who takes tensors from
/// `frame`, or gives them to `unframe`, can take them from the tape of scalars, or write them there. The filter between
/// becomes an Identity of scalars, which has no steps in a plan (plan/detail/share.h).

#include <optional>
#include <set>
#include <vector>

#include "pass/context.h"
#include "pass/program.h"

namespace strc::opt {

/// Filters that can go: they have nothing but the bytes they forward, between scalars and tensors, as `frame` and `unframe`
/// have, and all that is at the tape of tensors are filters with code, splitters that duplicate and identities. None where the
/// pass is disabled.
std::vector<graph::NodeId> removableCasts(const pass::Context&, const elab::Elaboration&);

/// Without those that can go. Kernels stay as they are: their items are tensors, and the rates of their nodes count scalars.
std::optional<pass::Program> removeReinterpretCasts(const pass::Context&, const pass::Program&);

}  // namespace strc::opt
