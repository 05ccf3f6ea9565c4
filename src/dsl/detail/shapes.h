#pragma once
/// Which streams of a tree are the same but for constants. Streams that have been recorded alike become one declaration,
/// whose parameters are the constants in which they differ, and those that somebody gave a name.
///
/// The method is anti-unification (Plotkin, 1970) of trees of one form: the form of a stream is all of it without its
/// constants; its constants are listed in the order in which they stand, those of a composite's children behind its own.

#include <map>
#include <string>
#include <vector>

#include "dsl/tree.h"

namespace strc::dsl {

/// A parameter of a declaration: the constants of all those positions, which are equal in every stream of the form.
struct Parameter {
    std::string name;  ///< a wish
    std::size_t position;  ///< the first of them
};

struct Shape {
    NodeNumber stream = 0;  ///< the first of its streams: what the declaration is made of
    std::size_t positions = 0;  ///< constants that a stream of this form has
    std::vector<int>
        parameterOf;  ///< by position; -1: the constant is the same everywhere, and stays
    std::vector<Parameter> parameters;
    std::size_t places = 0;  ///< where streams of this form are children
    bool isReceiver = false;  ///< of messages
    bool isMain = false;

    /// Otherwise it is written where it is used.
    bool isDeclared(const Tree& tree) const {
        return isMain || isReceiver || places > 1 || tree[stream].hasName || !parameters.empty();
    }
};

class Shapes {
public:
    Shapes(const Tree&, NodeNumber main);

    const Shape& of(NodeNumber stream) const { return shapes[shapeOf.at(stream)]; }
    std::size_t numberOf(NodeNumber stream) const { return shapeOf.at(stream); }
    const std::vector<Shape>& all() const { return shapes; }
    /// The constants of a stream: literals and portals, as nodes.
    const std::vector<NodeNumber>& constants(NodeNumber stream) const {
        return constantsOf.at(stream);
    }
    /// The stream that receives what is sent to a portal; 0: there is none.
    NodeNumber receiverOf(NodeNumber portal) const;

private:
    void visit(NodeNumber stream);
    void countPlaces();
    void findParameters(std::size_t shape, const std::vector<NodeNumber>& streams);

    const Tree& tree;
    std::vector<Shape> shapes;  ///< children before what they are children of
    std::map<std::string, std::size_t> known;  ///< by form
    std::map<NodeNumber, std::size_t> shapeOf;
    std::map<NodeNumber, std::vector<NodeNumber>> constantsOf;
    std::map<NodeNumber, NodeNumber> receivers;
};

/// A literal that may be a parameter, or a portal.
bool isConstant(const Tree&, NodeNumber);
/// The streams that are children of a composite, in order; RECEIVER nodes included.
std::vector<NodeNumber> childStreams(const Tree&, NodeNumber stream);

}  // namespace strc::dsl
