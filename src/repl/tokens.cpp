#include "repl/tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>

namespace strc::repl {
namespace {

constexpr std::array kKeywords = std::to_array<std::string_view>(
    {"filter",   "pipeline", "splitjoin", "feedbackloop", "portal",  "to",        "handler",
     "stateful", "iter",     "add",       "split",        "join",    "duplicate", "roundrobin",
     "body",     "loop",     "enqueue",   "init",         "prework", "work",      "peek",
     "pop",      "push",     "struct",    "template",     "native",  "static",    "global",
     "helper",   "if",       "else",      "while",        "for",     "switch",    "case",
     "default",  "break",    "continue",  "return",       "do",      "pi",        "true",
     "false",    "take"});
constexpr std::array kTypes = std::to_array<std::string_view>(
    {"void", "boolean", "bit", "int", "float", "double", "complex", "float2", "float3", "float4"});
/// Longest first.
constexpr std::array kOperators = std::to_array<std::string_view>(
    {"<<=", ">>=", "->", "<-", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
     "|=",  "^=",  "<<", ">>", "&&", "||", "==", "!=", "<=", ">=", ".."});

bool isWordStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool isWordPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Lexer {
public:
    explicit Lexer(std::string_view source) : text(source) {}

    std::vector<Token> run() {
        while (at < text.size()) {
            const char c = text[at];
            if (std::isspace(static_cast<unsigned char>(c))) {
                if (c == '\n') isLineStart = true;
                ++at;
                continue;
            }
            if (c == ':' && isLineStart)
                command();
            else if (isWordStart(c))
                word();
            else if (std::isdigit(static_cast<unsigned char>(c)))
                number();
            else if (c == '"' || c == '\'')
                quoted(c);
            else if (text.substr(at, 2) == "//")
                add(TokenKind::Comment, std::min(text.find('\n', at), text.size()));
            else if (text.substr(at, 2) == "/*")
                blockComment();
            else
                add(TokenKind::Operator, at + operatorLength());
            isLineStart = false;
        }
        return std::move(tokens);
    }

private:
    void add(TokenKind kind, std::size_t end, bool isOpen = false) {
        tokens.push_back({kind, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end),
                          text.substr(at, end - at), isOpen});
        at = end;
    }
    void command() {
        std::size_t end = at + 1;
        while (end < text.size() && isWordPart(text[end])) ++end;
        add(TokenKind::Command, end);
    }
    void word() {
        std::size_t end = at;
        while (end < text.size() && isWordPart(text[end])) ++end;
        const std::string_view found = text.substr(at, end - at);
        add(isKeyword(found)         ? TokenKind::Keyword
            : isPrimitiveType(found) ? TokenKind::Type
                                     : TokenKind::Word,
            end);
    }
    void number() {
        std::size_t end = at;
        while (end < text.size()) {
            const bool isPoint = text[end] == '.' && end + 1 < text.size() &&
                                 std::isdigit(static_cast<unsigned char>(text[end + 1]));
            const bool isSign = (text[end] == '+' || text[end] == '-') && end > at &&
                                (text[end - 1] == 'e' || text[end - 1] == 'E') &&
                                !text.substr(at).starts_with("0x");
            if (!isPoint && !isSign && !isWordPart(text[end])) break;
            ++end;
        }
        add(TokenKind::Number, end);
    }
    void quoted(char quote) {
        std::size_t end = at + 1;
        while (end < text.size() && text[end] != quote && text[end] != '\n')
            end += text[end] == '\\' && end + 1 < text.size() ? 2 : 1;
        const bool isOpen = end >= text.size() || text[end] != quote;
        add(TokenKind::String, isOpen ? std::min(end, text.size()) : end + 1, isOpen);
    }
    void blockComment() {
        const std::size_t end = text.find("*/", at + 2);
        const bool isOpen = end == std::string_view::npos;
        add(TokenKind::Comment, isOpen ? text.size() : end + 2, isOpen);
    }
    std::size_t operatorLength() const {
        for (std::string_view each : kOperators)
            if (text.substr(at).starts_with(each)) return each.size();
        std::size_t end = at + 1;  // a character of several bytes is one
        while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
        return end - at;
    }

