// The style of types and expressions.

#include "ast/detail/format_expressions.h"

#include "ast/spelling.h"

namespace strc::ast {

namespace {

/// Where a point right behind it would belong to the literal.
bool isNumber(const Expr& expr) {
    return expr.kind == ExprKind::IntLiteral || expr.kind == ExprKind::RealLiteral ||
           expr.kind == ExprKind::ImaginaryLiteral;
}

/// The expression that a suffix is applied to; null if there is no suffix.
const Expr* objectOf(const Expr& expr) {
    if (auto* member = tryAs<MemberExpr>(&expr)) return member->object;
    if (auto* index = tryAs<IndexExpr>(&expr)) return index->object;
    auto* increment = tryAs<IncrementExpr>(&expr);
    return increment && !increment->prefix ? increment->target : nullptr;
}

/// `[2, _]` behind the element type of a tensor.
void shape(FormatPrinter& p, std::span<const TypeExpr* const> dimensions) {
    if (dimensions.empty()) return;
    p.tokens.token("[");
    for (std::size_t k = 0; k < dimensions.size(); ++k) {
        separator(p, k == 0);
        if (dimensions[k]->bound)
            expr(p, *dimensions[k]->bound);
        else
            p.tokens.token("_");
    }
    p.tokens.token("]");
}

}  // namespace

void separator(FormatPrinter& p, bool isFirst) {
    if (isFirst) return;
    p.tokens.token(",");
    p.tokens.lineBreak(BreakKind::Line);
}

void type(FormatPrinter& p, const TypeExpr& whole) {
    std::vector<const TypeExpr*> arrays;
    const TypeExpr* inner = &whole;
    for (; inner->kind == TypeExprKind::Array; inner = inner->element) arrays.push_back(inner);
    if (inner->kind == TypeExprKind::Portal) {
        p.tokens.token("portal");
        p.tokens.token("<");
        p.tokens.token(inner->name.range);
        p.tokens.token(">");
    } else if (inner->kind == TypeExprKind::Named) {
        p.tokens.token(inner->name.range);
    } else if (inner->kind == TypeExprKind::Tensor) {
        p.tokens.token("tensor");
        p.tokens.token("<");
        type(p, *inner->element);
        p.tokens.token(">");
        if (inner->hasNoDimensions) {
            p.tokens.token("[");
            p.tokens.token("]");
        }
    } else {
        p.tokens.token(inner->range);
    }
    if (inner->kind == TypeExprKind::Tensor) return shape(p, arrays);
    for (const TypeExpr* array : arrays) {
        p.tokens.token("[");
        if (array->bound) expr(p, *array->bound);
        p.tokens.token("]");
    }
}

void arguments(FormatPrinter& p, std::span<const Expr* const> args) {
    p.tokens.token("(");
    p.begin(GroupMode::Fill, p.continued);
    for (std::size_t i = 0; i < args.size(); ++i) {
        separator(p, i == 0);
        expr(p, *args[i]);
    }
    p.layout.end();
    p.tokens.token(")");
}

namespace {

/// Numbers fill the lines; rows of a table have a line each once they do not fit on one. But the
/// lines into which a table was written have a meaning and stay.
void arrayLiteral(FormatPrinter& p, const ArrayLiteral& table) {
    auto elements = table.elements;
    auto beginsLine = [&](std::size_t i) {
        return i > 0 && p.tokens.lineOf(elements[i - 1]->range.end) !=
                            p.tokens.lineOf(elements[i]->range.begin);
    };
    bool isEmpty = elements.empty();
    bool hasRows = false;
    for (const Expr* each : elements) hasRows = hasRows || each->kind == ExprKind::ArrayLiteral;
    for (std::size_t i = 0; i < elements.size() && hasRows; ++i) hasRows = !beginsLine(i);
    p.begin(GroupMode::All, FormatPrinter::kIndent);
    p.tokens.token("{");
    if (!isEmpty) p.tokens.lineBreak(BreakKind::Soft);
    if (!hasRows) p.begin(GroupMode::Fill);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        separator(p, i == 0);
        if (beginsLine(i)) p.tokens.lineBreak(BreakKind::Hard);
        expr(p, *elements[i]);
    }
    if (!hasRows) p.layout.end();
    if (isEmpty)
        p.tokens.token("}");
    else
        p.tokens.close("}", BreakKind::Soft, 0, FormatPrinter::kIndent);
    p.layout.end();
}

/// Casts and prefix operators. Two minus signs must not run together.
void prefixed(FormatPrinter& p, const Expr& expression) {
    const Expr* inner = &expression;
    while (true) {
        if (auto* unary = tryAs<UnaryExpr>(inner)) {
            p.tokens.token(spelling(unary->op));
            if (unary->op == UnaryOp::Minus && p.tokens.nextIs("-")) p.tokens.space();
            inner = unary->operand;
        } else if (auto* cast = tryAs<CastExpr>(inner)) {
            p.tokens.token("(");
            type(p, *cast->target);
            p.tokens.token(")");
            inner = cast->operand;
        } else if (auto* increment = tryAs<IncrementExpr>(inner); increment && increment->prefix) {
            p.tokens.token(increment->decrement ? "--" : "++");
            inner = increment->target;
        } else {
            return expr(p, *inner);
        }
    }
}

void suffix(FormatPrinter& p, const Expr& expression) {
    if (auto* member = tryAs<MemberExpr>(&expression)) {
        if (isNumber(*member->object)) p.tokens.space();
        p.tokens.token(".");
        p.tokens.token(member->member.range);
    } else if (auto* index = tryAs<IndexExpr>(&expression)) {
        p.tokens.token("[");
        expr(p, *index->index);
        for (const Expr* more : index->more) {
            separator(p, false);
            expr(p, *more);
        }
        p.tokens.token("]");
    } else {
        p.tokens.token(as<IncrementExpr>(expression).decrement ? "--" : "++");
    }
}

void suffixed(FormatPrinter& p, const Expr& expression) {
    std::vector<const Expr*> chain;
    const Expr* inner = &expression;
    for (const Expr* object; (object = objectOf(*inner)); inner = object) chain.push_back(inner);
    expr(p, *inner);
    for (std::size_t i = chain.size(); i-- > 0;) suffix(p, *chain[i]);
}

/// `a + b - c …` is one group however long; tighter operators at its left end are one inside.
void binary(FormatPrinter& p, const BinaryExpr& outermost) {
    std::vector<const BinaryExpr*> chain;
    for (const BinaryExpr* each = &outermost; each; each = tryAs<BinaryExpr>(each->left)) {
        if (chain.empty() || level(chain.back()->op) != level(each->op))
            p.begin(GroupMode::Fill, p.continued);
        chain.push_back(each);
    }
    expr(p, *chain.back()->left);
    for (std::size_t i = chain.size(); i-- > 0;) {
        p.tokens.space();
        p.tokens.token(chain[i]->opRange);
        p.tokens.lineBreak(BreakKind::Line);
        expr(p, *chain[i]->right);
        if (i == 0 || level(chain[i - 1]->op) != level(chain[i]->op)) p.layout.end();
    }
}

/// A chain of conditions is one group: each further one begins a line.
void conditional(FormatPrinter& p, const ConditionalExpr& first) {
    p.begin(GroupMode::All, p.continued);
    const ConditionalExpr* each = &first;
    while (true) {
        expr(p, *each->condition);
        p.tokens.space();
        p.tokens.token("?");
        p.tokens.space();
        expr(p, *each->thenValue);
        p.tokens.lineBreak(BreakKind::Line);
        p.tokens.token(":");
        p.tokens.space();
        auto* next = tryAs<ConditionalExpr>(each->elseValue);
        if (!next) break;
        each = next;
    }
    expr(p, *each->elseValue);
    p.layout.end();
}

}  // namespace

