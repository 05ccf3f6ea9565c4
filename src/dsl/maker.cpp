#include "dsl/detail/maker.h"

#include <cctype>
#include <cmath>

#include "dsl/detail/form.h"

namespace strc::dsl {

using base::SourceRange;

namespace {

struct PrimitiveName {
    std::string_view name;
    ast::Primitive primitive;
};
constexpr PrimitiveName kPrimitives[] = {
    {"void", ast::Primitive::Void},       {"boolean", ast::Primitive::Boolean},
    {"bit", ast::Primitive::Bit},         {"int", ast::Primitive::Int},
    {"float", ast::Primitive::Float},     {"double", ast::Primitive::Double},
    {"complex", ast::Primitive::Complex}, {"float2", ast::Primitive::Float2},
    {"float3", ast::Primitive::Float3},   {"float4", ast::Primitive::Float4},
    {"String", ast::Primitive::String},
};

}  // namespace

bool isName(std::string_view name) {
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return false;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return false;
    return !isWord(name);
}

ast::Ident Maker::givenName(std::string_view name, SourceRange where) {
    if (!isName(name)) context.diags.add(base::Diag::KeywordAsName, where) << name;
    return ident(name, where);
}

std::string_view Maker::keep(std::string_view text) {
    const std::vector<char> bytes(text.begin(), text.end());
    const std::span<const char> kept = copy(bytes);
    return {kept.data(), kept.size()};
}

/// What is no number is computed: it has no literal.
const ast::Expr* Maker::real(float value, SourceRange where) {
    if (std::isnan(value))
        return expr<ast::BinaryExpr>(where, ast::BinaryOp::Divide, where, real(0, where),
                                     real(0, where));
    const auto* size = expr<ast::RealLiteral>(where, std::fabs(value), false);
    if (!std::signbit(value)) return size;
    return expr<ast::UnaryExpr>(where, ast::UnaryOp::Minus, size);
}

const ast::Expr* Maker::imaginary(float value, SourceRange where) {
    const auto* size = expr<ast::ImaginaryLiteral>(where, std::fabs(value));
    if (!std::signbit(value)) return size;
    return expr<ast::UnaryExpr>(where, ast::UnaryOp::Minus, size);
}

const ast::Expr* Maker::integer(std::int64_t value, SourceRange where) {
    const auto small = static_cast<std::int32_t>(value);
    if (small >= 0 || small == INT32_MIN) return expr<ast::IntLiteral>(where, small);
    return expr<ast::UnaryExpr>(where, ast::UnaryOp::Minus, expr<ast::IntLiteral>(where, -small));
}

const ast::Expr* Maker::literal(NodeNumber number, const Bindings& bindings, SourceRange around) {
    const Node& node = tree[number];
    const SourceRange where = places.rangeOf(number, around);
    if (const auto bound = bindings.find(number); bound != bindings.end())
        return name(bound->second, where);
    switch (node.kind) {
        case STRC_NODE_INT: return integer(node.integer, where);
        case STRC_NODE_REAL: return real(static_cast<float>(node.number), where);
        case STRC_NODE_BOOLEAN: return expr<ast::BooleanLiteral>(where, node.integer != 0);
        case STRC_NODE_IMAGINARY: return imaginary(static_cast<float>(node.number), where);
        case STRC_NODE_STRING: return expr<ast::StringLiteral>(where, keep(node.text));
        default: break;
    }
    std::vector<const ast::Expr*> items;
    items.reserve(node.children.size());
    for (const NodeNumber child : node.children) items.push_back(literal(child, bindings, where));
    return expr<ast::ArrayLiteral>(where, copy(items));
}

const ast::TypeExpr* Maker::primitive(ast::Primitive kind, SourceRange where) {
    ast::TypeExpr made{};
    made.kind = ast::TypeExprKind::Primitive;
    made.id = nextId();
    made.range = where;
    made.primitive = kind;
    return context.arena.make<ast::TypeExpr>(made);
}

const ast::TypeExpr* Maker::array(const ast::TypeExpr* element, const ast::Expr* bound,
                                  SourceRange where) {
    ast::TypeExpr made{};
    made.kind = ast::TypeExprKind::Array;
    made.id = nextId();
    made.range = where;
    made.element = element;
    made.bound = bound;
    return context.arena.make<ast::TypeExpr>(made);
}

const ast::TypeExpr* Maker::type(NodeNumber number, const Bindings& bindings, SourceRange around) {
    const Node& node = tree[number];
    const SourceRange where = places.rangeOf(number, around);
    ast::TypeExpr made{};
    made.id = nextId();
    made.range = where;
    if (node.kind == STRC_NODE_ARRAY_TYPE)
        return array(type(node.children[0], bindings, where),
                     literal(node.children[1], bindings, where), where);
    if (node.kind == STRC_NODE_TENSOR_TYPE) {
        made.kind = ast::TypeExprKind::Tensor;
        made.element = type(node.children[0], bindings, where);
        made.hasNoDimensions = node.children.size() == 1 && node.integer != 0;
        const ast::TypeExpr* whole = context.arena.make<ast::TypeExpr>(made);
        for (std::size_t k = node.children.size(); k-- > 1;)
            whole = array(whole, literal(node.children[k], bindings, where), where);
        return whole;
    }
    if (node.kind == STRC_NODE_STRUCT) {
        made.kind = ast::TypeExprKind::Named;
        made.name = ident(structs.at(number), where);
        return context.arena.make<ast::TypeExpr>(made);
    }
    for (const PrimitiveName& known : kPrimitives)
        if (node.name == known.name) return primitive(known.primitive, where);
    made.kind = ast::TypeExprKind::Named;
    made.name = ident(node.name, where);  // `tensor`, or what is unknown
    return context.arena.make<ast::TypeExpr>(made);
}

const ast::TypeExpr* Maker::typeOf(NodeNumber constant, std::string_view receiver,
                                   SourceRange where) {
    if (tree[constant].kind == STRC_NODE_PORTAL) {
        ast::TypeExpr made{};
        made.kind = ast::TypeExprKind::Portal;
        made.id = nextId();
        made.range = where;
        made.name = ident(receiver, where);
        return context.arena.make<ast::TypeExpr>(made);
    }
    ast::Primitive element = ast::Primitive::Int;
    const strc_node_kind kind = elementOf(tree, constant);
    if (kind == STRC_NODE_REAL) element = ast::Primitive::Float;
    if (kind == STRC_NODE_BOOLEAN) element = ast::Primitive::Boolean;
    const ast::TypeExpr* whole = primitive(element, where);
    if (tree[constant].kind != STRC_NODE_TABLE) return whole;
    const std::vector<std::size_t> extents = extentsOf(tree, constant);
    for (std::size_t k = extents.size(); k-- > 0;)
        whole = array(whole, integer(static_cast<std::int64_t>(extents[k]), where), where);
    return whole;
}

ast::Parameter Maker::parameter(const ast::TypeExpr* type, std::string_view name,
                                SourceRange where) {
    return {nextId(), type, ident(name, where), nullptr};
}

const ast::BlockStmt* Maker::block(const std::vector<const ast::Stmt*>& statements,
                                   SourceRange where) {
    return stmt<ast::BlockStmt>(where, copy(statements));
}

}  // namespace strc::dsl
