#pragma once
/// A line about streams, `s = A | B <- [1, 2] -> "out.wav"`, taken apart. Private to repl.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/detail/input.h"
#include "repl/tokens.h"

namespace strc::repl {

/// A range of tokens.
struct Span {
    std::size_t begin = 0, end = 0;
    bool isEmpty() const { return begin >= end; }
};

struct Line {
    std::vector<Token> tokens;
    std::optional<Span> name;  ///< before `=`
    std::optional<Span> take;
    std::vector<Span> elements;
    std::optional<Span> source;
    std::optional<Span> sink;
    std::optional<Span> rest;  ///< what has no meaning behind all that
};

Line parseLine(std::string_view text);

/// The text of a span; an empty text at the end of the line if the span is missing.
Input part(const Input&, const Line&, Span);
/// How many expressions stand in `[…]`, and the first of them.
std::size_t countItems(const Line&, Span inside);
Span firstItem(const Line&, Span inside);
/// The `..` of a range.
std::optional<std::size_t> rangeMark(const Line&, Span);
bool isString(const Line&, Span);
/// The file that a string names.
std::string fileIn(const Input& quoted);

bool isStreamKind(const Token&);
/// Does an arrow at `at` belong to the type of an anonymous stream?
bool isTypeArrow(const std::vector<Token>&, std::size_t at);

}  // namespace strc::repl
