#pragma once
/// A program as it was recorded: nodes in the order in which they came, children first (include/strc/tree.h says what
/// each kind has). Nodes are whole: whatever is malformed was refused when it came.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strc/tree.h"

namespace strc::dsl {

/// A number from 1; 0 is no node.
using NodeNumber = std::uint32_t;

/// Where a node was written.
struct Place {
    std::uint32_t file = 0;  ///< in Tree::files; 0: nobody knows
    std::uint32_t line = 0, column = 0;
};

struct Node {
    strc_node_kind kind = STRC_NODE_NOTHING;
    std::string name, text;
    bool hasName = false;
    std::int64_t integer = 0;
    double number = 0;
    std::vector<NodeNumber> children;
    Place place;
    void (*function)() = nullptr;
    std::uint32_t depth = 1;
    bool isUsed = false;  ///< a literal, by a node
};

class Tree {
public:
    /// Nothing: it has children that such a node cannot have, as `refusal` says.
    std::optional<NodeNumber> add(const strc_node&);
    /// Why the last node was none, with its place; empty: it was one.
    const std::string& refusal() const { return refused; }

    const Node& operator[](NodeNumber number) const { return nodes[number]; }
    std::size_t size() const { return nodes.size(); }
    const std::string& file(std::uint32_t number) const { return files[number]; }
    std::size_t fileCount() const { return files.size(); }
    bool isStream(NodeNumber) const;

private:
    /// `depth`: of the node, if it is one.
    std::string whyNot(const strc_node&, std::uint32_t& depth) const;
    std::uint32_t fileNumber(const char* name);
    std::uint32_t depthOf(NodeNumber child) const;
    bool isPlace(NodeNumber node) const;
    NodeNumber own(NodeNumber child);

    std::vector<Node> nodes{Node{}};
    std::vector<std::string> files{""};
    std::string refused;
};

}  // namespace strc::dsl
