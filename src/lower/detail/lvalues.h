#pragma once
/// Variables, elements, fields and parts of values, to be read and assigned.

#include <string_view>

#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

/// True if the expression lies in a variable, rather than being computed.
bool isLValue(const BodyScope& in, const ast::Expr&);
LValue lvalue(BodyScope& in, const ast::Expr&);
LValue lvalueOf(BodyScope& in, const Symbol&, SourceRange);
LValue element(BodyScope& in, const LValue& array, Reg index, SourceRange);
/// The type of a value that is loaded and stored.
const Type* valueType(const BodyScope& in, const LValue&);
Reg load(BodyScope& in, const LValue&, SourceRange);
void store(BodyScope& in, const LValue&, Reg, SourceRange);
/// The index of a part of a complex or vector: `real`, `imag`, `x` to `w`.
std::uint32_t partIndex(std::string_view name);

}  // namespace strc::lower::detail
