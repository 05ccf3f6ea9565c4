#include "sema/detail/integer_division.h"

#include "sema/detail/convert.h"

namespace strc::sema {
namespace {

using ast::BinaryOp;
using types::TypeKind;

/// Of literals one can see that nothing is lost: `6 / 3`.
bool isExact(const ast::BinaryExpr& division) {
    auto* left = ast::tryAs<ast::IntLiteral>(ast::withoutParens(division.left));
    auto* right = ast::tryAs<ast::IntLiteral>(ast::withoutParens(division.right));
    return left && right && right->value != 0 && left->value % right->value == 0;
}

/// The division of integers whose quotient, perhaps after further sums and products of integers, is the value.
const ast::BinaryExpr* divisionIn(const ast::Expr& expr) {
    const ast::Expr* inner = ast::withoutParens(&expr);
    if (auto* unary = ast::tryAs<ast::UnaryExpr>(inner)) return divisionIn(*unary->operand);
    auto* binary = ast::tryAs<ast::BinaryExpr>(inner);
    if (!binary) return nullptr;
    switch (binary->op) {
        case BinaryOp::Divide: return isExact(*binary) ? nullptr : binary;
        case BinaryOp::Add:
        case BinaryOp::Subtract:
        case BinaryOp::Multiply: {
            const ast::BinaryExpr* left = divisionIn(*binary->left);
            return left ? left : divisionIn(*binary->right);
        }
        default: return nullptr;
    }
}

bool isIntegerNumber(const Type* type) {
    return type->is(TypeKind::Int) || type->is(TypeKind::Bit);
}

bool hasFractions(const Type* type) {
    return type->is(TypeKind::Float) || type->is(TypeKind::Double) || type->is(TypeKind::Complex);
}

}  // namespace

void checkIntegerDivision(Checker& c, const ast::Expr& expr, const Type* from, const Type* to) {
    if (!isIntegerNumber(from) || !hasFractions(to)) return;
    const ast::BinaryExpr* division = divisionIn(expr);
    if (!division) return;
    Diagnostic& diag = c.warn(Diag::IntegerDivision, division->range) << types::toString(to);
    adviseCast(diag, *division->left, to->is(TypeKind::Complex) ? c.types.floatType() : to);
}

}  // namespace strc::sema
