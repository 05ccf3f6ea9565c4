#include "ast/format_printer.h"

namespace strc::ast {

namespace {

/// The level of an operator in the table of language.md; operators of one level form one list of operands.
int level(BinaryOp op) {
    switch (op) {
        case BinaryOp::Or: return 2;
        case BinaryOp::And: return 3;
        case BinaryOp::BitOr:
        case BinaryOp::BitAnd:
        case BinaryOp::BitXor: return 4;
        case BinaryOp::Equal:
        case BinaryOp::NotEqual: return 5;
        case BinaryOp::Less:
        case BinaryOp::LessEqual:
        case BinaryOp::Greater:
        case BinaryOp::GreaterEqual: return 6;
        case BinaryOp::Add:
        case BinaryOp::Subtract: return 7;
        case BinaryOp::Multiply:
        case BinaryOp::Divide:
        case BinaryOp::Remainder:
        case BinaryOp::ShiftLeft:
        case BinaryOp::ShiftRight: return 8;
    }
    return 0;
}

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

}  // namespace

// ---------------------------------------------------------------- types and lists

void FormatPrinter::type(const TypeExpr& whole) {
    std::vector<const TypeExpr*> arrays;
    const TypeExpr* inner = &whole;
    for (; inner->kind == TypeExprKind::Array; inner = inner->element) arrays.push_back(inner);
    if (inner->kind == TypeExprKind::Portal) {
        tokens.token("portal");
        tokens.token("<");
        tokens.token(inner->name.range);
        tokens.token(">");
    } else if (inner->kind == TypeExprKind::Named) {
        tokens.token(inner->name.range);
    } else if (inner->kind == TypeExprKind::Tensor) {
        tokens.token("tensor");
        tokens.token("<");
        type(*inner->element);
        tokens.token(">");
        if (inner->hasNoDimensions) {
            tokens.token("[");
            tokens.token("]");
        }
    } else {
        tokens.token(inner->range);
    }
    if (inner->kind == TypeExprKind::Tensor) return shape(arrays);
    for (const TypeExpr* array : arrays) {
        tokens.token("[");
        if (array->bound) expr(*array->bound);
        tokens.token("]");
    }
}

/// `[2, _]` behind the element type of a tensor.
void FormatPrinter::shape(std::span<const TypeExpr* const> dimensions) {
    if (dimensions.empty()) return;
    tokens.token("[");
    for (std::size_t k = 0; k < dimensions.size(); ++k) {
        separator(k == 0);
        if (dimensions[k]->bound)
            expr(*dimensions[k]->bound);
        else
            tokens.token("_");
    }
    tokens.token("]");
}

void FormatPrinter::separator(bool isFirst) {
    if (isFirst) return;
    tokens.token(",");
    tokens.lineBreak(BreakKind::Line);
}

void FormatPrinter::arguments(std::span<const Expr* const> args) {
    tokens.token("(");
    begin(GroupMode::Fill, continued);
    for (std::size_t i = 0; i < args.size(); ++i) {
        separator(i == 0);
        expr(*args[i]);
    }
    layout.end();
    tokens.token(")");
}

/// Numbers fill the lines; rows of a table have a line each once they do not fit on one. But the
/// lines that somebody gave a table have a meaning and stay.
void FormatPrinter::arrayLiteral(const ArrayLiteral& table) {
    auto elements = table.elements;
    auto beginsLine = [&](std::size_t i) {
        return i > 0 &&
               tokens.lineOf(elements[i - 1]->range.end) != tokens.lineOf(elements[i]->range.begin);
    };
    bool isEmpty = elements.empty();
    bool hasRows = false;
    for (const Expr* each : elements) hasRows = hasRows || each->kind == ExprKind::ArrayLiteral;
    for (std::size_t i = 0; i < elements.size() && hasRows; ++i) hasRows = !beginsLine(i);
    begin(GroupMode::All, kIndent);
    tokens.token("{");
    if (!isEmpty) tokens.lineBreak(BreakKind::Soft);
    if (!hasRows) begin(GroupMode::Fill);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        separator(i == 0);
        if (beginsLine(i)) tokens.lineBreak(BreakKind::Hard);
        expr(*elements[i]);
    }
    if (!hasRows) layout.end();
    if (isEmpty)
        tokens.token("}");
    else
        tokens.close("}", BreakKind::Soft, 0, kIndent);
    layout.end();
}

// ---------------------------------------------------------------- expressions

