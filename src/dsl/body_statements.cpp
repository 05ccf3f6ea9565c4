// Statements of bodies.

#include "ast/spelling.h"
#include "dsl/detail/body.h"
#include "dsl/detail/shapes.h"

namespace strc::dsl {

using base::SourceRange;

namespace {

constexpr ast::AssignOp kAssignments[] = {
    ast::AssignOp::Plain,      ast::AssignOp::Add,       ast::AssignOp::Subtract,
    ast::AssignOp::Multiply,   ast::AssignOp::Divide,    ast::AssignOp::ShiftLeft,
    ast::AssignOp::ShiftRight, ast::AssignOp::Remainder, ast::AssignOp::And,
    ast::AssignOp::Or,         ast::AssignOp::Xor,
};

ast::AssignOp assignmentOf(std::string_view name) {
    for (const ast::AssignOp op : kAssignments)
        if (ast::spelling(op) == name) return op;
    return ast::AssignOp::Plain;
}

ast::BinaryOp comparisonOf(std::string_view name) {
    if (name == ">") return ast::BinaryOp::Greater;
    if (name == ">=") return ast::BinaryOp::GreaterEqual;
    if (name == "<=") return ast::BinaryOp::LessEqual;
    return ast::BinaryOp::Less;
}

/// What a value is called that has no name.
std::string_view wishFor(const Tree& tree, NodeNumber node) {
    if (tree[node].hasName) return tree[node].name;
    const Node& type = tree[tree[node].children[0]];
    if (type.kind == STRC_NODE_TENSOR_TYPE || type.name == "tensor") return "t";
    if (type.kind == STRC_NODE_ARRAY_TYPE) return "items";
    if (type.kind == STRC_NODE_STRUCT) return "item";
    if (type.name == "int") return "n";
    if (type.name == "boolean") return "is";
    if (type.name == "bit") return "b";
    return type.name == "complex" ? "z" : "x";
}

}  // namespace

const std::string& Body::declare(NodeNumber node) {
    const auto [found, isNew] = visible.try_emplace(node);
    if (isNew) {
        Names& scope = frame ? frame->names : names;
        found->second = scope.take(wishFor(m.tree, node));
        if (frame) frame->declared.push_back(node);
    }
    return found->second;
}

const ast::Stmt* Body::local(NodeNumber node, std::string_view name, const ast::Expr* value,
                             SourceRange where) {
    const std::vector<ast::Declarator> one{{m.nextId(), m.ident(name, where), value}};
    return m.stmt<ast::VariablesStmt>(where,
                                      m.type(m.tree[node].children[0], *around.bindings, where),
                                      std::span<const ast::Declarator>(m.copy(one)));
}

std::span<const ast::Parameter> Body::parameters(std::span<const NodeNumber> variables,
                                                 SourceRange outside) {
    std::vector<ast::Parameter> made;
    for (const NodeNumber variable : variables) {
        const SourceRange where = m.places.rangeOf(variable, outside);
        made.push_back(m.parameter(m.type(m.tree[variable].children[0], *around.bindings, where),
                                   declare(variable), where));
    }
    return m.copy(made);
}

const ast::BlockStmt* Body::whole(NodeNumber node, SourceRange where) {
    count(node, false);
    return block(node, where);
}

const ast::BlockStmt* Body::block(NodeNumber node, SourceRange outside) {
    const SourceRange where = m.places.rangeOf(node, outside);
    Frame* around = frame;
    Frame own(around ? &around->names : &names);
    frame = &own;
    statements(node, where);
    flush();
    frame = around;
    for (const NodeNumber gone : own.declared) visible.erase(gone);
    return m.block(own.statements, where);
}

/// What has no place is where the statement before it is.
void Body::statements(NodeNumber node, SourceRange where) {
    for (const NodeNumber each : m.tree[node].children) {
        where = m.places.rangeOf(each, where);
        statement(each, where);
    }
}

void Body::assign(const Node& node, SourceRange where) {
    fold({node.children[0], node.children[1]});
    const ast::Expr* target = expression(node.children[0], where);
    const ast::Expr* value = expression(node.children[1], where);
    flush();
    add(m.stmt<ast::AssignStmt>(where, assignmentOf(node.name), where, target, value));
}

/// Variables that nobody reads or writes are left out.
void Body::variable(NodeNumber number, SourceRange where) {
    const Node& node = m.tree[number];
    const ast::Expr* value = nullptr;
    const bool hasValue =
        node.children.size() > 1 && m.tree[node.children[1]].kind != STRC_NODE_NOTHING;
    if (hasValue) {
        fold({node.children[1]});
        const Effects effects = effectsOf(node.children[1]);
        value = expression(node.children[1], where);
        flush();
        if (uses[number] == 0 && effects.isPure()) return;
    } else if (uses[number] == 0) {
        return;
    }
    add(local(number, declare(number), value, where));
}

void Body::evaluate(NodeNumber expr, SourceRange where) {
    fold({expr});
    const ast::Expr* value = expression(expr, where);
    flush();
    add(m.stmt<ast::ExpressionStmt>(where, value));
}

void Body::choice(const Node& node, SourceRange where) {
    fold({node.children[0]});
    const ast::Expr* condition = expression(node.children[0], where);
    flush();
    const ast::Stmt* first = block(node.children[1], where);
    const ast::Stmt* second = nullptr;
    if (node.children.size() > 2 && m.tree[node.children[2]].kind == STRC_NODE_BLOCK) {
        const ast::BlockStmt* otherwise = block(node.children[2], where);
        second = otherwise;
        const bool isLink = otherwise->statements.size() == 1 &&
                            otherwise->statements[0]->kind == ast::StmtKind::If;
        if (isLink) second = otherwise->statements[0];
    }
    add(m.stmt<ast::IfStmt>(where, condition, first, second));
}

/// A condition that takes statements to compute ends the loop from inside.
void Body::whileLoop(const Node& node, SourceRange where) {
    flush();
    Frame* around = frame;
    Frame own(&around->names);
    frame = &own;
    statements(node.children[0], where);
    fold({node.children[1]});
    const ast::Expr* condition = expression(node.children[1], where);
    flush();
    const ast::BlockStmt* body = nullptr;
    if (own.statements.empty()) {
        body = block(node.children[2], where);
    } else {
        const ast::Expr* isOver = m.expr<ast::UnaryExpr>(where, ast::UnaryOp::Not, condition);
        const ast::Stmt* leave = m.stmt<ast::BreakStmt>(where);
        add(m.stmt<ast::IfStmt>(where, isOver, leave, static_cast<const ast::Stmt*>(nullptr)));
        add(block(node.children[2], where));
        body = m.block(own.statements, where);
        condition = m.expr<ast::BooleanLiteral>(where, true);
    }
    frame = around;
    for (const NodeNumber gone : own.declared) visible.erase(gone);
    add(m.stmt<ast::WhileStmt>(where, condition, body));
}

void Body::forLoop(const Node& node, SourceRange where) {
    const NodeNumber counter = node.children[0];
    const NodeNumber begin = m.tree[counter].children.back();
    fold({begin});
    const ast::Expr* first = expression(begin, where);
    const ast::Expr* limit = expression(node.children[1], where);
    const ast::Expr* step = expression(node.children[2], where);
    flush();
    Frame* around = frame;
    Frame own(&around->names);
    frame = &own;
    const std::string& name = declare(counter);
    const ast::Stmt* init = local(counter, name, first, where);
    const ast::Expr* condition =
        m.expr<ast::BinaryExpr>(where, comparisonOf(node.name), where, m.name(name, where), limit);
    const ast::Expr* target = m.name(name, where);
    const auto* literal = ast::tryAs<ast::IntLiteral>(step);
    const ast::Stmt* next = nullptr;
    if (literal && literal->value == 1)
        next = m.stmt<ast::ExpressionStmt>(where,
                                           m.expr<ast::IncrementExpr>(where, false, false, target));
    else
        next = m.stmt<ast::AssignStmt>(where, ast::AssignOp::Add, where, target, step);
    const ast::BlockStmt* body = block(node.children[3], where);
    frame = around;
    for (const NodeNumber gone : own.declared) visible.erase(gone);
    add(m.stmt<ast::ForStmt>(where, init, condition, next, body));
}

void Body::send(const Node& node, SourceRange where) {
    const std::span<const NodeNumber> args = std::span(node.children).subspan(3);
    foldAll(args);
    auto* made = m.stmt<ast::MessageStmt>(where);
    const auto portal = around.bindings->find(node.children[0]);
    if (portal == around.bindings->end()) return;  // nobody receives, which has been reported
    made->portal = m.ident(portal->second, where);
    made->handler = m.givenName(node.name, where);
    made->args = expressions(args, where);
    made->hasLatency = true;
    made->latencyRange = where;
    auto latency = [&](NodeNumber bound) {
        return m.tree[bound].kind == STRC_NODE_NOTHING ? nullptr : expression(bound, where);
    };
    made->minLatency = latency(node.children[1]);
    made->maxLatency = latency(node.children[2]);
    made->bestEffort = !made->minLatency && !made->maxLatency;
    flush();
    add(made);
}

void Body::statement(NodeNumber number, SourceRange outside) {
    const Node& node = m.tree[number];
    const SourceRange where = m.places.rangeOf(number, outside);
    switch (node.kind) {
        case STRC_NODE_VALUE: return value(number, where);
        case STRC_NODE_VARIABLE: return variable(number, where);
        case STRC_NODE_EVALUATE: return evaluate(node.children[0], where);
        case STRC_NODE_ASSIGN: return assign(node, where);
        case STRC_NODE_IF: return choice(node, where);
        case STRC_NODE_WHILE: return whileLoop(node, where);
        case STRC_NODE_FOR: return forLoop(node, where);
        case STRC_NODE_SEND: return send(node, where);
        case STRC_NODE_BLOCK: flush(); return add(block(number, where));
        case STRC_NODE_PUSH: {
            fold({node.children[0]});
            const ast::Expr* item = expression(node.children[0], where);
            flush();
            return add(m.stmt<ast::PushStmt>(where, item));
        }
        case STRC_NODE_RETURN: {
            const ast::Expr* result = nullptr;
            if (!node.children.empty()) {
                fold({node.children[0]});
                result = expression(node.children[0], where);
            }
            flush();
            return add(m.stmt<ast::ReturnStmt>(where, result));
        }
        case STRC_NODE_BREAK: flush(); return add(m.stmt<ast::BreakStmt>(where));
        default: flush(); return add(m.stmt<ast::ContinueStmt>(where));
    }
}

}  // namespace strc::dsl
