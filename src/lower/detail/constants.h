#pragma once
/// Values of expressions that are known without running anything.

#include <optional>

#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

/// The value of a literal, negative ones and known globals included; nothing for other expressions.
std::optional<Value> constant(const BodyScope& in, const ast::Expr&);
/// The same, converted; nothing if the conversion is not one that literals need.
std::optional<Value> constantAs(const BodyScope& in, const ast::Expr&, const Type*);

}  // namespace strc::lower::detail
