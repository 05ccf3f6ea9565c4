#pragma once
/// Filters that send to themselves, which the list of links does not name. Private to plan.

#include "plan/plan.h"

namespace strc::plan {

/// May the filter send to a portal among whose receivers it is?
bool sendsToItself(const elab::Elaboration&, NodeId);

}  // namespace strc::plan
