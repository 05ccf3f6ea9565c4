// Types and expressions as text.

#include <cmath>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "ast/detail/writer.h"
#include "ast/spelling.h"

namespace strc::ast {

namespace {

/// Levels around those of binary operators: what stands alone, what has a prefix, `? :`.
constexpr int kPrimary = 10, kPrefixed = 9, kChoice = 1;

int levelOf(const Expr& expr) {
    switch (expr.kind) {
        case ExprKind::Binary: return level(as<BinaryExpr>(expr).op);
        case ExprKind::Conditional: return kChoice;
        case ExprKind::Unary:
        case ExprKind::Cast: return kPrefixed;
        case ExprKind::Increment: return as<IncrementExpr>(expr).prefix ? kPrefixed : kPrimary;
        default: return kPrimary;
    }
}

/// In parentheses if it binds less than `least`.
void operand(Writer& w, const Expr& written, int least) {
    const Expr& expr = *withoutParens(&written);
    if (levelOf(expr) >= least) return write(w, expr);
    w.text("(");
    write(w, expr);
    w.text(")");
}

/// Numbers are read as doubles and rounded then.
std::string real(float value) {
    if (std::isinf(value)) return "1e999";
    std::string text = fmt::format("{}", value);
    if (static_cast<float>(std::strtod(text.c_str(), nullptr)) != value)
        text = fmt::format("{:.17g}", static_cast<double>(value));
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string quoted(std::string_view text, char quote) {
    std::string result(1, quote);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == quote || c == '\\')
            result += {'\\', c};
        else if (byte < 0x20 || byte >= 0x7F)
            result += fmt::format("\\{:03o}", byte);
        else
            result += c;
    }
    return result + quote;
}

/// The least integer has no decimal literal.
std::string integer(std::int32_t value) {
    return value < 0 ? fmt::format("0x{:X}", static_cast<std::uint32_t>(value))
                     : fmt::format("{}", value);
}

void call(Writer& w, std::string_view name, std::span<const Expr* const> args) {
    w.text(name);
    w.text("(");
    writeList(w, args);
    w.text(")");
}

/// Shifts and operators on bits, whose levels are not those of C.
bool isUnfamiliar(BinaryOp op) {
    switch (op) {
        case BinaryOp::BitOr:
        case BinaryOp::BitAnd:
        case BinaryOp::BitXor:
        case BinaryOp::ShiftLeft:
        case BinaryOp::ShiftRight: return true;
        default: return false;
    }
}

/// The level that an operand of `op` needs to stand without parentheses. Readers who know C get more of them than the
/// language asks for.
int needed(BinaryOp op, const Expr& side, bool isRight) {
    const auto* inner = tryAs<BinaryExpr>(withoutParens(&side));
    if (inner && inner->op != op && (isUnfamiliar(op) || isUnfamiliar(inner->op))) return kPrefixed;
    return level(op) + (isRight ? 1 : 0);
}

/// Chains grow to the left, by as many levels as they have operators.
void binary(Writer& w, const BinaryExpr& outermost) {
    std::vector<const BinaryExpr*> chain{&outermost};
    while (const auto* inner = tryAs<BinaryExpr>(withoutParens(chain.back()->left))) {
        if (level(inner->op) < needed(chain.back()->op, *inner, false)) break;
        chain.push_back(inner);
    }
    operand(w, *chain.back()->left, needed(chain.back()->op, *chain.back()->left, false));
    for (std::size_t k = chain.size(); k-- > 0;) {
        w.text(" ");
        w.text(spelling(chain[k]->op));
        w.text(" ");
        operand(w, *chain[k]->right, needed(chain[k]->op, *chain[k]->right, true));
    }
}

void unary(Writer& w, const UnaryExpr& expr) {
    w.text(spelling(expr.op));
    const auto* inner = tryAs<UnaryExpr>(withoutParens(expr.operand));
    const bool runsTogether = inner && inner->op == UnaryOp::Minus;
    operand(w, *expr.operand, runsTogether ? kPrimary : kPrefixed);
}

void conditional(Writer& w, const ConditionalExpr& expr) {
    operand(w, *expr.condition, kChoice + 1);
    w.text(" ? ");
    write(w, *expr.thenValue);
    w.text(" : ");
    operand(w, *expr.elseValue, kChoice);
}

void increment(Writer& w, const IncrementExpr& expr) {
    const std::string_view op = expr.decrement ? "--" : "++";
    if (expr.prefix) w.text(op);
    operand(w, *expr.target, kPrimary);
    if (!expr.prefix) w.text(op);
}

void index(Writer& w, const IndexExpr& expr) {
    operand(w, *expr.object, kPrimary);
    w.text("[");
    write(w, *expr.index);
    for (const Expr* more : expr.more) {
        w.text(", ");
        write(w, *more);
    }
    w.text("]");
}

void literal(Writer& w, const Expr& expr) {
    switch (expr.kind) {
        case ExprKind::IntLiteral: return w.text(integer(as<IntLiteral>(expr).value));
        case ExprKind::RealLiteral: return w.text(real(as<RealLiteral>(expr).value));
        case ExprKind::ImaginaryLiteral:
            return w.text(real(as<ImaginaryLiteral>(expr).value) + "i");
        case ExprKind::BooleanLiteral:
            return w.text(as<BooleanLiteral>(expr).value ? "true" : "false");
        case ExprKind::StringLiteral: return w.text(quoted(as<StringLiteral>(expr).value, '"'));
        case ExprKind::CharLiteral: {
            const char value = as<CharLiteral>(expr).value;
            return w.text(quoted({&value, 1}, '\''));
        }
        case ExprKind::Pi: return w.text("pi");
        case ExprKind::ArrayLiteral:
            w.text("{");
            writeList(w, as<ArrayLiteral>(expr).elements);
            return w.text("}");
        case ExprKind::VectorLiteral: {
            const auto& vector = as<VectorLiteral>(expr);
            return call(w, spelling(vector.type), vector.components);
        }
        default: STRC_UNREACHABLE("writing a text that is not the language");
    }
}

}  // namespace

