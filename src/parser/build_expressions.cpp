// Expressions: precedence, suffixes, literals, arguments.

#include "parser/detail/build_expressions.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "parser/detail/build_types.h"
#include "parser/detail/literals.h"

namespace strc::parser {

using base::Diag;
using base::SourceRange;

namespace {

struct Operator {
    ast::BinaryOp op;
    int level;  ///< a higher one binds tighter
};

/// Language.md 5.1: `| & ^` share one level, shifts bind like multiplication.
Operator operatorOf(const Token* token) {
    using enum ast::BinaryOp;
    switch (token->getType()) {
        case Grammar::OR_OR: return {Or, 1};
        case Grammar::AND_AND: return {And, 2};
        case Grammar::OR: return {BitOr, 3};
        case Grammar::AND: return {BitAnd, 3};
        case Grammar::XOR: return {BitXor, 3};
        case Grammar::EQUAL: return {Equal, 4};
        case Grammar::NOT_EQUAL: return {NotEqual, 4};
        case Grammar::LESS: return {Less, 5};
        case Grammar::LESS_EQUAL: return {LessEqual, 5};
        case Grammar::GREATER: return {Greater, 5};
        case Grammar::GREATER_EQUAL: return {GreaterEqual, 5};
        case Grammar::PLUS: return {Add, 6};
        case Grammar::MINUS: return {Subtract, 6};
        case Grammar::STAR: return {Multiply, 7};
        case Grammar::SLASH: return {Divide, 7};
        case Grammar::PERCENT: return {Remainder, 7};
        case Grammar::LEFT_SHIFT: return {ShiftLeft, 7};
        case Grammar::RIGHT_SHIFT: return {ShiftRight, 7};
        default: break;
    }
    STRC_ASSERT(false, "not a binary operator");
    return {};
}

}  // namespace

bool isPlace(const ast::Expr* expr) {
    while (true) {
        switch (expr->kind) {
            case ast::ExprKind::NameRef:
            case ast::ExprKind::Error: return true;
            case ast::ExprKind::Member: expr = ast::as<ast::MemberExpr>(*expr).object; break;
            case ast::ExprKind::Index: expr = ast::as<ast::IndexExpr>(*expr).object; break;
            default: return false;
        }
    }
}

namespace {

const ast::Expr* tape(Builder& b, const Token* keyword, Grammar::ExpressionContext* offset,
                      const Token* close) {
    const auto where = b.range(keyword, close);
    if (keyword->getType() == Grammar::POP) return b.expr<ast::PopExpr>(where);
    return b.expr<ast::PeekExpr>(where, expression(b, offset));
}

const ast::Expr* nameOrCall(Builder& b, const Token* name, Grammar::ArgumentsContext* call) {
    if (!call) return b.expr<ast::NameRef>(b.range(name), b.context.names.intern(b.text(name)));
    const auto where = b.range(name, call->close);
    if (b.text(name) != "iter") return b.expr<ast::CallExpr>(where, b.ident(name), values(b, call));
    if (!call->items.empty()) {
        b.report(Diag::ExpectedToken, b.range(call->items[0]))
            << "')'" << fmt::format("'{}'", b.text(call->items[0]->start));
    }
    return b.expr<ast::IterExpr>(where);
}

template <typename Context>
const ast::Expr* tapeOrName(Builder& b, Context* c) {
    if (c->tape) return tape(b, c->tape, c->inner, c->close);
    return nameOrCall(b, c->name, c->call);
}

}  // namespace

const ast::Expr* headOf(Builder& b, Grammar::PlaceContext* c) { return tapeOrName(b, c); }

namespace {

const ast::Expr* literal(Builder& b, const Token* token) {
    const auto where = b.range(token);
    const auto lexeme = b.text(token);
    switch (token->getType()) {
        case Grammar::INTEGER:
            if (const auto value = decimalValue(lexeme))
                return b.expr<ast::IntLiteral>(where, *value);
            return b.expr<ast::RealLiteral>(where, realValue(lexeme), true);
        case Grammar::HEX: return b.expr<ast::IntLiteral>(where, hexValue(lexeme));
        case Grammar::REAL: return b.expr<ast::RealLiteral>(where, realValue(lexeme), false);
        case Grammar::IMAGINARY: return b.expr<ast::ImaginaryLiteral>(where, realValue(lexeme));
        case Grammar::STRING: {
            const std::string value = unescape(lexeme.substr(1, lexeme.size() - 2));
            const std::vector<char> bytes(value.begin(), value.end());
            const auto kept = b.context.arena.copy(bytes);
            return b.expr<ast::StringLiteral>(where, std::string_view(kept.data(), kept.size()));
        }
        case Grammar::CHARACTER: {
            const std::string value = unescape(lexeme.substr(1, lexeme.size() - 2));
            return b.expr<ast::CharLiteral>(where, value.empty() ? '\0' : value[0]);
        }
        case Grammar::PI: return b.expr<ast::PiLiteral>(where);
        case Grammar::TRUE: return b.expr<ast::BooleanLiteral>(where, true);
        case Grammar::FALSE: return b.expr<ast::BooleanLiteral>(where, false);
        default: return b.errorExpr(where);  // malformed: reported with the tokens
    }
}

const ast::Expr* vectorLiteral(Builder& b, const Token* vector, Grammar::ArgumentsContext* call) {
    const auto components = values(b, call);
    const auto where = b.range(vector, call->close);
    const auto needed = static_cast<std::size_t>(b.text(vector).back() - '0');
    if (components.size() != needed) {
        b.report(Diag::VectorArity, where) << b.text(vector) << static_cast<std::int64_t>(needed)
                                           << static_cast<std::int64_t>(components.size());
    }
    return b.expr<ast::VectorLiteral>(where, primitiveType(b, vector)->primitive, components);
}

Exprs positions(Builder& b, Grammar::SuffixContext* c) {
    ExprList items;
    for (auto* each : c->more) items.push_back(expression(b, each));
    return b.copy(items);
}

const ast::Expr* index(Builder& b, const ast::Expr* value, Grammar::SuffixContext* c) {
    const auto where = value->range.to(b.range(c->close));
    if (c->star || c->colon) {
        b.reportUnexpected(c->star ? c->star : c->colon, "a latency can only follow a message");
        return b.errorExpr(where);
    }
    const ast::Expr* position = nullptr;
    if (c->low)
        position = expression(b, c->low);
    else
        b.report(Diag::MissingArrayIndex, b.range(c->start, c->close));
    return b.expr<ast::IndexExpr>(where, value, position, positions(b, c));
}

const ast::Expr* suffix(Builder& b, const ast::Expr* value, Grammar::SuffixContext* c) {
    if (c->step) return increment(b, value->range.to(b.range(c->step)), c->step, false, value);
    if (!c->field) return index(b, value, c);
    if (!c->call)
        return b.expr<ast::MemberExpr>(value->range.to(b.range(c->field)), value,
                                       b.ident(c->field));
    const auto where = value->range.to(b.range(c->call->close));
    const auto* name = ast::tryAs<ast::NameRef>(value);
    if (!name) {
        b.reportUnexpected(c->call->start, "only portals and packages have functions");
        return b.errorExpr(where);
    }
    return b.expr<ast::PackageCallExpr>(where, ast::Ident{name->name, name->range},
                                        b.ident(c->field), values(b, c->call));
}

}  // namespace

/// The first `count` suffixes applied. Only a bare name may stand before `.f(...)`.
const ast::Expr* suffixed(Builder& b, const ast::Expr* value,
                          const std::vector<Grammar::SuffixContext*>& suffixes, std::size_t count) {
    for (std::size_t i = 0; i < count; i++) value = suffix(b, value, suffixes[i]);
    return value;
}

namespace {

const ast::Expr* operand(Builder& b, Grammar::OperandContext*);

const ast::Expr* prefixed(Builder& b, const Token* prefix, const ast::Expr* value) {
    const auto where = b.range(prefix).to(value->range);
    switch (prefix->getType()) {
        case Grammar::BANG: return b.expr<ast::UnaryExpr>(where, ast::UnaryOp::Not, value);
        case Grammar::MINUS: return b.expr<ast::UnaryExpr>(where, ast::UnaryOp::Minus, value);
        case Grammar::TILDE: return b.expr<ast::UnaryExpr>(where, ast::UnaryOp::Complement, value);
        default: return increment(b, where, prefix, true, value);
    }
}

const ast::Expr* primary(Builder& b, Grammar::OperandContext* c) {
    if (c->literal) return literal(b, c->literal);
    if (c->vector) return vectorLiteral(b, c->vector, c->call);
    if (c->cast) {
        const auto* target = primitiveType(b, c->castType->start);
        const auto* value = operand(b, c->cast);
        return b.expr<ast::CastExpr>(b.range(c->open).to(value->range), target, value);
    }
    if (c->open) return b.expr<ast::ParenExpr>(b.range(c->open, c->close), expression(b, c->inner));
    return tapeOrName(b, c);
}

const ast::Expr* operand(Builder& b, Grammar::OperandContext* c) {
    if (c->exception) return b.errorExpr(b.range(c));
    Levels levels(b, c->prefixes.size() + c->suffixes.size() + 1, c->start);
    if (!levels.fits) return b.errorExpr(b.range(c));
    const ast::Expr* value = suffixed(b, primary(b, c), c->suffixes, c->suffixes.size());
    for (std::size_t i = c->prefixes.size(); i-- > 0;)
        value = prefixed(b, c->prefixes[i]->start, value);
    return value;
}

/// An operand, and more behind binary operators: all of them associate to the left.
const ast::Expr* binaryChain(Builder& b, Grammar::OperandContext* first,
                             std::span<Grammar::LinkContext* const> links) {
    if (links.empty()) return operand(b, first);
    ExprList values{operand(b, first)};
    std::vector<const Token*> pending;
    const auto reduce = [&] {
        const auto* right = values.back();
        values.pop_back();
        const auto* left = values.back();
        values.back() =
            b.expr<ast::BinaryExpr>(left->range.to(right->range), operatorOf(pending.back()).op,
                                    b.range(pending.back()), left, right);
        pending.pop_back();
    };
    for (auto* link : links) {
        const int level = operatorOf(link->start).level;
        while (!pending.empty() && operatorOf(pending.back()).level >= level) reduce();
        pending.push_back(link->start);
        values.push_back(operand(b, link->right));
    }
    while (!pending.empty()) reduce();
    return values.back();
}

}  // namespace

// The flat list of the grammar: `c ? a : d ? b : e` has two links with a `?`; what stands between
// them is a chain of binary operators. The conditional associates to the right.
const ast::Expr* expression(Builder& b, Grammar::ExpressionContext* c) {
    if (!c || c->exception) return b.errorExpr(b.range(c));
    Levels levels(b, c->links.size() + 1, c->start);
    if (!levels.fits) return b.errorExpr(b.range(c));

    struct Choice {
        const ast::Expr* condition;
        const ast::Expr* thenValue;
    };
    std::vector<Choice> choices;
    auto* first = c->first;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < c->links.size(); i++) {
        auto* link = c->links[i];
        if (!link->middle) continue;
        const auto* condition =
            binaryChain(b, first, {c->links.begin() + begin, c->links.begin() + i});
        choices.push_back({condition, expression(b, link->middle)});
        first = link->right;
        begin = i + 1;
    }
    const ast::Expr* value = binaryChain(b, first, {c->links.begin() + begin, c->links.end()});
    for (std::size_t i = choices.size(); i-- > 0;) {
        const auto& [condition, thenValue] = choices[i];
        value = b.expr<ast::ConditionalExpr>(condition->range.to(value->range), condition,
                                             thenValue, value);
    }
    return value;
}

