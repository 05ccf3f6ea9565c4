#pragma once
/// Extents of arrays and tensors, which are int registers, and the checks that two of them are equal.

#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

Reg extentOf(BodyScope& in, const Type*, Shape, std::uint32_t dimension, SourceRange);
/// The extents of all dimensions.
std::vector<Reg> extents(BodyScope& in, const Type*, Shape, SourceRange);
/// The extents of a type as written, all dimensions. ir::kOpenExtent stands for a dimension of a tensor
/// that may be any.
std::vector<Reg> extents(BodyScope& in, const Type*, const ast::TypeExpr&);
/// Adds the size of a type with dynamic extents; nothing for others.
void appendBytes(BodyScope& in, std::vector<Reg>& operands, const Type*, Shape, SourceRange);
/// Adds a ref and, if its type is dynamic, its extents.
void appendAggregate(BodyScope& in, std::vector<Reg>& operands, const Aggregate&, SourceRange);

void checkExtent(BodyScope& in, Reg given, Reg needed, std::uint32_t dimension, SourceRange);
/// Checks all dimensions, when compiling if both are known. Dynamic extents of a type without a variable
/// are not looked at: its rows are checked one by one.
void checkExtents(BodyScope& in, const Aggregate& given, const Type* needed, Shape neededShape,
                  SourceRange);
/// The same against a type as written.
void checkExtents(BodyScope& in, const Aggregate& given, const Type* needed, const ast::TypeExpr&,
                  SourceRange);

}  // namespace strc::lower::detail