void expr(FormatPrinter& p, const Expr& expression) {
    switch (expression.kind) {
        case ExprKind::Error: STRC_UNREACHABLE("formatting a text that is not the language");
        case ExprKind::IntLiteral:
        case ExprKind::RealLiteral:
        case ExprKind::ImaginaryLiteral:
        case ExprKind::BooleanLiteral:
        case ExprKind::StringLiteral:
        case ExprKind::CharLiteral:
        case ExprKind::Pi:
        case ExprKind::NameRef: return p.tokens.token(expression.range);
        case ExprKind::Member:
        case ExprKind::Index: return suffixed(p, expression);
        case ExprKind::Increment:
            if (as<IncrementExpr>(expression).prefix) return prefixed(p, expression);
            return suffixed(p, expression);
        case ExprKind::Unary:
        case ExprKind::Cast: return prefixed(p, expression);
        case ExprKind::Binary: return binary(p, as<BinaryExpr>(expression));
        case ExprKind::Conditional: return conditional(p, as<ConditionalExpr>(expression));
        case ExprKind::ArrayLiteral: return arrayLiteral(p, as<ArrayLiteral>(expression));
        case ExprKind::Call: {
            auto& call = as<CallExpr>(expression);
            p.tokens.token(call.callee.range);
            return arguments(p, call.args);
        }
        case ExprKind::PackageCall: {
            auto& call = as<PackageCallExpr>(expression);
            p.tokens.token(call.package.range);
            p.tokens.token(".");
            p.tokens.token(call.callee.range);
            return arguments(p, call.args);
        }
        case ExprKind::VectorLiteral: {
            auto& vector = as<VectorLiteral>(expression);
            p.tokens.token(vector.type == Primitive::Float2   ? "float2"
                           : vector.type == Primitive::Float3 ? "float3"
                                                              : "float4");
            return arguments(p, vector.components);
        }
        case ExprKind::Pop: p.tokens.token("pop"); return arguments(p, {});
        case ExprKind::Iter: p.tokens.token("iter"); return arguments(p, {});
        case ExprKind::Peek:
            p.tokens.token("peek");
            return arguments(p, {&as<PeekExpr>(expression).offset, 1});
        case ExprKind::Paren:
            p.tokens.token("(");
            expr(p, *as<ParenExpr>(expression).inner);
            return p.tokens.token(")");
    }
}

}  // namespace strc::ast
