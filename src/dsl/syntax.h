#pragma once
/// A recorded program as a syntax tree, the one that the parser would make of its text.

#include <string>

#include "ast/nodes.h"
#include "base/context.h"
#include "dsl/tree.h"

namespace strc::dsl {

struct Syntax {
    const ast::Unit* unit = nullptr;
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
