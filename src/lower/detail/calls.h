#pragma once
/// Calls of functions, handlers, natives and built-ins.

#include <span>

#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

/// Any call, which `id` names; without a register if it has no scalar value.
Typed call(BodyScope& in, ast::NodeId id, std::span<const ast::Expr* const> args, SourceRange);
/// `result` is the place of a result that is an aggregate, else kNone.
Typed callFunction(BodyScope& in, const FunctionInfo&, std::span<const ast::Expr* const> args,
                   Reg result, SourceRange);
const FunctionInfo* functionOf(const BodyScope& in, const ast::Expr&);
Reg math(BodyScope& in, types::MathFn, std::vector<Reg> doubles, SourceRange);

}  // namespace strc::lower::detail
