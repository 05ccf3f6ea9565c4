// The parts of filters.

#include "dsl/detail/streams.h"

namespace strc::dsl {

using base::SourceRange;

namespace {

class Filter {
public:
    Filter(Maker& maker, const Node& filter, const Bindings& bindings, const Names& outside)
        : m(maker), node(filter), names(&outside), around{&bindings, &names, {}} {}

    std::span<const ast::Decl* const> parts(SourceRange where) {
        declareNames();
        std::vector<const ast::Decl*> made;
        for (const NodeNumber part : children())
            if (const ast::Decl* decl = member(part, m.places.rangeOf(part, where)))
                made.push_back(decl);
        return m.copy(made);
    }

private:
    std::span<const NodeNumber> children() const { return std::span(node.children).subspan(2); }

    /// Handlers have the names by which messages are sent; fields and functions then take what is free.
    void declareNames() {
        for (const NodeNumber part : children())
            if (m.tree[part].kind == STRC_NODE_HANDLER) names.reserve(m.tree[part].name);
        for (const NodeNumber part : children()) {
            const Node& each = m.tree[part];
            if (each.kind == STRC_NODE_VARIABLE)
                around.declared[part] = names.take(each.hasName ? each.name : "field");
            if (each.kind == STRC_NODE_FUNCTION) {
                const Node& name = m.tree[each.children[0]];
                around.declared[each.children[0]] = names.take(name.hasName ? name.name : "f");
            }
        }
    }

    const ast::Decl* member(NodeNumber part, SourceRange where) {
        const Node& each = m.tree[part];
        switch (each.kind) {
            case STRC_NODE_VARIABLE: return field(part, where);
            case STRC_NODE_WORK:
            case STRC_NODE_PREWORK: return work(each, where);
            case STRC_NODE_INIT: {
                Body body(m, around);
                return m.decl<ast::InitDecl>(where, body.whole(each.children[0], where));
            }
            case STRC_NODE_FUNCTION: return function(each, where);
            case STRC_NODE_HANDLER: {
                Body body(m, around);
                const std::span<const NodeNumber> list(each.children);
                const auto params = body.parameters(list.first(list.size() - 1), where);
                return m.decl<ast::HandlerDecl>(where, m.givenName(each.name, where), params,
                                                body.whole(list.back(), where));
            }
            default:
                m.context.diags.add(base::Diag::StagedOutsideBody, where) << each.text;
                return nullptr;
        }
    }

    const ast::Decl* field(NodeNumber part, SourceRange where) {
        const Node& each = m.tree[part];
        const ast::Expr* value = nullptr;
        Body body(m, around);
        if (each.children.size() > 1 && m.tree[each.children[1]].kind != STRC_NODE_NOTHING)
            value = body.constant(each.children[1], where);
        const ast::Ident name = m.ident(around.declared.at(part), where);
        const std::vector<ast::Declarator> one{{m.nextId(), name, value}};
        const auto* variables =
            m.stmt<ast::VariablesStmt>(where, m.type(each.children[0], *around.bindings, where),
                                       std::span<const ast::Declarator>(m.copy(one)));
        return m.decl<ast::FieldsDecl>(where, variables);
    }

    std::span<const ast::RateClause> rates(const Node& owner, SourceRange where) {
        std::vector<ast::RateClause> made;
        Body body(m, around);
        for (const NodeNumber number : owner.children) {
            const Node& rate = m.tree[number];
            if (rate.kind != STRC_NODE_RATE && rate.kind != STRC_NODE_DYNAMIC_RATE) continue;
            ast::RateClause clause{};
            clause.range = m.places.rangeOf(number, where);
            clause.kind = ast::RateKind::Push;
            if (rate.name == "pop") clause.kind = ast::RateKind::Pop;
            if (rate.name == "peek") clause.kind = ast::RateKind::Peek;
            auto bound = [&](std::size_t k) {
                const bool isOpen = m.tree[rate.children[k]].kind == STRC_NODE_NOTHING;
                return isOpen ? nullptr : body.constant(rate.children[k], clause.range);
            };
            clause.dynamic = rate.kind == STRC_NODE_DYNAMIC_RATE;
            if (clause.dynamic) {
                clause.min = bound(0);
                clause.max = bound(1);
            } else {
                clause.value = bound(0);
            }
            made.push_back(clause);
        }
        return m.copy(made);
    }

    const ast::Decl* work(const Node& each, SourceRange where) {
        Body body(m, around);
        const auto clauses = rates(each, where);
        return m.decl<ast::WorkDecl>(where, each.kind == STRC_NODE_PREWORK, where, clauses,
                                     body.whole(each.children.back(), where));
    }

    const ast::Decl* function(const Node& each, SourceRange where) {
        Body body(m, around);
        std::vector<NodeNumber> variables;
        for (const NodeNumber child : each.children)
            if (m.tree[child].kind == STRC_NODE_VARIABLE) variables.push_back(child);
        const ast::TypeExpr* result = m.type(each.children[1], *around.bindings, where);
        const ast::Ident name = m.ident(around.declared.at(each.children[0]), where);
        const auto params = body.parameters(variables, where);
        const auto clauses = rates(each, where);
        return m.decl<ast::FunctionDecl>(where, result, name, params, clauses,
                                         body.whole(each.children.back(), where));
    }

    Maker& m;
    const Node& node;
    Names names;
    Surroundings around;
};

}  // namespace

std::span<const ast::Decl* const> filterParts(Maker& maker, const Node& filter,
                                              const Bindings& bindings, const Names& around,
                                              SourceRange where) {
    Filter made(maker, filter, bindings, around);
    return made.parts(where);
}

}  // namespace strc::dsl
