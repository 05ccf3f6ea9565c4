// Expressions of bodies.

#include "dsl/detail/body.h"
#include "dsl/detail/shapes.h"

namespace strc::dsl {

using base::SourceRange;

namespace {

constexpr ast::BinaryOp kBinary[] = {
    ast::BinaryOp::Or,        ast::BinaryOp::And,          ast::BinaryOp::BitOr,
    ast::BinaryOp::BitAnd,    ast::BinaryOp::BitXor,       ast::BinaryOp::Equal,
    ast::BinaryOp::NotEqual,  ast::BinaryOp::Less,         ast::BinaryOp::LessEqual,
    ast::BinaryOp::Greater,   ast::BinaryOp::GreaterEqual, ast::BinaryOp::Add,
    ast::BinaryOp::Subtract,  ast::BinaryOp::Multiply,     ast::BinaryOp::Divide,
    ast::BinaryOp::Remainder, ast::BinaryOp::ShiftLeft,    ast::BinaryOp::ShiftRight,
};

ast::BinaryOp binaryOf(std::string_view name) {
    for (const ast::BinaryOp op : kBinary)
        if (ast::spelling(op) == name) return op;
    return ast::BinaryOp::Add;
}

ast::UnaryOp unaryOf(std::string_view name) {
    for (const ast::UnaryOp op : {ast::UnaryOp::Not, ast::UnaryOp::Complement})
        if (ast::spelling(op) == name) return op;
    return ast::UnaryOp::Minus;
}

}  // namespace

/// A value or a variable, by its name. Whoever is not visible belongs to another body.
const ast::Expr* Body::used(NodeNumber number, SourceRange where) {
    if (const auto found = inlined.find(number); found != inlined.end()) {
        const ast::Expr* expr = found->second.expr;
        inlined.erase(found);
        return expr;
    }
    if (const auto found = visible.find(number); found != visible.end())
        return m.name(found->second, where);
    if (frame)
        for (const Pending& each : frame->pending)
            if (each.value == number) return m.name(declare(number), where);
    const SourceRange there = m.places.rangeOf(number, where);
    m.context.diags.add(base::Diag::StagedElsewhere, where).note(base::Diag::Hint, there)
        << "it was recorded here";
    return m.expr<ast::ErrorExpr>(where);
}

std::span<const ast::Expr* const> Body::expressions(std::span<const NodeNumber> list,
                                                    SourceRange where) {
    std::vector<const ast::Expr*> made;
    for (const NodeNumber each : list) made.push_back(expression(each, where));
    return m.copy(made);
}

const ast::Expr* Body::called(const Node& node, SourceRange where) {
    const std::span<const NodeNumber> args = std::span(node.children).subspan(1);
    const Node& callee = m.tree[node.children[0]];
    if (callee.kind == STRC_NODE_NATIVE)
        return m.expr<ast::PackageCallExpr>(where, m.givenName(callee.text, where),
                                            m.givenName(callee.name, where),
                                            expressions(args, where));
    const auto found = visible.find(node.children[0]);
    if (found == visible.end()) {
        m.context.diags.add(base::Diag::StagedElsewhere, where)
                .note(base::Diag::Hint, m.places.rangeOf(node.children[0], where))
            << "it was recorded here";
        return m.expr<ast::ErrorExpr>(where);
    }
    return m.expr<ast::CallExpr>(where, m.ident(found->second, where), expressions(args, where));
}

const ast::Expr* Body::operation(NodeNumber number, SourceRange where) {
    const Node& node = m.tree[number];
    auto child = [&](std::size_t k) { return expression(node.children[k], where); };
    switch (node.kind) {
        case STRC_NODE_UNARY: return m.expr<ast::UnaryExpr>(where, unaryOf(node.name), child(0));
        case STRC_NODE_BINARY: {
            const ast::Expr* left = child(0);
            return m.expr<ast::BinaryExpr>(where, binaryOf(node.name), where, left, child(1));
        }
        case STRC_NODE_CONDITIONAL: {
            const ast::Expr* condition = child(0);
            const ast::Expr* first = child(1);
            return m.expr<ast::ConditionalExpr>(where, condition, first, child(2));
        }
        case STRC_NODE_CAST:
            return m.expr<ast::CastExpr>(where, m.type(node.children[0], *around.bindings, where),
                                         child(1));
        case STRC_NODE_MEMBER: {
            const ast::Expr* object = child(0);
            return m.expr<ast::MemberExpr>(where, object, m.givenName(node.name, where));
        }
        case STRC_NODE_INDEX: {
            const ast::Expr* object = child(0);
            const ast::Expr* first = child(1);
            return m.expr<ast::IndexExpr>(where, object, first,
                                          expressions(std::span(node.children).subspan(2), where));
        }
        case STRC_NODE_BUILTIN:
            return m.expr<ast::CallExpr>(where, m.ident(node.name, where),
                                         expressions(node.children, where));
        case STRC_NODE_CALL: return called(node, where);
        case STRC_NODE_POP: return m.expr<ast::PopExpr>(where);
        case STRC_NODE_PEEK: return m.expr<ast::PeekExpr>(where, child(0));
        case STRC_NODE_ITER: return m.expr<ast::IterExpr>(where);
        default: return m.literal(number, *around.bindings, where);
    }
}

const ast::Expr* Body::expression(NodeNumber number, SourceRange outside) {
    const Node& node = m.tree[number];
    if (node.kind == STRC_NODE_VALUE || node.kind == STRC_NODE_VARIABLE)
        return used(number, outside);
    return operation(number, m.places.rangeOf(number, outside));
}

}  // namespace strc::dsl
