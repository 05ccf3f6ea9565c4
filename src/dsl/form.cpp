#include "dsl/detail/form.h"

#include <bit>

#include "dsl/detail/shapes.h"

namespace strc::dsl {

namespace {

/// Is child `k` of such a node declared there, rather than used?
bool declares(const Node& node, std::size_t k) {
    switch (node.kind) {
        case STRC_NODE_BLOCK:
        case STRC_NODE_FILTER:
        case STRC_NODE_FUNCTION:
        case STRC_NODE_HANDLER:
        case STRC_NODE_STRUCT: return true;
        case STRC_NODE_FOR: return k == 0;
        default: return false;
    }
}

bool isNumbered(strc_node_kind kind) {
    return kind == STRC_NODE_VARIABLE || kind == STRC_NODE_VALUE || kind == STRC_NODE_FUNCTION_NAME;
}

}  // namespace

std::vector<std::size_t> extentsOf(const Tree& tree, NodeNumber table) {
    const std::vector<NodeNumber>& items = tree[table].children;
    if (items.empty()) return {};
    const strc_node_kind first = tree[items[0]].kind;
    std::vector<std::size_t> inner;
    if (first == STRC_NODE_TABLE) inner = extentsOf(tree, items[0]);
    for (const NodeNumber item : items) {
        if (tree[item].kind != first || first == STRC_NODE_STRING) return {};
        if (first != STRC_NODE_TABLE) continue;
        if (inner.empty() || extentsOf(tree, item) != inner ||
            elementOf(tree, item) != elementOf(tree, items[0]))
            return {};
    }
    inner.insert(inner.begin(), items.size());
    return inner;
}

strc_node_kind elementOf(const Tree& tree, NodeNumber table) {
    NodeNumber item = table;
    while (tree[item].kind == STRC_NODE_TABLE && !tree[item].children.empty())
        item = tree[item].children[0];
    return tree[item].kind;
}

bool isConstant(const Tree& tree, NodeNumber node) {
    switch (tree[node].kind) {
        case STRC_NODE_INT:
        case STRC_NODE_REAL:
        case STRC_NODE_BOOLEAN:
        case STRC_NODE_PORTAL: return true;
        case STRC_NODE_TABLE: return !extentsOf(tree, node).empty();
        default: return false;
    }
}

void Form::constant(NodeNumber number) {
    const Node& node = tree[number];
    text += '#' + std::to_string(node.kind);
    if (node.kind == STRC_NODE_TABLE) {
        for (const std::size_t extent : extentsOf(tree, number))
            text += 'x' + std::to_string(extent);
        text += ':' + std::to_string(elementOf(tree, number));
    }
    if (node.hasName && node.kind != STRC_NODE_PORTAL) text += '"' + node.name + '"';
    constants.push_back(number);
}

void Form::children(const Node& node) {
    text += '(';
    for (std::size_t k = 0; k < node.children.size(); ++k) add(node.children[k], declares(node, k));
    text += ')';
}

void Form::add(NodeNumber number, bool isDeclared) {
    const Node& node = tree[number];
    if (isConstant(tree, number)) return constant(number);
    if (isNumbered(node.kind)) {
        const auto [found, isNew] = numbers.try_emplace(number, numbers.size());
        text += '%' + std::to_string(found->second);
        if (!isNew || (!isDeclared && node.kind != STRC_NODE_FUNCTION_NAME)) return;
    }
    text += std::to_string(node.kind);
    if (node.hasName) text += '"' + node.name + '"';
    if (!node.text.empty()) text += '\'' + std::to_string(node.text.size()) + node.text;
    if (node.kind == STRC_NODE_INT || node.kind == STRC_NODE_BOOLEAN)
        text += std::to_string(node.integer);
    if (node.kind == STRC_NODE_IMAGINARY)
        text += std::to_string(std::bit_cast<std::uint64_t>(node.number));
    children(node);
}

}  // namespace strc::dsl