void FormatPrinter::expr(const Expr& expression) {
    switch (expression.kind) {
        case ExprKind::Error: STRC_UNREACHABLE("formatting a text that is not the language");
        case ExprKind::IntLiteral:
        case ExprKind::RealLiteral:
        case ExprKind::ImaginaryLiteral:
        case ExprKind::BooleanLiteral:
        case ExprKind::StringLiteral:
        case ExprKind::CharLiteral:
        case ExprKind::Pi:
        case ExprKind::NameRef: return tokens.token(expression.range);
        case ExprKind::Member:
        case ExprKind::Index: return suffixed(expression);
        case ExprKind::Increment:
            if (as<IncrementExpr>(expression).prefix) return prefixed(expression);
            return suffixed(expression);
        case ExprKind::Unary:
        case ExprKind::Cast: return prefixed(expression);
        case ExprKind::Binary: return binary(as<BinaryExpr>(expression));
        case ExprKind::Conditional: return conditional(as<ConditionalExpr>(expression));
        case ExprKind::ArrayLiteral: return arrayLiteral(as<ArrayLiteral>(expression));
        case ExprKind::Call: {
            auto& call = as<CallExpr>(expression);
            tokens.token(call.callee.range);
            return arguments(call.args);
        }
        case ExprKind::PackageCall: {
            auto& call = as<PackageCallExpr>(expression);
            tokens.token(call.package.range);
            tokens.token(".");
            tokens.token(call.callee.range);
            return arguments(call.args);
        }
        case ExprKind::VectorLiteral: {
            auto& vector = as<VectorLiteral>(expression);
            tokens.token(vector.type == Primitive::Float2   ? "float2"
                         : vector.type == Primitive::Float3 ? "float3"
                                                            : "float4");
            return arguments(vector.components);
        }
        case ExprKind::Pop: tokens.token("pop"); return arguments({});
        case ExprKind::Iter: tokens.token("iter"); return arguments({});
        case ExprKind::Peek:
            tokens.token("peek");
            return arguments({&as<PeekExpr>(expression).offset, 1});
        case ExprKind::Paren:
            tokens.token("(");
            expr(*as<ParenExpr>(expression).inner);
            return tokens.token(")");
    }
}

/// Casts and prefix operators. Two minus signs must not run together.
void FormatPrinter::prefixed(const Expr& expression) {
    const Expr* inner = &expression;
    while (true) {
        if (auto* unary = tryAs<UnaryExpr>(inner)) {
            tokens.token(spelling(unary->op));
            if (unary->op == UnaryOp::Minus && tokens.nextIs("-")) tokens.space();
            inner = unary->operand;
        } else if (auto* cast = tryAs<CastExpr>(inner)) {
            tokens.token("(");
            type(*cast->target);
            tokens.token(")");
            inner = cast->operand;
        } else if (auto* increment = tryAs<IncrementExpr>(inner); increment && increment->prefix) {
            tokens.token(increment->decrement ? "--" : "++");
            inner = increment->target;
        } else {
            return expr(*inner);
        }
    }
}

void FormatPrinter::suffixed(const Expr& expression) {
    std::vector<const Expr*> chain;
    const Expr* inner = &expression;
    for (const Expr* object; (object = objectOf(*inner)); inner = object) chain.push_back(inner);
    expr(*inner);
    for (std::size_t i = chain.size(); i-- > 0;) suffix(*chain[i]);
}

void FormatPrinter::suffix(const Expr& expression) {
    if (auto* member = tryAs<MemberExpr>(&expression)) {
        if (isNumber(*member->object)) tokens.space();
        tokens.token(".");
        tokens.token(member->member.range);
    } else if (auto* index = tryAs<IndexExpr>(&expression)) {
        tokens.token("[");
        expr(*index->index);
        for (const Expr* more : index->more) {
            separator(false);
            expr(*more);
        }
        tokens.token("]");
    } else {
        tokens.token(as<IncrementExpr>(expression).decrement ? "--" : "++");
    }
}

/// `a + b - c …` is one group however long; tighter operators at its left end are one inside.
void FormatPrinter::binary(const BinaryExpr& outermost) {
    std::vector<const BinaryExpr*> chain;
    for (const BinaryExpr* each = &outermost; each; each = tryAs<BinaryExpr>(each->left)) {
        if (chain.empty() || level(chain.back()->op) != level(each->op))
            begin(GroupMode::Fill, continued);
        chain.push_back(each);
    }
    expr(*chain.back()->left);
    for (std::size_t i = chain.size(); i-- > 0;) {
        tokens.space();
        tokens.token(chain[i]->opRange);
        tokens.lineBreak(BreakKind::Line);
        expr(*chain[i]->right);
        if (i == 0 || level(chain[i - 1]->op) != level(chain[i]->op)) layout.end();
    }
}

/// A chain of conditions is one group: each further one begins a line.
void FormatPrinter::conditional(const ConditionalExpr& first) {
    begin(GroupMode::All, continued);
    const ConditionalExpr* each = &first;
    while (true) {
        expr(*each->condition);
        tokens.space();
        tokens.token("?");
        tokens.space();
        expr(*each->thenValue);
        tokens.lineBreak(BreakKind::Line);
        tokens.token(":");
        tokens.space();
        auto* next = tryAs<ConditionalExpr>(each->elseValue);
        if (!next) break;
        each = next;
    }
    expr(*each->elseValue);
    layout.end();
}

}  // namespace strc::ast