void writeList(Writer& w, std::span<const Expr* const> list) {
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (k > 0) w.text(", ");
        write(w, *list[k]);
    }
}

void write(Writer& w, const Expr& expr) {
    switch (expr.kind) {
        case ExprKind::NameRef: return w.text(as<NameRef>(expr).name.text());
        case ExprKind::Member: {
            const auto& member = as<MemberExpr>(expr);
            operand(w, *member.object, kPrimary);
            w.text(".");
            return w.text(member.member.name.text());
        }
        case ExprKind::Index: return index(w, as<IndexExpr>(expr));
        case ExprKind::Call: {
            const auto& called = as<CallExpr>(expr);
            return call(w, called.callee.name.text(), called.args);
        }
        case ExprKind::PackageCall: {
            const auto& called = as<PackageCallExpr>(expr);
            w.text(called.package.name.text());
            w.text(".");
            return call(w, called.callee.name.text(), called.args);
        }
        case ExprKind::Pop: return w.text("pop()");
        case ExprKind::Peek:
            w.text("peek(");
            write(w, *as<PeekExpr>(expr).offset);
            return w.text(")");
        case ExprKind::Iter: return w.text("iter()");
        case ExprKind::Unary: return unary(w, as<UnaryExpr>(expr));
        case ExprKind::Binary: return binary(w, as<BinaryExpr>(expr));
        case ExprKind::Conditional: return conditional(w, as<ConditionalExpr>(expr));
        case ExprKind::Cast: {
            const auto& cast = as<CastExpr>(expr);
            w.text("(");
            write(w, *cast.target);
            w.text(")");
            return operand(w, *cast.operand, kPrefixed);
        }
        case ExprKind::Increment: return increment(w, as<IncrementExpr>(expr));
        case ExprKind::Paren: return write(w, *withoutParens(&expr));
        default: return literal(w, expr);
    }
}

namespace {

void bounds(Writer& w, std::span<const TypeExpr* const> arrays) {
    for (const TypeExpr* array : arrays) {
        w.text("[");
        write(w, *array->bound);
        w.text("]");
    }
}

/// `[2, _]` behind the element type of a tensor.
void shape(Writer& w, std::span<const TypeExpr* const> dimensions) {
    if (dimensions.empty()) return;
    w.text("[");
    for (std::size_t k = 0; k < dimensions.size(); ++k) {
        if (k > 0) w.text(", ");
        if (dimensions[k]->bound)
            write(w, *dimensions[k]->bound);
        else
            w.text("_");
    }
    w.text("]");
}

}  // namespace

void write(Writer& w, const TypeExpr& whole) {
    std::vector<const TypeExpr*> arrays;
    const TypeExpr* inner = &whole;
    for (; inner->kind == TypeExprKind::Array; inner = inner->element) arrays.push_back(inner);
    switch (inner->kind) {
        case TypeExprKind::Primitive: w.text(spelling(inner->primitive)); break;
        case TypeExprKind::Named: w.text(inner->name.name.text()); break;
        case TypeExprKind::Portal:
            w.text("portal<");
            w.text(inner->name.name.text());
            w.text(">");
            break;
        case TypeExprKind::Tensor:
            w.text("tensor<");
            write(w, *inner->element);
            w.text(inner->hasNoDimensions ? ">[]" : ">");
            return shape(w, arrays);
        default: STRC_UNREACHABLE("writing a text that is not the language");
    }
    bounds(w, arrays);
}

}  // namespace strc::ast