const ast::Expr* increment(Builder& b, SourceRange where, const Token* op, bool prefix,
                           const ast::Expr* target) {
    if (!isPlace(target)) {
        b.report(Diag::NotAssignable, target->range);
        return b.errorExpr(where);
    }
    return b.expr<ast::IncrementExpr>(where, op->getType() == Grammar::MINUS_MINUS, prefix, target);
}

const ast::Expr* initialiser(Builder& b, Grammar::InitialiserContext* c) {
    if (!c || c->exception) return b.errorExpr(b.range(c));
    if (c->value) return expression(b, c->value);
    Levels levels(b, 1, c->start);
    if (!levels.fits) return b.errorExpr(b.range(c));
    ExprList items;
    items.reserve(c->items.size());
    for (auto* item : c->items) items.push_back(initialiser(b, item));
    return b.expr<ast::ArrayLiteral>(b.range(c), Exprs(b.copy(items)));
}

/// Arguments of anything but a stream: values by position.
Exprs values(Builder& b, Grammar::ArgumentsContext* c) {
    ExprList items;
    items.reserve(c->items.size());
    for (auto* argument : c->items) {
        if (argument->right) {
            b.reportUnexpected(argument->equals, "only streams take arguments by name");
        } else if (!argument->left->value && !argument->left->exception) {
            b.reportUnexpected(argument->start, "only streams take array literals as arguments");
        }
        items.push_back(initialiser(b, argument->left));
    }
    return b.copy(items);
}

namespace {

/// The name before `=`; an argument without a usable one counts as positional.
ast::Ident argumentName(Builder& b, Grammar::ArgumentContext* c) {
    auto* value = c->left->value;
    if (value && value->links.empty() && !value->exception) {
        auto* only = value->first;
        const bool bare = only->prefixes.empty() && only->suffixes.empty() && !only->exception;
        if (bare && only->name && !only->call) return b.ident(only->name);
    }
    b.report(Diag::ExpectedToken, b.range(c->left)) << "a name" << "'='";
    return {};
}

}  // namespace

std::span<const ast::Argument> creatorArguments(Builder& b, Grammar::ArgumentsContext* c) {
    std::vector<ast::Argument> items;
    bool named = false;
    for (auto* argument : c->items) {
        if (argument->right) {
            named = true;
            items.push_back({argumentName(b, argument), initialiser(b, argument->right)});
            continue;
        }
        if (named) b.report(Diag::PositionalAfterNamed, b.range(argument));
        items.push_back({{}, initialiser(b, argument->left)});
    }
    return b.copy(items);
}

}  // namespace strc::parser
