#pragma once
/// Values that are arrays or structs: their types and extents, their places, and copies of them.

#include <span>

#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

/// The memory that holds the expression's value: a variable, a table, or a temporary.
Aggregate aggregate(BodyScope& in, const ast::Expr&);
/// A temporary with the value, also if it lies in a variable.
Aggregate privateCopy(BodyScope& in, const ast::Expr&);
Aggregate temporary(BodyScope& in, const Type*, const std::vector<Reg>& extents, SourceRange);
/// A temporary with the result of a function.
Aggregate callAggregate(BodyScope& in, const FunctionInfo&, std::span<const ast::Expr* const> args,
                        SourceRange);
/// Writes the value. `fresh`: the target cannot be seen while it is written.
void into(BodyScope& in, const Aggregate& to, const ast::Expr&, bool fresh);

/// The type of an expression's value and the place of its extents, known without evaluating it.
struct Form {
    const Type* type = nullptr;
    Shape shape;
    const ast::TypeExpr* written = nullptr;  ///< of a function's result
    const ast::CallExpr* file = nullptr;  ///< whose items say the length
};
Form form(BodyScope& in, const ast::Expr&);
std::vector<Reg> extents(BodyScope& in, const Form&, SourceRange);

}  // namespace strc::lower::detail