    std::string_view text;
    std::size_t at = 0;
    bool isLineStart = true;
    std::vector<Token> tokens;
};

bool opens(const Token& token) { return token.is("(") || token.is("[") || token.is("{"); }

/// The brackets that are open. Those that lack their ends do not hold back what is around them: a `}` closes
/// what stands open inside its block, and `;` what stands open in its statement.
class Brackets {
public:
    void pass(const Token& token) {
        if (opens(token)) {
            // `for (…; …; i++ {`: a block begins where the head should have ended.
            if (token.is("{") && isOperand) close("hl");
            const bool isHead = last.is("for") || last.is("if") || last.is("while");
            open += !token.is("(") || !isHead ? token.text[0] : last.is("for") ? kLoop : kHead;
        } else if (token.is("}")) {
            closeInside();
            if (!open.empty()) open.pop_back();
        } else if (token.is(")") || token.is("]")) {
            close(token.is(")") ? "(hl" : "[");
        } else if (token.is(";")) {
            const auto loop = lastInBlock({&kLoop, 1});
            loop == std::string::npos ? closeInside() : open.resize(loop + 1);
        }
        isOperand = token.kind == TokenKind::Word || token.kind == TokenKind::Number ||
                    token.is(")") || token.is("]") || token.is("++") || token.is("--");
        last = token;
    }
    int depth() const { return static_cast<int>(open.size()); }

private:
    std::size_t lastInBlock(std::string_view kinds) const {
        const auto block = open.rfind('{');
        const auto found = open.find_last_of(kinds);
        const bool isInside =
            found != std::string::npos && (block == std::string::npos || block < found);
        return isInside ? found : std::string::npos;
    }
    void closeInside() {
        const auto block = open.rfind('{');
        open.resize(block == std::string::npos ? 0 : block + 1);
    }
    /// The last one of its kind in this block, and what stands open inside it.
    void close(std::string_view kinds) {
        if (const auto at = lastInBlock(kinds); at != std::string::npos) open.resize(at);
    }

    static constexpr char kHead = 'h';  ///< the `(` of `if` and `while`
    static constexpr char kLoop = 'l';  ///< of `for`: there may be `;` in it
    std::string open;
    Token last;
    bool isOperand = false;  ///< the last token ends one: no list of values begins here
};

/// Does the token show that the entry goes on: an operator that can neither end an entry nor begin one?
bool joins(const Token& token) {
    if (token.kind != TokenKind::Operator) return false;
    if (token.text.size() == 1)
        return std::string_view("+-*/%&|^<>=?:,.").find(token.text[0]) != std::string_view::npos;
    if (static_cast<unsigned char>(token.text[0]) >= 0x80) return false;
    return !token.is("++") && !token.is("--") && !token.is("..");
}

/// Is the last of these the `>` of type arguments, `Identity<int>`? Then nothing has to follow.
bool endsTypes(std::span<const Token> tokens) {
    int depth = 0;
    for (std::size_t k = tokens.size(); k-- > 0;) {
        const Token& token = tokens[k];
        if (token.is(">")) {
            ++depth;
        } else if (token.is(">>")) {
            depth += 2;
        } else if (token.is("<")) {
            if (--depth == 0) return k > 0 && tokens[k - 1].kind == TokenKind::Word;
        } else {
            const bool isPart = token.kind == TokenKind::Word || token.kind == TokenKind::Type ||
                                token.kind == TokenKind::Number || token.is("[") || token.is("]") ||
                                token.is(",");
            if (depth == 0 || !isPart) return false;
        }
    }
    return false;
}

/// `int->float[2]`, which begins a declaration: does it end these?
bool endsStreamType(std::span<const Token> tokens) {
    std::size_t k = tokens.size();
    while (k > 2 && tokens[k - 1].is("]")) {
        while (k > 0 && !tokens[k - 1].is("[")) --k;
        if (k > 0) --k;
    }
    return k > 2 && tokens[k - 1].kind == TokenKind::Type && tokens[k - 2].is("->");
}

/// Walks over the tokens of a text and finds the ends of its entries.
class Splitter {
public:
    explicit Splitter(std::string_view source) : text(source), tokens(tokenize(source)) {
        std::erase_if(tokens, [](const Token& token) {
            return token.kind == TokenKind::Comment && !token.isOpen;
        });
    }

    std::vector<Entry> run() {
        while (at < tokens.size()) {
            if (tokens[at].is(";")) {
                ++at;
                continue;
            }
            tokens[at].kind == TokenKind::Command ? command() : entry();
        }
        return std::move(entries);
    }

private:
    void finish(std::uint32_t begin, std::uint32_t end, bool isComplete) {
        entries.push_back({begin, end, isComplete});
    }

    /// Ends with its line.
    void command() {
        const std::uint32_t begin = tokens[at].begin;
        const auto end = std::min(text.find('\n', begin), text.size());
        while (at < tokens.size() && tokens[at].begin < end) ++at;
        finish(begin, static_cast<std::uint32_t>(end), true);
    }

    bool isLastOfLine() const {
        return at + 1 < tokens.size() &&
               text.substr(tokens[at].end, tokens[at + 1].begin - tokens[at].end).find('\n') !=
                   std::string_view::npos;
    }

    /// A declaration of a stream or package, a struct, a static block: it ends with its block.
    static bool beginsBlock(const Token& token) {
        constexpr std::array kWords = std::to_array<std::string_view>(
            {"filter", "pipeline", "splitjoin", "feedbackloop", "struct", "helper", "native",
             "static", "global", "if", "for", "while", "do"});
        return token.kind == TokenKind::Keyword &&
               std::find(kWords.begin(), kWords.end(), token.text) != kWords.end();
    }
    static bool isStreamKind(const Token& token) {
        return token.is("filter") || token.is("pipeline") || token.is("splitjoin") ||
               token.is("feedbackloop") || token.is("stateful");
    }
    static bool isStatement(const Token& token) {
        return token.is("if") || token.is("for") || token.is("while") || token.is("do");
    }

