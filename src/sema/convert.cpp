#include "sema/detail/convert.h"

#include <fmt/format.h>

#include "sema/detail/expressions.h"
#include "sema/detail/integer_division.h"
#include "sema/detail/tensors.h"

namespace strc::sema {
namespace {

using types::TypeKind;

std::string describe(const Target& to) {
    std::string_view subject = to.subject.text();
    switch (to.site) {
        case Site::Assignment: return "an assignment";
        case Site::Initialiser: return fmt::format("the initialiser of '{}'", subject);
        case Site::Push: return "'push'";
        case Site::Enqueue: return "'enqueue'";
        case Site::Return: return "'return'";
        case Site::Argument: return fmt::format("argument {} of '{}'", to.position, subject);
        case Site::NamedArgument:
            return fmt::format("argument '{}' of '{}'", to.parameter.text(), subject);
        case Site::DefaultValue: return fmt::format("the default value of '{}'", subject);
        case Site::Component: return "a vector";
    }
    STRC_UNREACHABLE("site of a conversion");
}

/// Equal but for extents; then `from` and `to` are the first that differ.
bool findExtents(const Type* a, const Type* b, std::int64_t& from, std::int64_t& to) {
    bool differ = false;
    while (a->is(TypeKind::Array) && b->is(TypeKind::Array)) {
        if (!differ && a->extent != b->extent && a->extent != types::kDynamic &&
            b->extent != types::kDynamic) {
            from = a->extent;
            to = b->extent;
            differ = true;
        }
        a = a->element;
        b = b->element;
    }
    return differ && a == b;
}

bool truncates(const Type* from, const Type* to) {
    return (from->is(TypeKind::Float) || from->is(TypeKind::Double)) && to->is(TypeKind::Int);
}

/// May be accepted with a warning.
bool accepts(Checker& c, const ast::Expr& expr, const Typed& value, const Target& to) {
    const Type* from = value.type;
    if (types::compatible(from, to.type) || promotes(from, to.type)) return true;
    if (to.type->is(TypeKind::Tensor) && becomesTensor(from)) return true;
    if (to.type->is(TypeKind::Bit))
        return value.bitLike || (to.site == Site::Initialiser && from->is(TypeKind::Int));
    if (c.ctx.lenient && to.site == Site::Initialiser && truncates(from, to.type)) {
        c.warn(Diag::TruncatingInitializer, expr.range)
            << to.subject << types::toString(from) << types::toString(to.type);
        return true;
    }
    return false;
}

bool needsParens(const ast::Expr& expr) {
    return expr.kind == ast::ExprKind::Binary || expr.kind == ast::ExprKind::Conditional;
}

/// Name of the builtin whose plain result this is, or empty.
Name builtinCall(Checker& c, const ast::Expr& expr) {
    auto* call = ast::tryAs<ast::CallExpr>(ast::withoutParens(&expr));
    if (!call) return {};
    const CallTarget* target = c.program.callOf(call->id);
    if (!target || target->kind == CallKind::Function || target->kind == CallKind::Error) return {};
    return call->callee.name;
}

void advise(Diagnostic& diag, const ast::Expr& expr, const Type* from, const Type* to) {
    bool fromNumber = from->isReal();
    if (fromNumber && to->isReal()) return adviseCast(diag, expr, to);
    if (from->is(TypeKind::Boolean) && to->isReal())
        return adviseSuffix(diag, Diag::UseConditional, expr, "? 1 : 0");
    if (fromNumber && to->is(TypeKind::Boolean))
        return adviseSuffix(diag, Diag::UseComparison, expr, "!= 0");
    if (from->is(TypeKind::Tensor) && (to->isReal() || to->is(TypeKind::Boolean)))
        diag.note(Diag::Hint)
            << "'item(x)' is the only element of a tensor, 'x[i, j]' one of several";
    if (from->is(TypeKind::Complex) && to->isReal())
        diag.note(Diag::Hint) << "'.real' is the real part of a complex value, 'abs' its magnitude";
}

}  // namespace

bool promotes(const Type* from, const Type* to) {
    if (from == to) return true;
    return from->isNumeric() && to->isNumeric() && from->kind < to->kind;
}

const Type* commonType(const Type* a, const Type* b) {
    if (a->is(TypeKind::Tensor) && b->is(TypeKind::Tensor) && types::compatible(a, b))
        return !a->element || (b->element && !a->isRanked) ? a : b;
    if (types::compatible(a, b)) return a->isError() ? b : a;
    if (promotes(a, b)) return b;
    return promotes(b, a) ? a : nullptr;
}

void adviseCast(Diagnostic& diag, const ast::Expr& expr, const Type* to) {
    std::string cast = "(" + types::toString(to) + ")";
    diag.note(Diag::UseCast) << types::toString(to);
    if (!needsParens(expr)) {
        diag.fix(expr.range.atBegin(), cast);
        return;
    }
    diag.fix(expr.range.atBegin(), cast + "(");
    diag.fix(expr.range.atEnd(), ")");
}

void adviseSuffix(Diagnostic& diag, Diag note, const ast::Expr& expr, std::string_view suffix) {
    diag.note(note);
    bool parens = needsParens(expr);
    if (parens) diag.fix(expr.range.atBegin(), "(");
    diag.fix(expr.range.atEnd(), fmt::format("{} {}", parens ? ")" : "", suffix));
}

void convert(Checker& c, const ast::Expr& expr, const Typed& value, const Target& to) {
    if (value.type->isError() || to.type->isError()) return;
    if (accepts(c, expr, value, to)) return checkIntegerDivision(c, expr, value.type, to.type);
    const Type* from = value.type;
    std::int64_t have = 0;
    std::int64_t need = 0;
    if (findExtents(from, to.type, have, need)) {
        c.error(Diag::ArrayLength, expr.range) << "the array" << have << need;
        return;
    }
    Name builtin = builtinCall(c, expr);
    if (builtin && from->is(TypeKind::Float) && to.type->isReal()) {
        Diagnostic& diag = c.error(Diag::BuiltinResult, expr.range)
                           << builtin << types::toString(to.type);
        return adviseCast(diag, expr, to.type);
    }
    Diagnostic& diag = c.error(Diag::NotConvertible, expr.range)
                       << types::toString(from) << types::toString(to.type) << describe(to);
    advise(diag, expr, from, to.type);
}

}  // namespace strc::sema
