#pragma once
/// Where lines end: the half of the formatter that knows nothing of the language. It takes text
/// with places where lines may or must end, in groups, and chooses. Everything is a flat list of
/// operations and a few passes over it: no recursion, time linear in the text.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strc::ast {

/// Says how the breaks of a group are laid out that does not fit on its line.
enum class GroupMode : std::uint8_t {
    All,   ///< every break ends the line
    Fill,  ///< a break ends the line when what follows, up to the next break, does not fit
};

enum class BreakKind : std::uint8_t {
    Soft,  ///< nothing, or the end of the line
    Line,  ///< a space, or the end of the line
    Hard,  ///< always the end of the line
};

class Layout {
public:
    static constexpr std::size_t kWidth = 100;

    /// The text must outlive the layout; it holds no end of line.
    void text(std::string_view text);
    /// A comment in one line, or several, and the place where it stood in the source: its further
    /// lines move as far as the first.
    void comment(std::string_view text, std::size_t column);
    /// A comment that ends its line. It does not count for the width, as no break makes it fit. It
    /// keeps its distance from the beginning of the line (which was indented by `lineIndent`), so
    /// that comments below each other stay so, if there is room; else it follows the text.
    void endComment(std::string_view text, std::size_t column, std::size_t lineIndent);
    /// Dropped at the beginning of a line; next to another space the wider one counts.
    void space(std::size_t count = 1);
    /// At the beginning of a line there is nothing to end. `outdent`: how much less than the group
    /// says the next line is indented.
    void lineBreak(BreakKind kind, bool blankLine = false, std::size_t outdent = 0);

    /// Lines that start inside are indented like the lines of the group around.
    void begin(GroupMode mode);
    /// Lines that start inside are indented by `indent` more than the line on which it begins.
    void begin(GroupMode mode, std::size_t indent);
    void end();
    /// Changes the indentation in the present group.
    void indent(int by);

    std::string render();

    /// How many columns the text takes at the beginning of a line: characters, tabs to their stops.
    static std::size_t columns(std::string_view text);

private:
    enum class OpKind : std::uint8_t { Text, Comment, Space, Break, Begin, End, Indent };
    struct Op {
        OpKind kind;
        BreakKind breakKind = BreakKind::Soft;
        GroupMode mode = GroupMode::All;
        bool flag = false;  ///< Break: a blank line; Begin: indented like the group around;
            ///< Comment: ends the line
        int amount = 0;  ///< Space, Indent, Break, Begin: columns; Comment: where it stood
        int lineIndent = 0;  ///< Comment: of the line where it stood
        std::uint32_t next = 0;  ///< Break, Begin, End: the break up to which the line must fit
        std::uint32_t close = 0;  ///< Begin: its end
        std::uint32_t depth = 0;  ///< groups around
        std::string_view text;
    };
    enum class Mode : std::uint8_t { Flat, All, Fill };
    struct Frame {
        std::size_t indent;
        Mode mode;
    };

    Op& add(OpKind kind);
    void measure();
    void findNextBreaks();
    bool fits(std::size_t op) const;
    void printText(std::string_view text);
    void printComment(const Op& op);
    void printFurtherLines(const Op& op);
    void printBreak(std::size_t op);
    void printBegin(std::size_t op);
    void endLine(bool blankLine, std::size_t outdent);

    std::vector<Op> ops;
    std::vector<std::uint64_t> widthBefore;  ///< of all operations before, on one line
    std::vector<std::uint32_t> nextHard;  ///< the first operation from here on that ends a line

    std::string out;
    std::vector<Frame> frames;
    std::size_t column = 0;
    std::size_t spaces = 0;  ///< to be printed before the next text
    std::size_t indentOfLine = 0;  ///< or of the one that begins
    std::size_t printedIndent = 0;  ///< the same, but for lines of a comment that of the comment
    bool atLineStart = true;
    bool blankPending = false;
};

}  // namespace strc::ast
