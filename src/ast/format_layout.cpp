#include "ast/detail/format_layout.h"

#include <algorithm>

#include "base/assert.h"

namespace strc::ast {

namespace {

constexpr std::size_t kTabStop = 4;
constexpr std::size_t kMaxIndent = 400;  ///< deeper nesting is no more readable, only longer

/// In characters, for text that is UTF-8.
bool beginsCharacter(char c) { return (c & 0xC0) != 0x80; }

std::size_t widthOf(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), beginsCharacter));
}

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; }

std::string_view withoutTrailingBlanks(std::string_view line) {
    while (!line.empty() && isBlank(line.back())) line.remove_suffix(1);
    return line;
}

/// Takes the blanks off the beginning of a line; the result is how many columns they were.
std::size_t takeIndent(std::string_view& line) {
    std::size_t blanks = 0;
    while (blanks < line.size() && isBlank(line[blanks])) ++blanks;
    std::size_t width = Layout::columns(line.substr(0, blanks));
    line.remove_prefix(blanks);
    return width;
}

struct CommentLine {
    std::size_t indent;
    std::string_view text;
};

std::vector<CommentLine> splitLines(std::string_view text) {
    std::vector<CommentLine> lines;
    while (true) {
        std::size_t end = text.find('\n');
        std::string_view line = withoutTrailingBlanks(text.substr(0, end));
        std::size_t indent = lines.empty() ? 0 : takeIndent(line);
        lines.push_back({indent, line});
        if (end == std::string_view::npos) return lines;
        text.remove_prefix(end + 1);
    }
}

}  // namespace

std::size_t Layout::columns(std::string_view text) {
    std::size_t result = 0;
    for (char c : text) {
        if (c == '\t')
            result += kTabStop - result % kTabStop;
        else if (beginsCharacter(c) && c != '\r' && c != '\f')
            ++result;
    }
    return result;
}

// ---------------------------------------------------------------- recording

Layout::Op& Layout::add(OpKind kind) {
    STRC_ASSERT(ops.size() < UINT32_MAX, "text to format of 4 billion parts");
    Op& op = ops.emplace_back();
    op.kind = kind;
    return op;
}

void Layout::text(std::string_view text) { add(OpKind::Text).text = text; }

void Layout::comment(std::string_view text, std::size_t at) {
    Op& op = add(OpKind::Comment);
    op.text = withoutTrailingBlanks(text);
    op.amount = static_cast<int>(at);
}

void Layout::endComment(std::string_view text, std::size_t at, std::size_t lineIndent) {
    comment(text, at);
    ops.back().flag = true;
    ops.back().lineIndent = static_cast<int>(lineIndent);
}

void Layout::space(std::size_t count) { add(OpKind::Space).amount = static_cast<int>(count); }

void Layout::lineBreak(BreakKind kind, bool blankLine, std::size_t outdent) {
    Op& op = add(OpKind::Break);
    op.breakKind = kind;
    op.flag = blankLine;
    op.amount = static_cast<int>(outdent);
}

void Layout::begin(GroupMode mode) {
    Op& op = add(OpKind::Begin);
    op.mode = mode;
    op.flag = true;
}

void Layout::begin(GroupMode mode, std::size_t indent) {
    Op& op = add(OpKind::Begin);
    op.mode = mode;
    op.amount = static_cast<int>(indent);
}

void Layout::end() { add(OpKind::End); }

void Layout::indent(int by) { add(OpKind::Indent).amount = by; }

// ---------------------------------------------------------------- measuring

void Layout::measure() {
    auto width = [](const Op& op) -> std::size_t {
        switch (op.kind) {
            case OpKind::Text: return widthOf(op.text);
            case OpKind::Comment: return op.flag ? 0 : widthOf(op.text);
            case OpKind::Space: return static_cast<std::size_t>(op.amount);
            case OpKind::Break: return op.breakKind == BreakKind::Line ? 1 : 0;
            case OpKind::Begin:
            case OpKind::End:
            case OpKind::Indent: return 0;
        }
        return 0;
    };
    auto isHard = [](const Op& op) {
        return (op.kind == OpKind::Break && op.breakKind == BreakKind::Hard) ||
               (op.kind == OpKind::Comment && op.text.find('\n') != std::string_view::npos);
    };
    widthBefore.assign(ops.size() + 1, 0);
    for (std::size_t i = 0; i < ops.size(); ++i)
        widthBefore[i + 1] = widthBefore[i] + width(ops[i]);
    nextHard.assign(ops.size() + 1, static_cast<std::uint32_t>(ops.size()));
    for (std::size_t i = ops.size(); i-- > 0;)
        nextHard[i] = isHard(ops[i]) ? static_cast<std::uint32_t>(i) : nextHard[i + 1];
}

/// How far what follows must fit for a line not to end here. For a group: to the first break behind
/// it, of whatever group. For a break: to the next one of its group, or behind its group likewise.
void Layout::findNextBreaks() {
    std::uint32_t first = static_cast<std::uint32_t>(ops.size());
    std::vector<std::uint32_t> open{first};
    std::vector<std::uint32_t> ends;
    for (std::size_t i = ops.size(); i-- > 0;) {
        Op& op = ops[i];
        std::uint32_t here = static_cast<std::uint32_t>(i);
        op.depth = static_cast<std::uint32_t>(ends.size());
        if (op.kind == OpKind::End) {
            open.push_back(first);
            ends.push_back(here);
            op.next = first;
        } else if (op.kind == OpKind::Begin) {
            open.pop_back();
            op.close = ends.back();
            op.next = ops[op.close].next;
            ends.pop_back();
        } else if (op.kind == OpKind::Break) {
            op.next = open.back();
            open.back() = first = here;
        }
    }
}

