// Expressions: precedence, suffixes, literals, arguments.

#include <array>
#include <string>

#include <fmt/format.h>

#include "parser/detail/builder.h"
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

// The flat list of the grammar: `c ? a : d ? b : e` has two links with a `?`; what stands between
// them is a chain of binary operators. The conditional associates to the right.
const ast::Expr* Builder::expression(Grammar::ExpressionContext* c) {
    if (!c || c->exception) return errorExpr(range(c));
    Levels levels(*this, c->links.size() + 1, c->start);
    if (!levels.fits) return errorExpr(range(c));

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
            binaryChain(first, {c->links.begin() + begin, c->links.begin() + i});
        choices.push_back({condition, expression(link->middle)});
        first = link->right;
        begin = i + 1;
    }
    const ast::Expr* value = binaryChain(first, {c->links.begin() + begin, c->links.end()});
    for (std::size_t i = choices.size(); i-- > 0;) {
        const auto& [condition, thenValue] = choices[i];
        value = expr<ast::ConditionalExpr>(condition->range.to(value->range), condition, thenValue,
                                           value);
    }
    return value;
}

/// An operand, and more behind binary operators: all of them associate to the left.
const ast::Expr* Builder::binaryChain(Grammar::OperandContext* first,
                                      std::span<Grammar::LinkContext* const> links) {
    if (links.empty()) return operand(first);
    ExprList values{operand(first)};
    std::vector<const Token*> pending;
    const auto reduce = [&] {
        const auto* right = values.back();
        values.pop_back();
        const auto* left = values.back();
        values.back() =
            expr<ast::BinaryExpr>(left->range.to(right->range), operatorOf(pending.back()).op,
                                  range(pending.back()), left, right);
        pending.pop_back();
    };
    for (auto* link : links) {
        const int level = operatorOf(link->start).level;
        while (!pending.empty() && operatorOf(pending.back()).level >= level) reduce();
        pending.push_back(link->start);
        values.push_back(operand(link->right));
    }
    while (!pending.empty()) reduce();
    return values.back();
}

const ast::Expr* Builder::operand(Grammar::OperandContext* c) {
    if (c->exception) return errorExpr(range(c));
    Levels levels(*this, c->prefixes.size() + c->suffixes.size() + 1, c->start);
    if (!levels.fits) return errorExpr(range(c));
    const ast::Expr* value = suffixed(primary(c), c->suffixes, c->suffixes.size());
    for (std::size_t i = c->prefixes.size(); i-- > 0;)
        value = prefixed(c->prefixes[i]->start, value);
    return value;
}

const ast::Expr* Builder::primary(Grammar::OperandContext* c) {
    if (c->literal) return literal(c->literal);
    if (c->vector) return vectorLiteral(c->vector, c->call);
    if (c->cast) {
        const auto* target = primitiveType(c->castType->start);
        const auto* value = operand(c->cast);
        return expr<ast::CastExpr>(range(c->open).to(value->range), target, value);
    }
    if (c->open) return expr<ast::ParenExpr>(range(c->open, c->close), expression(c->inner));
    return headOf(c);
}

template <typename Context>
const ast::Expr* Builder::headOf(Context* c) {
    if (c->tape) return tape(c->tape, c->inner, c->close);
    return nameOrCall(c->name, c->call);
}
template const ast::Expr* Builder::headOf(Grammar::PlaceContext*);

const ast::Expr* Builder::tape(const Token* keyword, Grammar::ExpressionContext* offset,
                               const Token* close) {
    const auto where = range(keyword, close);
    if (keyword->getType() == Grammar::POP) return expr<ast::PopExpr>(where);
    return expr<ast::PeekExpr>(where, expression(offset));
}

const ast::Expr* Builder::nameOrCall(const Token* name, Grammar::ArgumentsContext* call) {
    if (!call) return expr<ast::NameRef>(range(name), context.names.intern(text(name)));
    const auto where = range(name, call->close);
    if (text(name) != "iter") return expr<ast::CallExpr>(where, ident(name), values(call));
    if (!call->items.empty()) {
        report(Diag::ExpectedToken, range(call->items[0]))
            << "')'" << fmt::format("'{}'", text(call->items[0]->start));
    }
    return expr<ast::IterExpr>(where);
}

const ast::Expr* Builder::literal(const Token* token) {
    const auto where = range(token);
    const auto lexeme = text(token);
    switch (token->getType()) {
        case Grammar::INTEGER:
            if (const auto value = decimalValue(lexeme))
                return expr<ast::IntLiteral>(where, *value);
            return expr<ast::RealLiteral>(where, realValue(lexeme), true);
        case Grammar::HEX: return expr<ast::IntLiteral>(where, hexValue(lexeme));
        case Grammar::REAL: return expr<ast::RealLiteral>(where, realValue(lexeme), false);
        case Grammar::IMAGINARY: return expr<ast::ImaginaryLiteral>(where, realValue(lexeme));
        case Grammar::STRING: {
            const std::string value = unescape(lexeme.substr(1, lexeme.size() - 2));
            const std::vector<char> bytes(value.begin(), value.end());
            const auto kept = context.arena.copy(bytes);
            return expr<ast::StringLiteral>(where, std::string_view(kept.data(), kept.size()));
        }
        case Grammar::CHARACTER: {
            const std::string value = unescape(lexeme.substr(1, lexeme.size() - 2));
            return expr<ast::CharLiteral>(where, value.empty() ? '\0' : value[0]);
        }
        case Grammar::PI: return expr<ast::PiLiteral>(where);
        case Grammar::TRUE: return expr<ast::BooleanLiteral>(where, true);
        case Grammar::FALSE: return expr<ast::BooleanLiteral>(where, false);
        default: return errorExpr(where);  // malformed: reported with the tokens
    }
}

