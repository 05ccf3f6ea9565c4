#pragma once
/// Declarations of streams, and of what they need.

#include <map>
#include <string>
#include <vector>

#include "dsl/detail/body.h"
#include "dsl/detail/maker.h"
#include "dsl/detail/shapes.h"

namespace strc::dsl {

/// Parameters, fields, init, work, functions and handlers of a filter.
std::span<const ast::Decl* const> filterParts(Maker&, const Node& filter, const Bindings&,
                                              const Names& around, base::SourceRange where);

class Streams {
public:
    Streams(Maker& maker, const Shapes& shapes);

    /// All declarations, the main stream last.
    std::vector<const ast::Decl*> declarations();
    const std::string& mainName() const { return names.back(); }
    bool isOpen(NodeNumber stream) { return endOf(stream, true) != 0 || endOf(stream, false) != 0; }

private:
    /// The stream being declared.
    struct Owner {
        const Shape& shape;
        const Bindings& bindings;
        const Names& names;
    };

    void nameStreams();
    void structs(std::vector<const ast::Decl*>& to);
    void natives(std::vector<const ast::Decl*>& to);
    const ast::Decl* declaration(std::size_t shape);
    std::span<const ast::Parameter> parameters(const Shape&, const Bindings&,
                                               base::SourceRange where);
    void portals(const Shape&, Bindings&, Names&, std::vector<const ast::Stmt*>& to);
    ast::StreamDecl* stream(NodeNumber, const Owner&, bool hasTypes);
    const ast::BlockStmt* composite(NodeNumber, const Owner&, std::vector<const ast::Stmt*> first,
                                    base::SourceRange where);
    const ast::Stmt* child(NodeNumber, ast::CreateRole, const Owner&, base::SourceRange where);
    const ast::Stmt* distribution(NodeNumber, bool isSplit, const Owner&, base::SourceRange around);
    std::span<const ast::Argument> arguments(NodeNumber stream, const Owner&,
                                             base::SourceRange where);
    /// The item types of a stream's ends, as nodes; 0: void.
    NodeNumber endOf(NodeNumber stream, bool isInput);
    NodeNumber endOfChildren(NodeNumber stream, bool isInput);
    const ast::TypeExpr* typeOfEnd(NodeNumber stream, bool isInput, const Owner&,
                                   base::SourceRange where);

    Maker& m;
    const Shapes& shapes;
    Names global;
    std::vector<std::string> names;  ///< by shape; empty: it is not declared
    std::map<std::pair<NodeNumber, bool>, NodeNumber> ends;
};

}  // namespace strc::dsl
