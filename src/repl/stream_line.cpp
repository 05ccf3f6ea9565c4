#include "repl/detail/stream_line.h"

#include <algorithm>

#include "session/sources.h"

namespace strc::repl {

bool isStreamKind(const Token& token) {
    return token.is("filter") || token.is("pipeline") || token.is("splitjoin") ||
           token.is("feedbackloop") || token.is("stateful");
}

bool isTypeArrow(const std::vector<Token>& tokens, std::size_t at) {
    int depth = 0;
    for (std::size_t k = at + 1; k < tokens.size(); ++k) {
        const Token& token = tokens[k];
        if (token.is("[")) ++depth;
        if (token.is("]")) --depth;
        if (depth > 0) continue;
        if (isStreamKind(token)) return true;
        const bool isInType = token.kind == TokenKind::Word || token.kind == TokenKind::Type ||
                              token.is("]") || token.is("[") || token.is("<") || token.is(">");
        if (!isInType) return false;
    }
    return false;
}

namespace {

class LineParser {
public:
    explicit LineParser(std::string_view text) {
        line.tokens = tokenize(text);
        std::erase_if(line.tokens, [](const Token& t) { return t.kind == TokenKind::Comment; });
    }

    Line parse() {
        const auto& tokens = line.tokens;
        if (tokens.size() > 1 && tokens[0].kind == TokenKind::Word && tokens[1].is("=")) {
            line.name = Span{0, 1};
            at = 2;
        }
        if (at < tokens.size() && tokens[at].is("take")) take();
        const std::size_t end = nextMark(at);
        elements({at, end});
        at = end;
        if (isAt("<-")) {
            const std::size_t from = ++at;
            line.source = Span{from, at = nextMark(at)};
        }
        if (isAt("->")) {
            const std::size_t from = ++at;
            line.sink = Span{from, at = nextMark(at)};
        }
        if (at < tokens.size()) line.rest = Span{at, tokens.size()};
        return std::move(line);
    }

private:
    bool isAt(std::string_view what) const {
        return at < line.tokens.size() && line.tokens[at].is(what);
    }
    /// Splits the text at each `|`, also inside of brackets around several parts.
    void elements(Span all) {
        for (std::size_t from = all.begin; from < all.end;) {
            const std::size_t to = std::min(nextPipe(from), all.end);
            const auto& tokens = line.tokens;
            if (to > from + 2 && tokens[from].is("(") && tokens[to - 1].is(")"))
                elements({from + 1, to - 1});
            else
                line.elements.push_back({from, to});
            from = to + 1;
        }
    }
    bool isAtOneOf(std::initializer_list<std::string_view> list) const {
        return std::any_of(list.begin(), list.end(), [this](auto each) { return isAt(each); });
    }
    /// An expression goes on as long as what follows can begin no stream.
    void take() {
        const std::size_t from = ++at;
        operand();
        while (isAtOneOf({"+", "-", "*", "/", "%", "<<", ">>", "&"})) {
            ++at;
            operand();
        }
        line.take = Span{from, at};
    }
    /// One number, name or bracketed expression, with what is called or selected of it.
    void operand() {
        while (isAtOneOf({"-", "+", "~"}) || isAtCast()) at += isAtCast() ? 3 : 1;
        const bool isName = at < line.tokens.size() && line.tokens[at].kind == TokenKind::Word;
        if (isAt("("))
            group();
        else
            ++at;
        while (isName && isAtOneOf({"(", "[", "."})) {
            if (isAt("."))
                at += 2;
            else
                group();
        }
        at = std::min(at, line.tokens.size());
    }
    bool isAtCast() const {
        return at + 2 < line.tokens.size() && line.tokens[at].is("(") &&
               line.tokens[at + 1].kind == TokenKind::Type && line.tokens[at + 2].is(")");
    }
    /// Over a bracket and what is in it.
    void group() {
        int depth = 0;
        for (; at < line.tokens.size(); ++at) {
            if (isAtOneOf({"(", "["})) ++depth;
            if (isAtOneOf({")", "]"}) && --depth == 0) break;
        }
        ++at;
    }
    template <typename Is>
    std::size_t next(std::size_t from, Is is) const {
        int depth = 0;
        for (std::size_t k = from; k < line.tokens.size(); ++k) {
            const Token& token = line.tokens[k];
            if (token.is("(") || token.is("[") || token.is("{")) ++depth;
            if (token.is(")") || token.is("]") || token.is("}")) --depth;
            if (depth == 0 && is(k)) return k;
        }
        return line.tokens.size();
    }
    std::size_t nextMark(std::size_t from) const {
        return next(from, [&](std::size_t k) {
            const Token& token = line.tokens[k];
            return token.is("<-") || (token.is("->") && !isTypeArrow(line.tokens, k));
        });
    }
    std::size_t nextPipe(std::size_t from) const {
        return next(from, [&](std::size_t k) { return line.tokens[k].is("|"); });
    }

    Line line;
    std::size_t at = 0;
};

std::string unquoted(std::string_view text) {
    std::string out;
    for (std::size_t k = 1; k + 1 < text.size(); ++k) {
        if (text[k] == '\\' && k + 2 < text.size()) ++k;
        out += text[k];
    }
    return out;
}

}  // namespace

Line parseLine(std::string_view text) { return LineParser(text).parse(); }

Input part(const Input& input, const Line& line, Span span) {
    Input made = input;
    if (span.isEmpty()) {
        made.begin = made.end = input.end;
        return made;
    }
    made.begin = input.begin + line.tokens[span.begin].begin;
    made.end = input.begin + line.tokens[span.end - 1].end;
    return made;
}

bool isString(const Line& line, Span span) {
    return span.end == span.begin + 1 && line.tokens[span.begin].kind == TokenKind::String;
}

std::string fileIn(const Input& quoted) { return session::expandHome(unquoted(quoted.text())); }

Span firstItem(const Line& line, Span inside) {
    int depth = 0;
    for (std::size_t k = inside.begin; k < inside.end; ++k) {
        const Token& token = line.tokens[k];
        if (token.is("(") || token.is("[") || token.is("{")) ++depth;
        if (token.is(")") || token.is("]") || token.is("}")) --depth;
        if (depth == 0 && token.is(",")) return {inside.begin, k};
    }
    return inside;
}

std::optional<std::size_t> rangeMark(const Line& line, Span span) {
    for (std::size_t k = span.begin; k < span.end; ++k)
        if (line.tokens[k].is("..")) return k;
    return std::nullopt;
}

std::size_t countItems(const Line& line, Span inside) {
    std::size_t count = 0;
    for (; !inside.isEmpty(); ++count) inside.begin = firstItem(line, inside).end + 1;
    return count;
}

}  // namespace strc::repl
