#pragma once
/// Tensors: values in registers of type `tensor`.

#include <span>

#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

Typed tensor(BodyScope& in, types::TensorFn, std::vector<Reg> operands, SourceRange);
/// The value as a tensor of that type: also an array, a number.
Reg tensorAs(BodyScope& in, const ast::Expr&, const Type*);
Reg tensorOf(BodyScope& in, Typed, SourceRange);
Typed tensorOperation(BodyScope& in, ast::BinaryOp, Typed left, Typed right, SourceRange);
Typed tensorElement(BodyScope& in, const ast::IndexExpr&);
/// The operand of a cast to that type.
Typed castOperand(BodyScope& in, const ast::Expr&, const Type*);
/// Converts to another type of elements.
Typed tensorCast(BodyScope& in, Typed, const Type*, SourceRange);
Typed tensorCall(BodyScope& in, const sema::CallTarget&, std::span<const ast::Expr* const> args,
                 SourceRange);

}  // namespace strc::lower::detail
