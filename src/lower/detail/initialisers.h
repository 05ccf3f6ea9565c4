#pragma once
/// Lists of values in braces, and arrays that are read from files of text.

#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

/// The target's type with the lengths that the initialiser has.
const Type* literalType(BodyScope& in, const ast::ArrayLiteral&, const Type* target);
/// All extents of an initialiser whose elements are arrays of dynamic extents; none for others. Where there
/// are no elements these are 0.
std::vector<Reg> literalExtents(BodyScope& in, const ast::ArrayLiteral&, const Type*);
/// The list in memory: a table, if all elements are constant.
Aggregate literalValue(BodyScope& in, const ast::ArrayLiteral&, const Type* target);
/// A list of a scalar, where an array of open length is wanted.
Aggregate listOf(BodyScope& in, const ast::Expr&, const Type* target);
void writeLiteral(BodyScope& in, const Aggregate& to, const ast::ArrayLiteral&);
/// init_array_1D_*: the elements come from a file when the program is built.
void readArray(BodyScope& in, const Aggregate& to, const ast::CallExpr&);

}  // namespace strc::lower::detail
