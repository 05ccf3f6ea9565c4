#include "repl/tokens.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "parser/lexemes.h"

namespace strc::repl {
namespace {

using parser::LexemeKind;

/// Words that mean something at the prompt or in some places of the language, where the grammar has names.
constexpr std::array kMoreKeywords = std::to_array<std::string_view>({"global", "iter", "take"});
/// Signs of the prompt: `s <- [1 .. 9]`.
constexpr std::array kMoreSigns = std::to_array<std::string_view>({"<-", ".."});

TokenKind kindOf(const parser::Lexeme& lexeme) {
    switch (lexeme.kind) {
        case LexemeKind::Name: return isKeyword(lexeme.text) ? TokenKind::Keyword : TokenKind::Word;
        case LexemeKind::Keyword: return TokenKind::Keyword;
        case LexemeKind::Type: return TokenKind::Type;
        case LexemeKind::Number: return TokenKind::Number;
        case LexemeKind::String: return TokenKind::String;
        case LexemeKind::Comment: return TokenKind::Comment;
        case LexemeKind::Sign: return TokenKind::Operator;
    }
    return TokenKind::Operator;
}

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

std::vector<Token> tokenize(std::string_view text) {
    std::vector<Token> tokens;
    for (const parser::Lexeme& each : parser::lexemes(text, kMoreSigns)) {
        const std::uint32_t before = tokens.empty() ? 0 : tokens.back().end;
        const std::string_view blank = text.substr(before, each.begin - before);
        if (!tokens.empty() && tokens.back().kind == TokenKind::Command && blank.empty() &&
            kindOf(each) != TokenKind::Operator) {
            Token& command = tokens.back();
            command.end = each.end;
            command.text = text.substr(command.begin, each.end - command.begin);
            continue;
        }
        const bool isFirst = tokens.empty() || blank.find('\n') != std::string_view::npos;
        const bool isCommand = isFirst && each.is(":");
        tokens.push_back({isCommand ? TokenKind::Command : kindOf(each), each.begin, each.end,
                          each.text, each.isOpen});
    }
    return tokens;
}

bool isKeyword(std::string_view word) {
    return parser::kindOfWord(word) == LexemeKind::Keyword ||
           std::find(kMoreKeywords.begin(), kMoreKeywords.end(), word) != kMoreKeywords.end();
}
bool isPrimitiveType(std::string_view word) { return parser::kindOfWord(word) == LexemeKind::Type; }

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
