// Streams: their declarations, their children, and the types of their ends.

#include "dsl/detail/streams.h"

#include "dsl/detail/form.h"

namespace strc::dsl {

using base::SourceRange;

namespace {

ast::StreamKind kindOf(strc_node_kind kind) {
    switch (kind) {
        case STRC_NODE_PIPELINE: return ast::StreamKind::Pipeline;
        case STRC_NODE_SPLITJOIN: return ast::StreamKind::SplitJoin;
        case STRC_NODE_FEEDBACKLOOP: return ast::StreamKind::FeedbackLoop;
        default: return ast::StreamKind::Filter;
    }
}

/// What a stream is called that has no name.
std::string_view wishFor(const Node& node, bool isMain) {
    if (node.hasName) return node.name;
    if (isMain) return "Main";
    switch (node.kind) {
        case STRC_NODE_PIPELINE: return "Pipeline";
        case STRC_NODE_SPLITJOIN: return "SplitJoin";
        case STRC_NODE_FEEDBACKLOOP: return "FeedbackLoop";
        default: return "Filter";
    }
}

/// Is the weight of the way outside of a feedback loop zero?
bool isClosed(const Tree& tree, NodeNumber distribution) {
    const Node& node = tree[distribution];
    if (node.kind != STRC_NODE_ROUNDROBIN || node.children.empty()) return false;
    const Node& weight = tree[node.children[0]];
    return weight.kind == STRC_NODE_INT && weight.integer == 0;
}

/// Do two nodes with one name stand for one function?
bool isSameNative(const Tree& tree, NodeNumber left, NodeNumber right) {
    Form first(tree), second(tree);
    first.add(left);
    second.add(right);
    return tree[left].function == tree[right].function && first.text == second.text;
}

}  // namespace

Streams::Streams(Maker& maker, const Shapes& shapes) : m(maker), shapes(shapes) {}

/// Names that cannot be others come first: those of the library, of files, of packages.
void Streams::nameStreams() {
    for (NodeNumber k = 1; k < m.tree.size(); ++k) {
        const Node& node = m.tree[k];
        if (node.kind == STRC_NODE_NAMED) global.reserve(node.name);
        if (node.kind == STRC_NODE_NATIVE) global.reserve(node.text);
    }
    names.assign(shapes.all().size(), "");
    const std::size_t main = shapes.all().size() - 1;
    names[main] = global.take(wishFor(m.tree[shapes.all()[main].stream], true));
    for (std::size_t k = 0; k < main; ++k) {
        const Shape& shape = shapes.all()[k];
        const Node& node = m.tree[shape.stream];
        const bool isWritten = node.kind != STRC_NODE_NAMED && node.kind != STRC_NODE_RECEIVER;
        if (isWritten && shape.isDeclared(m.tree)) names[k] = global.take(wishFor(node, false));
    }
}

void Streams::structs(std::vector<const ast::Decl*>& to) {
    const Bindings none;
    std::map<std::string, std::vector<NodeNumber>> known;
    for (NodeNumber k = 1; k < m.tree.size(); ++k) {
        const Node& node = m.tree[k];
        if (node.kind != STRC_NODE_STRUCT) continue;
        m.structs[k] = global.take(node.name);
        const SourceRange where = m.places.rangeOf(k, {m.places.first(), 0, 0});
        std::vector<ast::StructField> fields;
        for (const NodeNumber field : node.children)
            fields.push_back({m.nextId(), m.type(m.tree[field].children[0], none, where),
                              m.givenName(m.tree[field].name, where)});
        to.push_back(m.decl<ast::StructDecl>(where, m.ident(m.structs[k], where),
                                             std::span<const ast::StructField>(m.copy(fields))));
    }
}

void Streams::natives(std::vector<const ast::Decl*>& to) {
    const Bindings none;
    std::map<std::string, std::vector<const ast::FunctionDecl*>> packages;
    std::map<std::pair<std::string, std::string>, NodeNumber> known;
    SourceRange where{m.places.first(), 0, 0};
    for (NodeNumber k = 1; k < m.tree.size(); ++k) {
        const Node& node = m.tree[k];
        if (node.kind != STRC_NODE_NATIVE) continue;
        where = m.places.rangeOf(k, where);
        const auto [before, isNew] = known.try_emplace({node.text, node.name}, k);
        if (!isNew && !isSameNative(m.tree, before->second, k))
            m.context.diags.add(base::Diag::DuplicatePackageFunction, where)
                << node.text << node.name;
        if (!isNew) continue;
        std::vector<ast::Parameter> params;
        for (const NodeNumber param : std::span(node.children).subspan(1))
            params.push_back(m.parameter(m.type(m.tree[param].children[0], none, where),
                                         "x" + std::to_string(params.size() + 1), where));
        packages[node.text].push_back(m.decl<ast::FunctionDecl>(
            where, m.type(node.children[0], none, where), m.givenName(node.name, where),
            std::span<const ast::Parameter>(m.copy(params)), std::span<const ast::RateClause>(),
            static_cast<const ast::BlockStmt*>(nullptr)));
    }
    for (const auto& [package, functions] : packages)
        to.push_back(
            m.decl<ast::NativeDecl>(where, m.givenName(package, where),
                                    std::span<const ast::FunctionDecl* const>(m.copy(functions))));
}

std::vector<const ast::Decl*> Streams::declarations() {
    nameStreams();
    std::vector<const ast::Decl*> made;
    structs(made);
    natives(made);
    for (std::size_t k = 0; k < shapes.all().size(); ++k)
        if (!names[k].empty()) made.push_back(declaration(k));
    return made;
}

std::span<const ast::Parameter> Streams::parameters(const Shape& shape, const Bindings& bindings,
                                                    SourceRange where) {
    const std::vector<NodeNumber>& constants = shapes.constants(shape.stream);
    std::vector<ast::Parameter> made;
    for (const Parameter& parameter : shape.parameters) {
        const NodeNumber constant = constants[parameter.position];
        std::string_view receiver;
        if (m.tree[constant].kind == STRC_NODE_PORTAL)
            if (const NodeNumber stream = shapes.receiverOf(constant))
                receiver = names[shapes.numberOf(stream)];
        ast::Parameter param =
            m.parameter(m.typeOf(constant, receiver, where), bindings.at(constant), where);
        if (shape.isMain) param.defaultValue = m.literal(constant, {}, where);
        made.push_back(param);
    }
    return m.copy(made);
}

/// The main stream declares the portals of all.
void Streams::portals(const Shape& shape, Bindings& bindings, Names& local,
                      std::vector<const ast::Stmt*>& to) {
    for (const NodeNumber constant : shapes.constants(shape.stream)) {
        if (m.tree[constant].kind != STRC_NODE_PORTAL || bindings.contains(constant)) continue;
        const SourceRange where = m.places.rangeOf(constant, {m.places.first(), 0, 0});
        const NodeNumber receiver = shapes.receiverOf(constant);
        if (receiver == 0 || names[shapes.numberOf(receiver)].empty()) {
            m.context.diags.add(base::Diag::PortalWithoutReceiver, where);
            continue;
        }
        bindings[constant] =
            local.take(m.tree[constant].hasName ? m.tree[constant].name : "portal1");
        const std::vector<ast::Declarator> one{
            {m.nextId(), m.ident(bindings[constant], where), nullptr}};
        to.push_back(m.stmt<ast::VariablesStmt>(
            where, m.typeOf(constant, names[shapes.numberOf(receiver)], where),
            std::span<const ast::Declarator>(m.copy(one))));
    }
}

const ast::Decl* Streams::declaration(std::size_t number) {
    const Shape& shape = shapes.all()[number];
    const SourceRange where = m.places.rangeOf(shape.stream, {m.places.first(), 0, 0});
    const std::vector<NodeNumber>& constants = shapes.constants(shape.stream);
    Names local;
    Bindings bindings;
    std::vector<std::string> parameterNames;
    for (const Parameter& parameter : shape.parameters)
        parameterNames.push_back(local.take(parameter.name));
    for (std::size_t k = 0; k < constants.size(); ++k)
        if (shape.parameterOf[k] >= 0)
            bindings[constants[k]] = parameterNames[static_cast<std::size_t>(shape.parameterOf[k])];
    std::vector<const ast::Stmt*> first;
    if (shape.isMain) portals(shape, bindings, local, first);
    const Owner owner{shape, bindings, local};
    const Node& node = m.tree[shape.stream];
    const bool isWritten = node.kind != STRC_NODE_NAMED && node.kind != STRC_NODE_RECEIVER;
    ast::StreamDecl* made = stream(isWritten ? shape.stream : 0, owner, true);
    if (!isWritten) first.push_back(child(shape.stream, ast::CreateRole::Add, owner, where));
    if (made->stream != ast::StreamKind::Filter)
        made->body = isWritten ? composite(shape.stream, owner, std::move(first), where)
                               : m.block(first, where);
    made->range = made->header = where;
    made->name = m.ident(names[number], where);
    made->params = parameters(shape, bindings, where);
    return made;
}

/// A declaration without name and body; of a filter with its members. `number` 0: a pipeline around the main stream.
ast::StreamDecl* Streams::stream(NodeNumber number, const Owner& owner, bool hasTypes) {
    const NodeNumber typed = number == 0 ? owner.shape.stream : number;
    const SourceRange where = m.places.rangeOf(typed, {m.places.first(), 0, 0});
    auto* made = m.decl<ast::StreamDecl>(where);
    made->header = where;
    made->stream = number == 0 ? ast::StreamKind::Pipeline : kindOf(m.tree[number].kind);
    if (hasTypes) {
        made->input = typeOfEnd(typed, true, owner, where);
        made->output = typeOfEnd(typed, false, owner, where);
    }
    if (made->stream == ast::StreamKind::Filter)
        made->members = filterParts(m, m.tree[number], owner.bindings, owner.names, where);
    return made;
}

const ast::BlockStmt* Streams::composite(NodeNumber number, const Owner& owner,
                                         std::vector<const ast::Stmt*> made, SourceRange where) {
    const Node& node = m.tree[number];
    const bool isLoop = node.kind == STRC_NODE_FEEDBACKLOOP;
    bool isFirst = true;
    auto role = isLoop ? ast::CreateRole::Body : ast::CreateRole::Add;
    for (const NodeNumber part : node.children) {
        const strc_node_kind kind = m.tree[part].kind;
        if (kind == STRC_NODE_DUPLICATE || kind == STRC_NODE_ROUNDROBIN) {
            made.push_back(distribution(part, isFirst != isLoop, owner, where));
            isFirst = false;
        } else if (m.tree.isStream(part)) {
            made.push_back(child(part, role, owner, where));
            if (isLoop) role = ast::CreateRole::Loop;
        } else {
            const SourceRange there = m.places.rangeOf(part, where);
            const Surroundings around{&owner.bindings, &owner.names, {}};
            Body item(m, around);
            made.push_back(m.stmt<ast::EnqueueStmt>(there, item.constant(part, there)));
        }
    }
    return m.block(made, where);
}

const ast::Stmt* Streams::distribution(NodeNumber number, bool isSplit, const Owner& owner,
                                       SourceRange around) {
    const Node& node = m.tree[number];
    const SourceRange where = m.places.rangeOf(number, around);
    std::vector<const ast::Expr*> weights;
    for (const NodeNumber weight : node.children)
        weights.push_back(m.literal(weight, owner.bindings, where));
    ast::SplitterStmt made{};
    made.id = m.nextId();
    made.range = where;
    made.duplicate = node.kind == STRC_NODE_DUPLICATE;
    made.hasWeights = !weights.empty();
    made.weights = m.copy(weights);
    made.kind = isSplit ? ast::StmtKind::Split : ast::StmtKind::Join;
    if (isSplit) return m.context.arena.make<ast::SplitStmt>(made);
    return m.context.arena.make<ast::JoinStmt>(made);
}

std::span<const ast::Argument> Streams::arguments(NodeNumber stream, const Owner& owner,
                                                  SourceRange where) {
    std::vector<ast::Argument> made;
    const Node& node = m.tree[stream];
    if (node.kind == STRC_NODE_NAMED) {
        for (const NodeNumber arg : std::span(node.children).subspan(3))
            made.push_back({{}, m.literal(arg, owner.bindings, where)});
    } else {
        const std::vector<NodeNumber>& constants = shapes.constants(stream);
        for (const Parameter& parameter : shapes.of(stream).parameters)
            made.push_back({{}, m.literal(constants[parameter.position], owner.bindings, where)});
    }
    return m.copy(made);
}

/// A child is created where the composite is put together.
const ast::Stmt* Streams::child(NodeNumber number, ast::CreateRole role, const Owner& owner,
                                SourceRange where) {
    std::vector<ast::Ident> portals;
    while (m.tree[number].kind == STRC_NODE_RECEIVER) {
        for (const NodeNumber portal : std::span(m.tree[number].children).subspan(1))
            if (const auto bound = owner.bindings.find(portal); bound != owner.bindings.end())
                portals.push_back(m.ident(bound->second, where));
        number = m.tree[number].children[0];
    }
    const Node& node = m.tree[number];
    auto* made = m.stmt<ast::CreateStmt>(where);
    made->role = role;
    made->portals = m.copy(portals);
    if (node.kind == STRC_NODE_NAMED) {
        made->target = m.ident(node.name, where);
        if (m.tree[node.children[2]].kind != STRC_NODE_NOTHING)
            made->typeArgument = m.type(node.children[2], owner.bindings, where);
        made->args = arguments(number, owner, where);
    } else if (const std::string& name = names[shapes.numberOf(number)]; !name.empty()) {
        made->target = m.ident(name, where);
        made->args = arguments(number, owner, where);
    } else {
        const bool isFilter = node.kind == STRC_NODE_FILTER;
        ast::StreamDecl* inside = stream(number, owner, isFilter);
        if (!isFilter) inside->body = composite(number, owner, {}, where);
        made->anonymous = inside;
    }
    return made;
}

NodeNumber Streams::endOf(NodeNumber stream, bool isInput) {
    const auto known = ends.find({stream, isInput});
    if (known != ends.end()) return known->second;
    const Node& node = m.tree[stream];
    NodeNumber end = 0;
    if (node.kind == STRC_NODE_FILTER || node.kind == STRC_NODE_NAMED) {
        end = node.children[isInput ? 0 : 1];
        if (m.tree[end].kind == STRC_NODE_TYPE && m.tree[end].name == "void") end = 0;
    } else if (node.kind == STRC_NODE_RECEIVER) {
        end = endOf(node.children[0], isInput);
    } else {
        end = endOfChildren(stream, isInput);
    }
    ends[{stream, isInput}] = end;
    return end;
}

NodeNumber Streams::endOfChildren(NodeNumber stream, bool isInput) {
    const Node& node = m.tree[stream];
    const std::vector<NodeNumber> children = childStreams(m.tree, stream);
    if (children.empty()) return 0;
    if (node.kind == STRC_NODE_PIPELINE)
        return endOf(isInput ? children.front() : children.back(), isInput);
    if (node.kind == STRC_NODE_FEEDBACKLOOP) {
        const NodeNumber way = isInput ? node.children[0] : node.children[3];
        return isClosed(m.tree, way) ? 0 : endOf(children.front(), isInput);
    }
    for (const NodeNumber child : children)
        if (const NodeNumber end = endOf(child, isInput)) return end;
    return 0;
}

const ast::TypeExpr* Streams::typeOfEnd(NodeNumber stream, bool isInput, const Owner& owner,
                                        SourceRange where) {
    const NodeNumber end = endOf(stream, isInput);
    if (end == 0) return m.primitive(ast::Primitive::Void, where);
    return m.type(end, owner.bindings, where);
}

}  // namespace strc::dsl
