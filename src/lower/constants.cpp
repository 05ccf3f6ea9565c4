// Values of literals.

#include "lower/detail/constants.h"

#include "types/math.h"

namespace strc::lower::detail {

using ast::as;
using ast::Expr;
using ast::ExprKind;
using types::TypeKind;

namespace {

Value negated(const Value& value) {
    switch (value.type->kind) {
        case TypeKind::Int:
            return Value::of(value.type, types::wrap(-std::int64_t{value.as<std::int32_t>()}));
        case TypeKind::Float: return Value::of(value.type, -value.as<float>());
        case TypeKind::Complex: return Value::of(value.type, -value.as<types::Complex>());
        default: return {};
    }
}

/// Converts the value of a literal; nothing if the conversion is not one that literals need.
std::optional<Value> converted(const Value& value, const Type* to) {
    if (value.type == to) return value;
    if (!value.type->isNumeric()) return std::nullopt;
    if (value.type->is(TypeKind::Complex)) return std::nullopt;
    double number = value.type->is(TypeKind::Double)  ? value.as<double>()
                    : value.type->is(TypeKind::Float) ? double{value.as<float>()}
                                                      : static_cast<double>(value.toInt());
    bool fromInt = value.type->is(TypeKind::Int) || value.type->is(TypeKind::Bit);
    switch (to->kind) {
        case TypeKind::Bit:
            if (!fromInt) return std::nullopt;
            return Value::of(to, static_cast<std::uint8_t>(value.toInt() & 1));
        case TypeKind::Int:
            if (!fromInt) return std::nullopt;
            return Value::of(to, static_cast<std::int32_t>(value.toInt()));
        case TypeKind::Float: return Value::of(to, static_cast<float>(number));
        case TypeKind::Double: return Value::of(to, number);
        case TypeKind::Complex: return Value::of(to, types::Complex(static_cast<float>(number), 0));
        default: return std::nullopt;
    }
}

}  // namespace

std::optional<Value> constant(const BodyScope& in, const Expr& expr) {
    const Expr& e = *ast::withoutParens(&expr);
    switch (e.kind) {
        case ExprKind::IntLiteral: return Value::of(in.intType(), as<ast::IntLiteral>(e).value);
        case ExprKind::RealLiteral: return Value::of(in.floatType(), as<ast::RealLiteral>(e).value);
        case ExprKind::ImaginaryLiteral:
            return Value::of(in.m.types.complex(),
                             types::Complex(0, as<ast::ImaginaryLiteral>(e).value));
        case ExprKind::BooleanLiteral:
            return Value::of(in.m.types.boolean(),
                             static_cast<std::uint8_t>(as<ast::BooleanLiteral>(e).value));
        case ExprKind::StringLiteral:
            return Value::text(in.m.types.string(), std::string(as<ast::StringLiteral>(e).value));
        case ExprKind::CharLiteral:
            return Value::of(in.m.types.scalar(TypeKind::Char), as<ast::CharLiteral>(e).value);
        case ExprKind::Pi:
            return Value::of(in.floatType(), static_cast<float>(3.14159265358979323846));
        case ExprKind::NameRef: {
            const Symbol* symbol = in.m.program.symbolOf(e);
            if (!in.m.globalsAreFinal || !isScalarGlobal(*symbol)) return std::nullopt;
            return in.m.globalValue(*symbol);
        }
        case ExprKind::Unary: {
            const auto& minus = as<ast::UnaryExpr>(e);
            const Expr* inner = ast::withoutParens(minus.operand);
            if (minus.op != ast::UnaryOp::Minus || inner->kind == ExprKind::Unary)
                return std::nullopt;
            std::optional<Value> value = constant(in, *inner);
            if (!value || !negated(*value).type) return std::nullopt;
            return negated(*value);
        }
        default: return std::nullopt;
    }
}

std::optional<Value> constantAs(const BodyScope& in, const Expr& e, const Type* type) {
    std::optional<Value> value = constant(in, e);
    return value ? converted(*value, type) : std::nullopt;
}

}  // namespace strc::lower::detail
