#pragma once
/// The style of `strc fmt`. Functions walk the tree construct by construct, in headers by subject:
/// format_expressions.h, format_statements.h and format_declarations.h. They send the tokens through a
/// FormatPrinter, with the groups and breaks around them.

#include <cstdint>
#include <span>
#include <vector>

#include "ast/detail/format_layout.h"
#include "ast/detail/format_tokens.h"
#include "ast/nodes.h"

namespace strc::ast {

/// Prints the tokens of a text, and knows the indentation of its groups and blocks.
class FormatPrinter {
public:
    FormatPrinter(const Unit& tree, const base::SourceManager& sources, Layout& to)
        : tokens(tree, sources, to), layout(to) {}

    static constexpr int kIndent = 4;
    static constexpr std::size_t kContinued = 4;  ///< further lines of a statement
    static constexpr std::size_t kHeaderContinued = 8;  ///< further lines of a header

    /// `;` that mean nothing, before offset `until`; the optional one of an anonymous stream stays.
    void strayTokens(const Stmt* before, std::uint32_t until);

    void begin(GroupMode mode);
    void begin(GroupMode mode, std::size_t indent);
    /// A header stands before a block; its further lines are indented more than the block.
    void beginHeader();
    void endHeader();
    /// `{ … }` in the present group. The inside stays on one line if in the source all of it,
    /// up to offset `end`, was on one line, and if it fits. Soft: there is nothing inside.
    BreakKind openBlock(std::uint32_t end, bool isEmpty);
    void closeBlock(BreakKind kind);

    TokenPrinter tokens;
    Layout& layout;
    std::size_t continued = kContinued;
};

}  // namespace strc::ast