/// Whether what lies between here and the next break fits on the line. A forced end of the line is
/// a break, too; but behind a break, what has one inside never fits: a table written on several
/// lines stands where it would if it had been broken now.
bool Layout::fits(std::size_t op) const {
    std::size_t hard = nextHard[op + 1];
    std::size_t last = std::min<std::size_t>(ops[op].next, hard);
    if (ops[op].kind == OpKind::Break && hard < ops[op].next && ops[hard].depth > ops[op].depth)
        return false;
    std::size_t from = atLineStart ? indentOfLine : column + spaces;
    return from + (widthBefore[last] - widthBefore[op]) <= kWidth;
}

// ---------------------------------------------------------------- printing

void Layout::endLine(bool blankLine, std::size_t outdent) {
    if (!atLineStart) out += '\n';
    atLineStart = true;
    blankPending = blankPending || blankLine;
    std::size_t wanted = frames.back().indent;
    indentOfLine = std::min(wanted - std::min(wanted, outdent), kMaxIndent);
    spaces = 0;
}

void Layout::printText(std::string_view text) {
    if (atLineStart) {
        if (blankPending && !out.empty()) out += '\n';
        column = printedIndent = indentOfLine;
        out.append(indentOfLine, ' ');
        atLineStart = blankPending = false;
    } else {
        column += spaces;
        out.append(spaces, ' ');
    }
    spaces = 0;
    out += text;
    column += widthOf(text);
}

void Layout::printComment(const Op& op) {
    if (op.text.find('\n') != std::string_view::npos) return printFurtherLines(op);
    if (op.flag && !atLineStart) {
        std::ptrdiff_t moved = static_cast<std::ptrdiff_t>(printedIndent) - op.lineIndent;
        std::ptrdiff_t wanted = op.amount + moved;
        std::ptrdiff_t least = static_cast<std::ptrdiff_t>(column + spaces);
        std::ptrdiff_t most =
            static_cast<std::ptrdiff_t>(kWidth) - static_cast<std::ptrdiff_t>(widthOf(op.text));
        if (wanted > least && wanted <= most) spaces = static_cast<std::size_t>(wanted) - column;
    }
    printText(op.text);
}

/// Further lines move by as much as the first did; a column of stars lines up under the first one.
void Layout::printFurtherLines(const Op& op) {
    std::vector<CommentLine> lines = splitLines(op.text);
    printText(lines[0].text);
    std::size_t start = column - widthOf(lines[0].text);
    bool stars = true;
    std::size_t least = SIZE_MAX;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        if (lines[i].text.empty()) continue;
        stars = stars && lines[i].text.front() == '*';
        least = std::min(least, lines[i].indent);
    }
    std::size_t was = static_cast<std::size_t>(op.amount);
    std::size_t left = was > start ? std::min(was - start, least) : 0;
    std::size_t right = start > was ? start - was : 0;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        out += '\n';
        if (lines[i].text.empty()) continue;
        printedIndent = stars ? start + 1 : lines[i].indent - left + right;
        out.append(printedIndent, ' ');
        out += lines[i].text;
        column = printedIndent + widthOf(lines[i].text);
    }
}

void Layout::printBreak(std::size_t i) {
    const Op& op = ops[i];
    std::size_t outdent = static_cast<std::size_t>(op.amount);
    Mode mode = frames.back().mode;
    bool ends = op.breakKind == BreakKind::Hard || mode == Mode::All || atLineStart ||
                (mode == Mode::Fill && !fits(i));
    if (ends)
        endLine(op.flag, outdent);
    else if (op.breakKind == BreakKind::Line)
        spaces = std::max<std::size_t>(spaces, 1);
}

void Layout::printBegin(std::size_t i) {
    const Op& op = ops[i];
    Frame frame = frames.back();
    if (!op.flag) frame.indent = indentOfLine + static_cast<std::size_t>(op.amount);
    if (frame.mode != Mode::Flat) {
        bool flat = nextHard[i] >= op.close && fits(i);
        frame.mode = flat ? Mode::Flat : op.mode == GroupMode::All ? Mode::All : Mode::Fill;
    }
    frames.push_back(frame);
}

std::string Layout::render() {
    measure();
    findNextBreaks();
    frames.assign(1, {0, Mode::All});
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const Op& op = ops[i];
        switch (op.kind) {
            case OpKind::Text: printText(op.text); break;
            case OpKind::Comment: printComment(op); break;
            case OpKind::Space:
                spaces = std::max(spaces, static_cast<std::size_t>(op.amount));
                break;
            case OpKind::Break: printBreak(i); break;
            case OpKind::Begin: printBegin(i); break;
            case OpKind::End:
                frames.pop_back();
                if (atLineStart) endLine(false, 0);  // the line begins behind the group
                break;
            case OpKind::Indent: frames.back().indent += static_cast<std::size_t>(op.amount); break;
        }
    }
    if (!out.empty() && out.back() != '\n') out += '\n';
    return std::move(out);
}

}  // namespace strc::ast
