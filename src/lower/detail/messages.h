#pragma once
/// Messages to portals.

#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

/// A message, or a call that is written like one.
void message(BodyScope& in, const ast::MessageStmt&);

}  // namespace strc::lower::detail
