#pragma once
/// Vectors of floats, and parts of vectors and complex numbers.

#include <span>
#include <string_view>

#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

Typed vectorLiteral(BodyScope& in, const ast::VectorLiteral&);
/// A function of StreamItVectorLib.
Typed vectorFunction(BodyScope& in, std::string_view name, std::span<const ast::Expr* const> args,
                     SourceRange);
Reg part(BodyScope& in, Typed, std::uint32_t index, SourceRange);

}  // namespace strc::lower::detail