    void entry() {
        const std::size_t first = at;
        bool hasBlock = false;  // a word that wants a block has been met
        bool blockDone = false;  // and its block is closed
        bool isStream = false;  // an anonymous stream may be followed by more
        bool isNamed = false;
        const bool isControl = isStatement(tokens[first]);
        const bool isDo = tokens[first].is("do");
        bool isOpenDo = isDo;  // its `while` has not been met
        std::size_t headEnd = isDo ? first : SIZE_MAX;  // of `if (…)`, `for (…)`
        Brackets brackets;
        for (; at < tokens.size(); ++at) {
            const Token& token = tokens[at];
            if (token.kind == TokenKind::Command) {
                // A command ends what lacks its end.
                finish(tokens[first].begin, tokens[at - 1].end, true);
                return;
            }
            if (token.isOpen) {
                finish(tokens[first].begin, token.end, token.kind == TokenKind::String);
                ++at;
                return;
            }
            if (brackets.depth() == 0 && beginsBlock(token)) {
                hasBlock = true;
                blockDone = false;
                isNamed = at + 1 < tokens.size() && mayNameStream(tokens[at + 1]);
                isStream = isStreamKind(token);
            }
            brackets.pass(token);
            if (brackets.depth() > 0) continue;
            if (token.is("while")) isOpenDo = false;
            if (token.is(";")) {
                if (isOpenDo || (isControl && nextIs("else"))) continue;
                ++at;
                return finish(tokens[first].begin, isControl ? token.end : token.begin, true);
            }
            if (headEnd == SIZE_MAX && token.is(")")) headEnd = at;
            if (token.is("}") && hasBlock) {
                blockDone = true;
                const bool endsHere = isControl ? !nextIs("else") && !isDo : !isStream || isNamed;
                if (endsHere) {
                    ++at;
                    finish(tokens[first].begin, token.end, true);
                    return;
                }
            }
            if (isLastOfLine() && (isControl ? !isOpenDo && mayEndControl(token, headEnd)
                                             : mayEnd(token, hasBlock, blockDone))) {
                ++at;
                finish(tokens[first].begin, token.end, true);
                return;
            }
        }
        const Token& last = tokens.back();
        finish(tokens[first].begin, last.end,
               brackets.depth() == 0 && !isOpenDo && !joinsNext(tokens.size() - 1) &&
                   !last.is("take") &&
                   (isControl ? tokens.size() - 1 > headEnd : !hasBlock || blockDone));
    }

    bool nextIs(std::string_view word) const {
        return at + 1 < tokens.size() && tokens[at + 1].is(word);
    }

    /// Something has to follow this token.
    bool joinsNext(std::size_t k) const {
        const auto passed = std::span(tokens).first(k + 1);
        return (joins(tokens[k]) && !endsTypes(passed)) || endsStreamType(passed);
    }

    /// `for (…) println(i)` on one line.
    bool mayEndControl(const Token& token, std::size_t headEnd) const {
        if (headEnd == SIZE_MAX || at <= headEnd || joinsNext(at) || beginsBlock(token))
            return false;
        return !token.is("else") && !nextIs("else") && !nextIs("{");
    }

    /// The line ends after this token: does the entry?
    bool mayEnd(const Token& token, bool hasBlock, bool blockDone) const {
        if (joinsNext(at) || token.is("take")) return false;
        if (hasBlock && !blockDone) return false;
        const Token& next = tokens[at + 1];
        if (next.kind == TokenKind::Command) return true;
        if (isStreamKind(next) && at > 0 && tokens[at - 1].is("->")) return false;
        // A sign may begin an expression, an arrow feeds the present stream; everything else that joins
        // goes on with the last line.
        return !joins(next) || next.is("-") || next.is("<-");
    }

    std::string_view text;
    std::vector<Token> tokens;
    std::size_t at = 0;
    std::vector<Entry> entries;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) { return Lexer(text).run(); }

bool isKeyword(std::string_view word) {
    return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}
bool isPrimitiveType(std::string_view word) {
    return std::find(kTypes.begin(), kTypes.end(), word) != kTypes.end();
}

bool mayNameStream(const Token& token) {
    return token.kind == TokenKind::Word || token.is("add") || token.is("split");
}

std::vector<Entry> split(std::string_view text) { return Splitter(text).run(); }

bool isComplete(std::string_view text) {
    const std::vector<Entry> entries = split(text);
    return entries.empty() || entries.back().isComplete;
}

int openBrackets(std::string_view text) {
    Brackets brackets;
    for (const Token& token : tokenize(text))
        if (token.kind != TokenKind::Comment) brackets.pass(token);
    return brackets.depth();
}

}  // namespace strc::repl
