#pragma once
/// The form of a stream as a text: two streams have the same if they differ in constants alone.

#include <map>
#include <string>
#include <vector>

#include "dsl/tree.h"

namespace strc::dsl {

class Form {
public:
    explicit Form(const Tree& tree) : tree(tree) {}

    /// All of a filter, or what a composite is without its children.
    void add(NodeNumber node, bool isDeclared = true);
    void add(const std::string& piece) { text += piece; }

    std::string text;
    std::vector<NodeNumber> constants;

private:
    void constant(NodeNumber node);
    void children(const Node& node);

    const Tree& tree;
    std::map<NodeNumber, std::size_t>
        numbers;  ///< of variables, values and functions, as they come
};

/// Extents of a table whose rows have one length and whose elements one kind; empty: it is another.
std::vector<std::size_t> extentsOf(const Tree&, NodeNumber table);
/// The kind of the elements of such a table.
strc_node_kind elementOf(const Tree&, NodeNumber table);

}  // namespace strc::dsl
