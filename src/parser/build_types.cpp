// Types, and variables with their initial values.

#include "parser/detail/build_types.h"

#include <vector>

#include <fmt/format.h>

#include "parser/detail/build_expressions.h"

namespace strc::parser {

using base::Diag;
using base::SourceRange;

namespace {

/// A length in brackets, and the place of the brackets.
struct Bound {
    const ast::Expr* value;
    SourceRange range;
};

ast::Primitive primitiveOf(const Token* token) {
    using enum ast::Primitive;
    switch (token->getType()) {
        case Grammar::VOID: return Void;
        case Grammar::BOOLEAN: return Boolean;
        case Grammar::BIT: return Bit;
        case Grammar::INT: return Int;
        case Grammar::FLOAT: return Float;
        case Grammar::DOUBLE: return Double;
        case Grammar::COMPLEX: return Complex;
        case Grammar::FLOAT2: return Float2;
        case Grammar::FLOAT3: return Float3;
        case Grammar::FLOAT4: return Float4;
        default: break;
    }
    STRC_ASSERT(false, "not a primitive type");
    return Void;
}

const ast::TypeExpr* typeNode(Builder& b, ast::TypeExpr node) {
    node.id = b.nextId();
    return b.context.arena.make<ast::TypeExpr>(node);
}

const ast::TypeExpr* errorType(Builder& b, SourceRange where) {
    ast::TypeExpr node{};
    node.kind = ast::TypeExprKind::Error;
    node.range = where;
    return typeNode(b, node);
}

/// `String` is no keyword, but no struct either.
const ast::TypeExpr* namedType(Builder& b, const Token* token) {
    ast::TypeExpr node{};
    node.range = b.range(token);
    if (b.text(token) == "String") {
        node.kind = ast::TypeExprKind::Primitive;
        node.primitive = ast::Primitive::String;
    } else {
        node.kind = ast::TypeExprKind::Named;
        node.name = b.ident(token);
    }
    return typeNode(b, node);
}

/// The leftmost bound is the outermost. Inner arrays have no text of their own: all have the range
/// of the whole.
const ast::TypeExpr* arrayType(Builder& b, const ast::TypeExpr* item,
                               const std::vector<Bound>& bounds) {
    if (bounds.empty()) return item;
    const auto whole = item->range.to(bounds.back().range);
    for (std::size_t i = bounds.size(); i-- > 0;) {
        ast::TypeExpr node{};
        node.kind = ast::TypeExprKind::Array;
        node.range = whole;
        node.element = item;
        node.bound = bounds[i].value;
        item = typeNode(b, node);
    }
    return item;
}

const ast::Expr* boundValue(Builder& b, Grammar::ExpressionContext* value, SourceRange brackets) {
    if (value) return expression(b, value);
    b.report(Diag::MissingArrayBound, brackets);
    return nullptr;
}

}  // namespace

const ast::TypeExpr* primitiveType(Builder& b, const Token* token) {
    ast::TypeExpr node{};
    node.kind = ast::TypeExprKind::Primitive;
    node.range = b.range(token);
    node.primitive = primitiveOf(token);
    return typeNode(b, node);
}

namespace {

const ast::TypeExpr* bounded(Builder& b, const ast::TypeExpr* item,
                             const std::vector<Grammar::BoundContext*>& bounds) {
    if (bounds.empty()) return item;
    Levels levels(b, bounds.size(), bounds[0]->start);
    if (!levels.fits) return errorType(b, item->range);
    std::vector<Bound> values;
    for (auto* bound : bounds) {
        const auto brackets = b.range(bound);
        if (!bound->more.empty()) b.report(Diag::ListInBrackets, brackets) << "bounds";
        values.push_back({boundValue(b, bound->value, brackets), brackets});
    }
    return arrayType(b, item, values);
}

/// The shape `[2, _]`: as the bounds of an array, none where a dimension is left open.
const ast::TypeExpr* shaped(Builder& b, const ast::TypeExpr* tensor, Grammar::BoundContext* shape) {
    Levels levels(b, shape->more.size() + 1, shape->start);
    if (!levels.fits) return errorType(b, tensor->range);
    std::vector<Bound> values;
    auto add = [&](const ast::Expr* value) {
        const auto* name = ast::tryAs<ast::NameRef>(value);
        values.push_back({name && name->name.text() == "_" ? nullptr : value, b.range(shape)});
    };
    add(boundValue(b, shape->value, b.range(shape)));
    for (auto* each : shape->more) add(expression(b, each));
    return arrayType(b, tensor, values);
}

}  // namespace

/// `tensor<float>`, or what looks like it.
const ast::TypeExpr* generic(Builder& b, const Token* name, Grammar::TypeContext* argument,
                             const Token* close,
                             const std::vector<Grammar::BoundContext*>& bounds) {
    if (b.text(name) != "tensor") {
        b.report(Diag::UnexpectedTypeArgument, b.range(argument)) << b.text(name);
        return errorType(b, b.range(name, close));
    }
    ast::TypeExpr node{};
    node.kind = ast::TypeExprKind::Tensor;
    node.range = b.range(name, close);
    node.element = type(b, argument);
    if (bounds.size() > 1) {
        b.report(Diag::TensorPlace, b.range(bounds[1])) << "an element of an array";
        return errorType(b, node.range);
    }
    node.hasNoDimensions = bounds.size() == 1 && !bounds[0]->value && bounds[0]->more.empty();
    if (node.hasNoDimensions) node.range = b.range(name, bounds[0]->close);
    const auto* tensor = typeNode(b, node);
    if (bounds.empty() || node.hasNoDimensions) return tensor;
    return shaped(b, tensor, bounds[0]);
}

const ast::TypeExpr* type(Builder& b, Grammar::TypeContext* c) {
    if (c->builtin) return type(b, c->builtin);
    if (c->typeArgument) return generic(b, c->name, c->typeArgument, c->close, c->bounds);
    return bounded(b, namedType(b, c->name), c->bounds);
}

const ast::TypeExpr* type(Builder& b, Grammar::BuiltinTypeContext* c) {
    if (c->isVoid) return primitiveType(b, c->isVoid);
    if (c->primitive) return bounded(b, primitiveType(b, c->primitive->start), c->bounds);
    ast::TypeExpr node{};
    node.kind = ast::TypeExprKind::Portal;
    node.range = b.range(c->portal, c->close);
    node.name = b.ident(c->name);
    return typeNode(b, node);
}

/// The type in `Foo[3] a;`, which was read like `foo[3] = 1;`. Null if it is no type: then a `;` was
/// forgotten, as in `f() x = 1;`.
const ast::TypeExpr* type(Builder& b, Grammar::PlaceContext* c) {
    std::vector<Bound> bounds;
    bool good = c->name && !c->call;
    for (auto* s : c->suffixes) good = good && s->close && !s->star && !s->colon && s->more.empty();
    if (!good) return nullptr;
    Levels levels(b, c->suffixes.size(), c->start);
    if (!levels.fits) return errorType(b, b.range(c));
    for (auto* s : c->suffixes) {
        const auto brackets = b.range(s);
        bounds.push_back({boundValue(b, s->low, brackets), brackets});
    }
    return arrayType(b, namedType(b, c->name), bounds);
}

ast::Declarator declarator(Builder& b, const Token* name, Grammar::InitialiserContext* value) {
    return {b.nextId(), b.ident(name), value ? initialiser(b, value) : nullptr};
}

std::span<const ast::Declarator> declarators(Builder& b,
                                             const std::vector<Grammar::DeclaratorContext*>& list) {
    std::vector<ast::Declarator> items;
    items.reserve(list.size());
    for (auto* item : list) items.push_back(declarator(b, item->name, item->value));
    return b.copy(items);
}

}  // namespace strc::parser
