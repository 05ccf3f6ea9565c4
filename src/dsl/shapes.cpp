#include "dsl/detail/shapes.h"

#include <cmath>

#include "dsl/detail/form.h"

namespace strc::dsl {

namespace {

bool isComposite(strc_node_kind kind) {
    return kind == STRC_NODE_PIPELINE || kind == STRC_NODE_SPLITJOIN ||
           kind == STRC_NODE_FEEDBACKLOOP || kind == STRC_NODE_RECEIVER;
}

/// Equal as constants of the language.
bool areEqual(const Tree& tree, NodeNumber a, NodeNumber b) {
    const Node &left = tree[a], &right = tree[b];
    if (a == b) return true;
    if (left.kind != right.kind || left.kind == STRC_NODE_PORTAL) return false;
    if (left.children.size() != right.children.size()) return false;
    for (std::size_t k = 0; k < left.children.size(); ++k)
        if (!areEqual(tree, left.children[k], right.children[k])) return false;
    const auto x = static_cast<float>(left.number), y = static_cast<float>(right.number);
    const bool isSameNumber = (x == y && std::signbit(x) == std::signbit(y)) || (x != x && y != y);
    return left.integer == right.integer && isSameNumber;
}

std::string wishFor(const Tree& tree, NodeNumber constant) {
    const Node& node = tree[constant];
    if (node.hasName) return node.name;
    switch (node.kind) {
        case STRC_NODE_INT: return "n";
        case STRC_NODE_REAL: return "x";
        case STRC_NODE_BOOLEAN: return "is";
        default: return "table";
    }
}

/// The constants of some streams of one form, compared by position.
class Columns {
public:
    Columns(const Tree& tree, std::vector<const std::vector<NodeNumber>*> rows)
        : tree(tree), rows(std::move(rows)) {}

    bool areSame(std::size_t a, std::size_t b) const {
        for (const auto* row : rows)
            if (!areEqual(tree, (*row)[a], (*row)[b])) return false;
        return true;
    }
    bool varies(std::size_t position) const {
        for (const auto* row : rows)
            if (!areEqual(tree, (*row)[position], (*rows[0])[position])) return true;
        return false;
    }
    const Node& node(std::size_t position) const { return tree[(*rows[0])[position]]; }
    /// Is whatever has the name of that constant the same as it?
    bool isAlone(std::size_t position) const {
        for (std::size_t k = 0; k < rows[0]->size(); ++k)
            if (node(k).hasName && node(k).name == node(position).name && !areSame(k, position))
                return false;
        return true;
    }

private:
    const Tree& tree;
    std::vector<const std::vector<NodeNumber>*> rows;
};

}  // namespace

std::vector<NodeNumber> childStreams(const Tree& tree, NodeNumber stream) {
    std::vector<NodeNumber> found;
    if (!isComposite(tree[stream].kind)) return found;
    for (const NodeNumber child : tree[stream].children)
        if (tree.isStream(child)) found.push_back(child);
    return found;
}

Shapes::Shapes(const Tree& tree, NodeNumber main) : tree(tree) {
    visit(main);
    std::map<std::size_t, std::vector<NodeNumber>> streams;
    for (const auto& [stream, shape] : shapeOf) streams[shape].push_back(stream);
    shapes[shapeOf.at(main)].isMain = true;
    for (const auto& [shape, list] : streams) findParameters(shape, list);
    countPlaces();
}

NodeNumber Shapes::receiverOf(NodeNumber portal) const {
    const auto found = receivers.find(portal);
    return found == receivers.end() ? 0 : found->second;
}

/// Children first. A composite's form has the numbers of theirs.
void Shapes::visit(NodeNumber stream) {
    if (shapeOf.contains(stream)) return;
    const Node& node = tree[stream];
    Form form(tree);
    std::vector<NodeNumber> inner;
    if (isComposite(node.kind)) {
        form.add(std::to_string(node.kind) + (node.hasName ? '"' + node.name + '"' : ""));
        for (const NodeNumber child : node.children) {
            if (!tree.isStream(child)) {
                form.add(child);
                continue;
            }
            visit(child);
            form.add("<" + std::to_string(shapeOf.at(child)) + ">");
            const std::vector<NodeNumber>& more = constantsOf.at(child);
            inner.insert(inner.end(), more.begin(), more.end());
        }
    } else {
        form.add(stream);
    }
    std::vector<NodeNumber> constants = std::move(form.constants);
    constants.insert(constants.end(), inner.begin(), inner.end());
    const auto [found, isNew] = known.try_emplace(form.text, shapes.size());
    if (isNew) {
        Shape shape;
        shape.stream = stream;
        shape.positions = constants.size();
        shapes.push_back(std::move(shape));
    }
    shapeOf.emplace(stream, found->second);
    constantsOf.emplace(stream, std::move(constants));
    if (node.kind != STRC_NODE_RECEIVER) return;
    shapes[shapeOf.at(node.children[0])].isReceiver = true;
    for (std::size_t k = 1; k < node.children.size(); ++k)
        receivers.emplace(node.children[k], node.children[0]);
}

void Shapes::countPlaces() {
    for (const Shape& shape : shapes)
        for (const NodeNumber child : childStreams(tree, shape.stream))
            ++shapes[shapeOf.at(child)].places;
}

/// A constant is a parameter if it differs from stream to stream, if it is a portal, or if somebody gave it a name. A name
/// goes up as far as it means one thing.
void Shapes::findParameters(std::size_t number, const std::vector<NodeNumber>& streams) {
    Shape& shape = shapes[number];
    shape.parameterOf.assign(shape.positions, -1);
    std::vector<const std::vector<NodeNumber>*> rows;
    for (const NodeNumber stream : streams) rows.push_back(&constantsOf.at(stream));
    const Columns columns(tree, std::move(rows));
    for (std::size_t k = 0; k < shape.positions; ++k) {
        const bool isPortal = columns.node(k).kind == STRC_NODE_PORTAL;
        const bool isNamed = columns.node(k).hasName && !isPortal && columns.isAlone(k);
        if (!isNamed && !(isPortal && !shape.isMain) && !columns.varies(k)) continue;
        for (std::size_t p = 0; p < shape.parameters.size() && shape.parameterOf[k] < 0; ++p)
            if (columns.areSame(shape.parameters[p].position, k))
                shape.parameterOf[k] = static_cast<int>(p);
        if (shape.parameterOf[k] >= 0) continue;
        shape.parameterOf[k] = static_cast<int>(shape.parameters.size());
        shape.parameters.push_back({wishFor(tree, constantsOf.at(shape.stream)[k]), k});
    }
}

}  // namespace strc::dsl
