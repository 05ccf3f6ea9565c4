#pragma once
/// Operations on tensors: which operands they take, and what can be said of their results before any
/// shape is known.

#include "sema/detail/convert.h"

namespace strc::sema {

/// An array of numbers, or a number, that becomes a tensor where one is wanted.
bool becomesTensor(const Type*);

/// Is the code at hand that of no stream?
bool isOutsideStream(const Checker&);
/// Reports that there are no tensors in the code at hand, outside of filters: true then.
bool reportOutsideFilter(Checker&, SourceRange);

/// `+ - * /` and comparisons with a tensor on at least one side.
Typed checkTensorBinary(Checker&, const ast::BinaryExpr&, const Typed& left, const Typed& right);
/// `x[i, j]`, a scalar.
Typed checkTensorElement(Checker&, const Type* tensor, const ast::IndexExpr&);
/// A mathematical function with a tensor among its arguments.
Typed checkTensorMath(Checker&, const ast::CallExpr&, types::MathFn, std::span<const Typed> args);
/// The call of a function of tensors; nothing if there is none of that name.
std::optional<Typed> checkTensorCall(Checker&, const ast::CallExpr&);

}  // namespace strc::sema
