#pragma once
/// The tokens of a source text, one after the other, on their way into a Layout with the comments
/// between them. The tree says which token comes next; the text says how it is written, so nothing
/// of it can get lost. This is no lexer: where a token ends, and what is a comment, the parser has said.
///
/// Where comments go: one that shares a line with the token before it stays behind that token; one
/// that ends its line ends the line of the output, too; one with text behind it stays in front of
/// that. Where a line may hold a blank line before it (`Hard` breaks), it keeps at most one.

#include <cstdint>
#include <span>
#include <string_view>

#include "ast/detail/format_layout.h"
#include "ast/nodes.h"
#include "base/source.h"

namespace strc::ast {

class TokenPrinter {
public:
    TokenPrinter(const Unit& unit, const base::SourceManager& sources, Layout& layout);

    /// The next token is this text, or this range.
    void token(std::string_view expected);
    void token(SourceRange range);
    /// A closing brace: comments before it still belong to what it closes, which was indented by
    /// `indent` in the present group; `outdent` is that of the break before it.
    void close(std::string_view brace, BreakKind kind, int indent, std::size_t outdent = 0);
    /// Leaves a token out that means nothing.
    void drop(std::string_view expected);
    /// Prints the comments behind the last token.
    void finish();
    /// Prints what stands before the next token now: a group that begins here is not to hold it.
    void flush();

    /// Sets the gap before the next token; the last call counts.
    void space() { pending = Gap::Space; }
    void lineBreak(BreakKind kind);

    bool nextIs(std::string_view text);
    bool commentIsNext();
    std::uint32_t nextOffset();
    /// Whether the next token was not on the line of the one before.
    bool nextIsOnNewLine();
    std::uint32_t lineOf(std::uint32_t offset) const;

private:
    std::size_t columnOf(std::uint32_t offset) const;
    std::size_t lineIndent(std::uint32_t offset) const;
    enum class Gap : std::uint8_t { None, Space, Soft, Line, Hard };
    /// The comments before a token, and how many lines end before, between and behind them.
    struct Between {
        std::string_view token;
        std::size_t count;
        std::size_t breakAt;  ///< before which of them the pending break belongs
        std::size_t joinedFrom;  ///< those that need no line of their own: the token follows
        bool isCloser;
    };

    void print(std::string_view text, int indent = 0, std::size_t outdent = 0);
    void printBetween(std::string_view text, int indent, std::size_t outdent);
    Between lookBetween(std::string_view text);
    std::size_t linesEnded(const Between& between, std::size_t gap) const;
    bool keepsBlankLine(const Between& between, std::size_t gap) const;
    void printComment(const Between& between, std::size_t i);
    void printGap(bool blankLine, std::size_t outdent);
    bool mayDefer(std::string_view text) const;

    std::string_view source;
    std::span<const Comment> comments;
    base::BufferId buffer;
    const base::SourceManager& sources;
    Layout& layout;

    std::uint32_t cursor = 0;  ///< behind the last token taken
    std::size_t nextComment = 0;  ///< the first one at or behind the cursor
    std::size_t firstComment = 0;  ///< the first one not printed
    std::uint32_t printedTo = 0;  ///< end of the last token printed
    bool deferred = false;  ///< the comments not printed stood before the last token
    char last = 0;  ///< last character of the last token printed
    Gap pending = Gap::Hard;
};

}  // namespace strc::ast
