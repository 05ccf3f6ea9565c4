#include "sema/detail/calls.h"
#include "sema/detail/expressions.h"

namespace strc::sema {
namespace {

using types::TypeKind;

const ast::ArrayLiteral* asLiteral(const ast::Expr* expr) {
    return ast::tryAs<ast::ArrayLiteral>(ast::withoutParens(expr));
}

/// Equal but for extents that only the instance knows.
bool sameShape(const Type* a, const Type* b) {
    for (; a->is(TypeKind::Array) && b->is(TypeKind::Array); a = a->element, b = b->element) {
        bool known = a->extent != types::kDynamic && b->extent != types::kDynamic;
        if (known && a->extent != b->extent) return false;
    }
    return a->is(TypeKind::Array) == b->is(TypeKind::Array);
}

const Type* checkRows(Checker&, const ast::ArrayLiteral&, const Target&);

/// Elements of one literal: rows in braces, values, or arrays that are rows.
class Rows {
public:
    Rows(Checker& checker, const ast::ArrayLiteral& literal, const Target& elements)
        : c(checker), element(elements) {
        for (const ast::Expr* each : literal.elements)
            (asLiteral(each) ? hasBraces : hasOthers) = true;
    }

    /// False after reporting that the element is not like the others.
    bool check(const ast::Expr& each) {
        const Type* type = nullptr;
        bool ofRows = element.type->is(TypeKind::Array);
        if (asLiteral(&each) && ofRows) {
            type = c.setType(each.id, checkRows(c, *asLiteral(&each), element));
        } else if (asLiteral(&each) && hasOthers) {
            checkExpr(c, each);
            return ragged(each);
        } else if (hasBraces && ofRows) {
            Typed value = checkValue(c, each);
            if (value.type->isError()) return true;
            if (!value.type->is(TypeKind::Array)) return ragged(each);
            convert(c, each, value, element);
            type = value.type;
        } else {
            checkInto(c, each, element);
            return true;
        }
        if (type->isError()) return true;
        if (shape && !sameShape(shape, type)) return ragged(each);
        if (!shape || types::isConcrete(type)) shape = type;
        return true;
    }

    const Type* type() const { return shape ? shape : element.type; }

private:
    bool ragged(const ast::Expr& each) {
        c.error(Diag::RaggedInitializer, each.range);
        return false;
    }

    Checker& c;
    const Target& element;
    bool hasBraces = false, hasOthers = false;
    const Type* shape = nullptr;  ///< of the rows so far
};

/// The first literal among the elements that has not the length of the one before it, or null.
const ast::Expr* findRagged(const ast::ArrayLiteral& literal) {
    const ast::ArrayLiteral* before = nullptr;
    for (const ast::Expr* each : literal.elements) {
        const ast::ArrayLiteral* row = asLiteral(each);
        if (!row) continue;
        if (before && row->elements.size() != before->elements.size()) return each;
        before = row;
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
    Rows rows(c, literal, element);
    bool fine = true;
    for (const ast::Expr* each : literal.elements) fine = rows.check(*each) && fine;
    return c.setType(literal.id, fine ? c.types.array(rows.type(), count) : c.types.error());
}

/// The array that braces make where a tensor is wanted: as deep as they are; floats if it does not say more.
const Type* arrayFor(Checker& c, const ast::ArrayLiteral& literal, const Type* tensor) {
    const TypeKind kind = tensor->element ? tensor->element->kind : TypeKind::Float;
    const bool isReal = kind == TypeKind::Half || kind == TypeKind::BFloat16;
    const bool isInteger = kind == TypeKind::Long || kind == TypeKind::Int8;
    const Type* element = c.types.scalar(isReal      ? TypeKind::Float
                                         : isInteger ? TypeKind::Int
                                                     : kind);
    int depth = 1;
    for (const ast::ArrayLiteral* row = &literal; !row->elements.empty(); ++depth)
        if (!(row = asLiteral(row->elements.front()))) break;
    for (; depth > 0; --depth) element = c.types.array(element, types::kDynamic);
    return element;
}

}  // namespace

void checkInto(Checker& c, const ast::Expr& expr, const Target& to) {
    const ast::ArrayLiteral* literal = asLiteral(&expr);
    if (literal && to.type->is(TypeKind::Array)) {
        c.setType(expr.id, checkRows(c, *literal, to));
        return;
    }
    if (literal && to.type->is(TypeKind::Tensor)) {
        Target array = to;
        array.type = arrayFor(c, *literal, to.type);
        const Typed value{c.setType(expr.id, checkRows(c, *literal, array)), {}, false};
        return convert(c, expr, value, to);
    }
    if (to.site == Site::Initialiser && checkArrayFile(c, expr, to)) return;
    if (to.type->is(TypeKind::Array) && checkFileArray(c, expr, to)) return;
    bool mayBePortal = to.type->is(TypeKind::Portal) && to.site != Site::Initialiser;
    Typed value = mayBePortal ? checkExpr(c, expr) : checkValue(c, expr);
    if (to.takesOne && to.type->is(TypeKind::Array) && value.type->isScalar()) {
        Target element = to;
        element.type = to.type->element;
        return convert(c, expr, value, element);
    }
    convert(c, expr, value, to);
}

}  // namespace strc::sema
