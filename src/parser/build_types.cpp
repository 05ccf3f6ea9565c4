// Types, and variables with their initial values.

#include <fmt/format.h>

#include "parser/detail/builder.h"

namespace strc::parser {

using base::Diag;
using base::SourceRange;

namespace {

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

}  // namespace

const ast::TypeExpr* Builder::typeNode(ast::TypeExpr node) {
    node.id = nextId();
    return context.arena.make<ast::TypeExpr>(node);
}

const ast::TypeExpr* Builder::primitiveType(const Token* token) {
    ast::TypeExpr node{};
    node.kind = ast::TypeExprKind::Primitive;
    node.range = range(token);
    node.primitive = primitiveOf(token);
    return typeNode(node);
}

/// `String` is no keyword, but no struct either.
const ast::TypeExpr* Builder::namedType(const Token* token) {
    ast::TypeExpr node{};
    node.range = range(token);
    if (text(token) == "String") {
        node.kind = ast::TypeExprKind::Primitive;
        node.primitive = ast::Primitive::String;
    } else {
        node.kind = ast::TypeExprKind::Named;
        node.name = ident(token);
    }
    return typeNode(node);
}

/// The leftmost bound is the outermost. Inner arrays have no text of their own: all have the range
/// of the whole.
const ast::TypeExpr* Builder::arrayType(const ast::TypeExpr* item,
                                        const std::vector<Bound>& bounds) {
    if (bounds.empty()) return item;
    const auto whole = item->range.to(bounds.back().range);
    for (std::size_t i = bounds.size(); i-- > 0;) {
        ast::TypeExpr node{};
        node.kind = ast::TypeExprKind::Array;
        node.range = whole;
        node.element = item;
        node.bound = bounds[i].value;
        item = typeNode(node);
    }
    return item;
}

const ast::Expr* Builder::boundValue(Grammar::ExpressionContext* value, SourceRange brackets) {
    if (value) return expression(value);
    report(Diag::MissingArrayBound, brackets);
    return nullptr;
}

const ast::TypeExpr* Builder::bounded(const ast::TypeExpr* item,
                                      const std::vector<Grammar::BoundContext*>& bounds) {
    if (bounds.empty()) return item;
    Levels levels(*this, bounds.size(), bounds[0]->start);
    if (!levels.fits) return errorType(item->range);
    std::vector<Bound> values;
    for (auto* bound : bounds) {
        const auto brackets = range(bound);
        if (!bound->more.empty()) report(Diag::ListInBrackets, brackets) << "bounds";
        values.push_back({boundValue(bound->value, brackets), brackets});
    }
    return arrayType(item, values);
}

/// `tensor<float>`, or what looks like it.
const ast::TypeExpr* Builder::generic(const Token* name, Grammar::TypeContext* argument,
                                      const Token* close,
                                      const std::vector<Grammar::BoundContext*>& bounds) {
    if (text(name) != "tensor") {
        report(Diag::UnexpectedTypeArgument, range(argument)) << text(name);
        return errorType(range(name, close));
    }
    ast::TypeExpr node{};
    node.kind = ast::TypeExprKind::Tensor;
    node.range = range(name, close);
    node.element = type(argument);
    if (bounds.size() > 1) {
        report(Diag::TensorPlace, range(bounds[1])) << "an element of an array";
        return errorType(node.range);
    }
    node.hasNoDimensions = bounds.size() == 1 && !bounds[0]->value && bounds[0]->more.empty();
    if (node.hasNoDimensions) node.range = range(name, bounds[0]->close);
    const auto* tensor = typeNode(node);
    if (bounds.empty() || node.hasNoDimensions) return tensor;
    return shaped(tensor, bounds[0]);
}

/// The shape `[2, _]`: as the bounds of an array, none where a dimension is left open.
const ast::TypeExpr* Builder::shaped(const ast::TypeExpr* tensor, Grammar::BoundContext* shape) {
    Levels levels(*this, shape->more.size() + 1, shape->start);
    if (!levels.fits) return errorType(tensor->range);
    std::vector<Bound> values;
    auto add = [&](const ast::Expr* value) {
        const auto* name = ast::tryAs<ast::NameRef>(value);
        values.push_back({name && name->name.text() == "_" ? nullptr : value, range(shape)});
    };
    add(boundValue(shape->value, range(shape)));
    for (auto* each : shape->more) add(expression(each));
    return arrayType(tensor, values);
}

const ast::TypeExpr* Builder::errorType(SourceRange where) {
    ast::TypeExpr node{};
    node.kind = ast::TypeExprKind::Error;
    node.range = where;
    return typeNode(node);
}

const ast::TypeExpr* Builder::type(Grammar::TypeContext* c) {
    if (c->builtin) return type(c->builtin);
    if (c->typeArgument) return generic(c->name, c->typeArgument, c->close, c->bounds);
    return bounded(namedType(c->name), c->bounds);
}

const ast::TypeExpr* Builder::type(Grammar::BuiltinTypeContext* c) {
    if (c->isVoid) return primitiveType(c->isVoid);
    if (c->primitive) return bounded(primitiveType(c->primitive->start), c->bounds);
    ast::TypeExpr node{};
    node.kind = ast::TypeExprKind::Portal;
    node.range = range(c->portal, c->close);
    node.name = ident(c->name);
    return typeNode(node);
}

/// The type in `Foo[3] a;`, which was read like `foo[3] = 1;`. Null if it is no type: then a `;` was
/// forgotten, as in `f() x = 1;`.
const ast::TypeExpr* Builder::type(Grammar::PlaceContext* c) {
    std::vector<Bound> bounds;
    bool good = c->name && !c->call;
    for (auto* s : c->suffixes) good = good && s->close && !s->star && !s->colon && s->more.empty();
    if (!good) return nullptr;
    Levels levels(*this, c->suffixes.size(), c->start);
    if (!levels.fits) return errorType(range(c));
    for (auto* s : c->suffixes) {
        const auto brackets = range(s);
        bounds.push_back({boundValue(s->low, brackets), brackets});
    }
    return arrayType(namedType(c->name), bounds);
}

ast::Declarator Builder::declarator(const Token* name, Grammar::InitialiserContext* value) {
    return {nextId(), ident(name), value ? initialiser(value) : nullptr};
}

std::span<const ast::Declarator> Builder::declarators(
    const std::vector<Grammar::DeclaratorContext*>& list) {
    std::vector<ast::Declarator> items;
    items.reserve(list.size());
    for (auto* item : list) items.push_back(declarator(item->name, item->value));
    return copy(items);
}

}  // namespace strc::parser
