#include "ast/nodes.h"

namespace strc::ast {

const Expr* withoutParens(const Expr* expr) {
    while (expr && expr->kind == ExprKind::Paren) expr = as<ParenExpr>(*expr).inner;
    return expr;
}

}  // namespace strc::ast
