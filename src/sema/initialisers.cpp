#include "sema/calls.h"
#include "sema/expressions.h"

namespace strc::sema {
namespace {

using types::TypeKind;

const ast::ArrayLiteral* asLiteral(const ast::Expr* expr) {
    return ast::tryAs<ast::ArrayLiteral>(ast::withoutParens(expr));
}

/// The first element that is not of the depth and length of the one before it, or null.
const ast::Expr* findRagged(const ast::ArrayLiteral& literal) {
    for (std::size_t i = 1; i < literal.elements.size(); ++i) {
        const ast::ArrayLiteral* before = asLiteral(literal.elements[i - 1]);
        const ast::ArrayLiteral* row = asLiteral(literal.elements[i]);
        if (!before != !row) return literal.elements[i];
        if (row && row->elements.size() != before->elements.size()) return literal.elements[i];
    }
    return nullptr;
}

/// Checks the elements against the type of an element; gives the type of the literal itself, with
/// its own extents. Recurses over nesting, never over length.
const Type* checkRows(Checker& c, const ast::ArrayLiteral& literal, const Target& to) {
    auto count = static_cast<std::int64_t>(literal.elements.size());
    Target element = to;
    element.type = to.type->element;
    if (const ast::Expr* odd = findRagged(literal)) {
        c.error(Diag::RaggedInitializer, odd->range);
        for (const ast::Expr* each : literal.elements) checkExpr(c, *each);
        return c.setType(literal.id, c.types.error());
    }
    if (to.type->extent != types::kDynamic && to.type->extent != count) {
        c.error(Diag::ArrayLength, literal.range) << "the initialiser" << count << to.type->extent;
    }
    const Type* inner = element.type;
    for (const ast::Expr* each : literal.elements) {
        const ast::ArrayLiteral* row = asLiteral(each);
        if (!row || !element.type->is(TypeKind::Array)) {
            checkInto(c, *each, element);
            continue;
        }
        inner = checkRows(c, *row, element);
        c.setType(each->id, inner);
    }
    return c.setType(literal.id, c.types.array(inner, count));
}

}  // namespace

void checkInto(Checker& c, const ast::Expr& expr, const Target& to) {
    const ast::ArrayLiteral* literal = asLiteral(&expr);
    if (literal && to.type->is(TypeKind::Array)) {
        c.setType(expr.id, checkRows(c, *literal, to));
        return;
    }
    if (to.site == Site::Initialiser && checkArrayFile(c, expr, to)) return;
    bool mayBePortal = to.type->is(TypeKind::Portal) && to.site != Site::Initialiser;
    Typed value = mayBePortal ? checkExpr(c, expr) : checkValue(c, expr);
    convert(c, expr, value, to);
}

}  // namespace strc::sema
