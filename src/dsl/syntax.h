#pragma once
/// A recorded program as a syntax tree, the one that the parser would make of its text.

#include <string>
#include <vector>

#include "ast/nodes.h"
#include "base/context.h"
#include "dsl/tree.h"

namespace strc::dsl {

/// A file that streams of a tree lie in, and where the first of them is used.
struct UsedFile {
    std::string name;
    base::SourceRange where;
};

struct Syntax {
    const ast::Unit* unit = nullptr;
    std::vector<UsedFile> files;  ///< in the order of the nodes
    std::string main;  ///< the name of the main stream
    bool isOpen = false;  ///< it has an input or an output
};

/// In: a stream of the tree. Out: declarations of all that it needs, in Context::arena; their ranges lie in the
/// files in which they were written, which become buffers of Context::sources (of those that cannot be read the lines are empty).
/// Faults of the recording are reported in Context::diags.
Syntax syntaxOf(base::Context&, const Tree&, NodeNumber main);

/// The same as a text.
std::string textOf(const ast::Unit&);

}  // namespace strc::dsl
