#pragma once
/// Types of expressions. Every expression that is checked gets an entry in the table of types.

#include "sema/detail/convert.h"

namespace strc::sema {

/// May give void (a call) or a portal: for statements and arguments of streams.
Typed checkExpr(Checker&, const ast::Expr&);
/// A value: reports calls of void functions and portals.
Typed checkValue(Checker&, const ast::Expr&);
/// The same for an expression that was checked.
Typed requireValue(Checker&, const ast::Expr&, const Typed&);
/// boolean, or bit.
void checkCondition(Checker&, const ast::Expr&);
/// int, or bit. `what`: "an array index", "the offset of 'peek'".
Typed checkIndex(Checker&, const ast::Expr&, std::string_view what);
/// The target of an assignment or increment: reports what cannot be changed.
Typed checkTarget(Checker&, const ast::Expr&);
/// The variable whose part an expression names: `a` of `a[i].x`; null if there is none.
Symbol* rootVariable(Checker&, const ast::Expr&);
/// Reports if a variable cannot be changed here.
bool checkWritable(Checker&, Symbol&, SourceRange);

/// What an expression is after a fault in it was reported: its type absorbs follow-on errors.
Typed failed(Checker&);
/// The type of `left op right` with operands checked already. Reports at `expr`.
Typed checkBinary(Checker&, const ast::BinaryExpr&, const Typed& left, const Typed& right);
Typed checkUnary(Checker&, const ast::UnaryExpr&);
Typed checkConditional(Checker&, const ast::ConditionalExpr&);
Typed checkCast(Checker&, const ast::CastExpr&);

}  // namespace strc::sema
