#pragma once
/// The parts of the setup of a stream.

#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

/// Compares the extents of an argument with those that the parameter has as written.
void checkParameter(BodyScope& in, std::uint32_t index, const ast::TypeExpr&);
/// Evaluates the extents of the items of a side: 0 is the input, 1 the output.
void itemType(BodyScope& in, std::uint32_t side, const Type*, const ast::TypeExpr&);
/// Declares the hidden field of a bound that other bodies use.
void hiddenBound(BodyScope& in, const StreamScope::Bound&);
void rate(BodyScope& in, const ast::RateClause&, bool prework);

}  // namespace strc::lower::detail
