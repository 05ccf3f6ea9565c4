#include "ast/nodes.h"

namespace strc::ast {

const Expr* withoutParens(const Expr* expr) {
    while (expr && expr->kind == ExprKind::Paren) expr = as<ParenExpr>(*expr).inner;
    return expr;
}

std::string_view spelling(BinaryOp op) {
    switch (op) {
        case BinaryOp::Or: return "||";
        case BinaryOp::And: return "&&";
        case BinaryOp::BitOr: return "|";
        case BinaryOp::BitAnd: return "&";
        case BinaryOp::BitXor: return "^";
        case BinaryOp::Equal: return "==";
        case BinaryOp::NotEqual: return "!=";
        case BinaryOp::Less: return "<";
        case BinaryOp::LessEqual: return "<=";
        case BinaryOp::Greater: return ">";
        case BinaryOp::GreaterEqual: return ">=";
        case BinaryOp::Add: return "+";
        case BinaryOp::Subtract: return "-";
        case BinaryOp::Multiply: return "*";
        case BinaryOp::Divide: return "/";
        case BinaryOp::Remainder: return "%";
        case BinaryOp::ShiftLeft: return "<<";
        case BinaryOp::ShiftRight: return ">>";
    }
    STRC_UNREACHABLE("binary operator");
}

std::string_view spelling(UnaryOp op) {
    switch (op) {
        case UnaryOp::Not: return "!";
        case UnaryOp::Minus: return "-";
        case UnaryOp::Complement: return "~";
    }
    STRC_UNREACHABLE("unary operator");
}

}  // namespace strc::ast
