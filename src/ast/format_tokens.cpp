#include "ast/detail/format_tokens.h"

#include <algorithm>

#include "base/assert.h"

namespace strc::ast {

namespace {

bool isOneOf(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

void require(bool asExpected) {
    STRC_ASSERT(asExpected, "the tree to format is not that of the text");
}

bool hasSeveralLines(std::string_view text) { return text.find('\n') != std::string_view::npos; }

}  // namespace

TokenPrinter::TokenPrinter(const Unit& unit, const base::SourceManager& texts, Layout& to)
    : source(texts.text(unit.buffer)),
      comments(unit.comments),
      buffer(unit.buffer),
      sources(texts),
      layout(to) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (source.starts_with(kByteOrderMark)) cursor = printedTo = kByteOrderMark.size();
}

// ---------------------------------------------------------------- the text

std::uint32_t TokenPrinter::nextOffset() {
    while (cursor < source.size()) {
        if (nextComment < comments.size() && comments[nextComment].range.begin <= cursor)
            cursor = std::max(cursor, comments[nextComment++].range.end);
        else if (isOneOf(source[cursor], " \t\r\n\f"))
            ++cursor;
        else
            break;
    }
    return cursor;
}

bool TokenPrinter::nextIs(std::string_view text) {
    return source.substr(nextOffset()).starts_with(text);
}

bool TokenPrinter::commentIsNext() {
    nextOffset();
    return firstComment < nextComment;
}

std::uint32_t TokenPrinter::lineOf(std::uint32_t offset) const {
    return sources.position(buffer, offset).line;
}

std::size_t TokenPrinter::columnOf(std::uint32_t offset) const {
    base::LineColumn at = sources.position(buffer, offset);
    return Layout::columns(sources.lineText(buffer, at.line).substr(0, at.column - 1));
}

std::size_t TokenPrinter::lineIndent(std::uint32_t offset) const {
    std::string_view line = sources.lineText(buffer, lineOf(offset));
    std::size_t blanks = std::min(line.find_first_not_of(" \t\r\f"), line.size());
    return Layout::columns(line.substr(0, blanks));
}

bool TokenPrinter::nextIsOnNewLine() {
    std::uint32_t begin = nextOffset();
    return printedTo < begin && hasSeveralLines(source.substr(printedTo, begin - printedTo));
}

// ---------------------------------------------------------------- tokens

void TokenPrinter::token(std::string_view expected) {
    require(nextIs(expected));
    print(source.substr(cursor, expected.size()));
}

void TokenPrinter::token(SourceRange range) {
    require(nextOffset() == range.begin && range.begin < range.end);
    print(source.substr(range.begin, range.end - range.begin));
}

void TokenPrinter::close(std::string_view brace, BreakKind kind, int indent, std::size_t outdent) {
    require(nextIs(brace));
    lineBreak(kind);
    print(source.substr(cursor, brace.size()), indent, outdent);
}

void TokenPrinter::drop(std::string_view expected) {
    require(nextIs(expected));
    cursor += static_cast<std::uint32_t>(expected.size());
}

void TokenPrinter::lineBreak(BreakKind kind) {
    switch (kind) {
        case BreakKind::Soft: pending = Gap::Soft; return;
        case BreakKind::Line: pending = Gap::Line; return;
        case BreakKind::Hard: pending = Gap::Hard; return;
    }
}

void TokenPrinter::finish() {
    nextOffset();
    pending = Gap::Hard;
    print(source.substr(source.size()));
}

// ---------------------------------------------------------------- comments

/// `a // why` newline `, b` reads better as `a, // why`.
bool TokenPrinter::mayDefer(std::string_view text) const {
    if ((text != "," && text != ";") || firstComment == nextComment) return false;
    for (std::size_t i = firstComment; i < nextComment; ++i)
        if (comments[i].block) return false;
    if (deferred) return true;
    std::uint32_t begin = comments[firstComment].range.begin;
    return !hasSeveralLines(source.substr(printedTo, begin - printedTo));
}

std::size_t TokenPrinter::linesEnded(const Between& between, std::size_t gap) const {
    if (gap == 0 && deferred) return 0;
    const Comment* first = comments.data() + firstComment;
    std::uint32_t begin = gap == 0 ? printedTo : first[gap - 1].range.end;
    std::uint32_t end = gap == between.count ? cursor : first[gap].range.begin;
    std::string_view blank = source.substr(begin, end - begin);
    return static_cast<std::size_t>(std::count(blank.begin(), blank.end(), '\n'));
}

/// The comments that share the line of the token before go before the break. If they share the line
/// of the next token as well they belong to that one, unless it closes something.
TokenPrinter::Between TokenPrinter::lookBetween(std::string_view text) {
    bool isCloser = text.empty() || isOneOf(text[0], ",;)]}");
    Between between{text, nextComment - firstComment, 0, nextComment - firstComment, isCloser};
    if (pending != Gap::Hard)
        while (between.joinedFrom > 0 && linesEnded(between, between.joinedFrom) == 0)
            --between.joinedFrom;
    if (isCloser) {
        between.breakAt = between.count;
        return between;
    }
    std::size_t run = 0;
    while (run < between.count && linesEnded(between, run) == 0) ++run;
    bool reachesNext = run == between.count && linesEnded(between, run) == 0;
    between.breakAt = reachesNext ? 0 : run;
    return between;
}

bool TokenPrinter::keepsBlankLine(const Between& between, std::size_t gap) const {
    if (pending != Gap::Hard || linesEnded(between, gap) < 2) return false;
    if (gap == 0 && (last == '{' || last == 0)) return false;
    return gap < between.count || !(between.token.empty() || between.token == "}");
}

void TokenPrinter::printComment(const Between& between, std::size_t i) {
    const Comment& comment = comments[firstComment + i];
    std::string_view text =
        source.substr(comment.range.begin, comment.range.end - comment.range.begin);
    bool endsLine = !comment.block || linesEnded(between, i + 1) > 0;
    bool gapIsOpen = pending == Gap::None || pending == Gap::Space || i < between.breakAt;
    if (linesEnded(between, i) > 0 && i < between.joinedFrom)
        layout.lineBreak(BreakKind::Hard, keepsBlankLine(between, i));
    else if (i > 0 || (gapIsOpen && !isOneOf(last, "([")))
        layout.space(comment.block ? 1 : 2);
    if (!comment.block)
        layout.endComment(text, columnOf(comment.range.begin), lineIndent(comment.range.begin));
    else
        layout.comment(text, hasSeveralLines(text) ? columnOf(comment.range.begin) : 0);
    if (endsLine)
        layout.lineBreak(BreakKind::Hard, keepsBlankLine(between, i + 1));
    else if (i + 1 == between.count && !between.isCloser)
        layout.space();
}

void TokenPrinter::printGap(bool blankLine, std::size_t outdent) {
    switch (pending) {
        case Gap::None: return;
        case Gap::Space: layout.space(); return;
        case Gap::Soft: layout.lineBreak(BreakKind::Soft, false, outdent); return;
        case Gap::Line: layout.lineBreak(BreakKind::Line, false, outdent); return;
        case Gap::Hard: layout.lineBreak(BreakKind::Hard, blankLine, outdent); return;
    }
}

void TokenPrinter::printBetween(std::string_view text, int indent, std::size_t outdent) {
    Between between = lookBetween(text);
    for (std::size_t i = 0; i < between.breakAt; ++i) printComment(between, i);
    if (indent != 0) layout.indent(-indent);
    printGap(keepsBlankLine(between, between.breakAt), outdent);
    for (std::size_t i = between.breakAt; i < between.count; ++i) printComment(between, i);
    firstComment = nextComment;
    pending = Gap::None;
    deferred = false;
}

void TokenPrinter::flush() {
    nextOffset();
    printBetween(source.substr(cursor, 1), 0, 0);
}

void TokenPrinter::print(std::string_view text, int indent, std::size_t outdent) {
    if (mayDefer(text))
        deferred = true;
    else
        printBetween(text, indent, outdent);
    layout.text(text);
    cursor += static_cast<std::uint32_t>(text.size());
    printedTo = cursor;
    if (!text.empty()) last = text.back();
}

}  // namespace strc::ast