const ast::Expr* Builder::vectorLiteral(const Token* vector, Grammar::ArgumentsContext* call) {
    const auto components = values(call);
    const auto where = range(vector, call->close);
    const auto needed = static_cast<std::size_t>(text(vector).back() - '0');
    if (components.size() != needed) {
        report(Diag::VectorArity, where) << text(vector) << static_cast<std::int64_t>(needed)
                                         << static_cast<std::int64_t>(components.size());
    }
    return expr<ast::VectorLiteral>(where, primitiveType(vector)->primitive, components);
}

/// The first `count` suffixes applied. Only a bare name may stand before `.f(...)`.
const ast::Expr* Builder::suffixed(const ast::Expr* value,
                                   const std::vector<Grammar::SuffixContext*>& suffixes,
                                   std::size_t count) {
    for (std::size_t i = 0; i < count; i++) value = suffix(value, suffixes[i]);
    return value;
}

const ast::Expr* Builder::suffix(const ast::Expr* value, Grammar::SuffixContext* c) {
    if (c->step) return increment(value->range.to(range(c->step)), c->step, false, value);
    if (!c->field) return index(value, c);
    if (!c->call)
        return expr<ast::MemberExpr>(value->range.to(range(c->field)), value, ident(c->field));
    const auto where = value->range.to(range(c->call->close));
    const auto* name = ast::tryAs<ast::NameRef>(value);
    if (!name) {
        reportUnexpected(c->call->start, "only portals and packages have functions");
        return errorExpr(where);
    }
    return expr<ast::PackageCallExpr>(where, ast::Ident{name->name, name->range}, ident(c->field),
                                      values(c->call));
}

const ast::Expr* Builder::index(const ast::Expr* value, Grammar::SuffixContext* c) {
    const auto where = value->range.to(range(c->close));
    if (c->star || c->colon) {
        reportUnexpected(c->star ? c->star : c->colon, "a latency can only follow a message");
        return errorExpr(where);
    }
    const ast::Expr* position = nullptr;
    if (c->low)
        position = expression(c->low);
    else
        report(Diag::MissingArrayIndex, range(c->start, c->close));
    return expr<ast::IndexExpr>(where, value, position, positions(c));
}

Builder::Exprs Builder::positions(Grammar::SuffixContext* c) {
    ExprList items;
    for (auto* each : c->more) items.push_back(expression(each));
    return copy(items);
}

const ast::Expr* Builder::prefixed(const Token* prefix, const ast::Expr* value) {
    const auto where = range(prefix).to(value->range);
    switch (prefix->getType()) {
        case Grammar::BANG: return expr<ast::UnaryExpr>(where, ast::UnaryOp::Not, value);
        case Grammar::MINUS: return expr<ast::UnaryExpr>(where, ast::UnaryOp::Minus, value);
        case Grammar::TILDE: return expr<ast::UnaryExpr>(where, ast::UnaryOp::Complement, value);
        default: return increment(where, prefix, true, value);
    }
}

const ast::Expr* Builder::increment(SourceRange where, const Token* op, bool prefix,
                                    const ast::Expr* target) {
    if (!isPlace(target)) {
        report(Diag::NotAssignable, target->range);
        return errorExpr(where);
    }
    return expr<ast::IncrementExpr>(where, op->getType() == Grammar::MINUS_MINUS, prefix, target);
}

const ast::Expr* Builder::initialiser(Grammar::InitialiserContext* c) {
    if (!c || c->exception) return errorExpr(range(c));
    if (c->value) return expression(c->value);
    Levels levels(*this, 1, c->start);
    if (!levels.fits) return errorExpr(range(c));
    ExprList items;
    items.reserve(c->items.size());
    for (auto* item : c->items) items.push_back(initialiser(item));
    return expr<ast::ArrayLiteral>(range(c), Exprs(copy(items)));
}

/// Arguments of anything but a stream: values by position.
Builder::Exprs Builder::values(Grammar::ArgumentsContext* c) {
    ExprList items;
    items.reserve(c->items.size());
    for (auto* argument : c->items) {
        if (argument->right) {
            reportUnexpected(argument->equals, "only streams take arguments by name");
        } else if (!argument->left->value && !argument->left->exception) {
            reportUnexpected(argument->start, "only streams take array literals as arguments");
        }
        items.push_back(initialiser(argument->left));
    }
    return copy(items);
}

std::span<const ast::Argument> Builder::creatorArguments(Grammar::ArgumentsContext* c) {
    std::vector<ast::Argument> items;
    bool named = false;
    for (auto* argument : c->items) {
        if (argument->right) {
            named = true;
            items.push_back({argumentName(argument), initialiser(argument->right)});
            continue;
        }
        if (named) report(Diag::PositionalAfterNamed, range(argument));
        items.push_back({{}, initialiser(argument->left)});
    }
    return copy(items);
}

/// The name before `=`; an argument without a usable one counts as positional.
ast::Ident Builder::argumentName(Grammar::ArgumentContext* c) {
    auto* value = c->left->value;
    if (value && value->links.empty() && !value->exception) {
        auto* only = value->first;
        const bool bare = only->prefixes.empty() && only->suffixes.empty() && !only->exception;
        if (bare && only->name && !only->call) return ident(only->name);
    }
    report(Diag::ExpectedToken, range(c->left)) << "a name" << "'='";
    return {};
}

}  // namespace strc::parser
