#include "token_mutator.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

namespace strc::fuzz {
namespace {

using Tokens = std::vector<std::string>;

constexpr std::size_t kMostTokens = 20'000;

constexpr std::string_view kTypes[] = {"int",     "float",  "bit",       "boolean",
                                       "complex", "double", "float2",    "float3",
                                       "float4",  "void",   "int [ 2 ]", "float [ 3 ]"};
constexpr std::string_view kOperators[] = {"+",  "-",  "*",  "/",  "%",  "&", "|",  "^", "<<",
                                           ">>", "&&", "||", "==", "!=", "<", "<=", ">", ">="};
constexpr std::string_view kAssignments[] = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
constexpr std::string_view kSigns[] = {"->", "++", "--", "!", "~", "?", ":", ".", ",", ";"};
constexpr std::string_view kNumbers[] = {
    "0",          "1",   "2",   "3",    "4",       "5",          "7",
    "16",         "100", "- 1", "*",    "1000003", "2147483647", "( - 2147483647 - 1 )",
    "0x80000000", "0.5", "1.0", "1e30", "3i",      "true",       "false",
    "pi"};
constexpr std::string_view kStreams[] = {"filter", "pipeline", "splitjoin", "feedbackloop"};
constexpr std::string_view kWords[] = {"add",        "split",        "join",
                                       "duplicate",  "roundrobin",   "body",
                                       "loop",       "enqueue",      "init",
                                       "work",       "prework",      "peek",
                                       "pop",        "push",         "if",
                                       "else",       "while",        "for",
                                       "do",         "break",        "continue",
                                       "return",     "stateful",     "portal",
                                       "handler",    "iter",         "static",
                                       "native",     "struct",       "pop ( )",
                                       "peek ( 0 )", "push ( 1 ) ;", "roundrobin ( 1 , 2 )",
                                       "[ * ]",      "[ 1 : 3 ]",    "( )",
                                       "{ }",        "[ 0 ]"};

bool isWordStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool isWordPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

template <typename List>
bool contains(const List& list, std::string_view text) {
    return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

/// Reads what looks like tokens; anything else is a token of one byte.
class Lexer {
public:
    explicit Lexer(std::string_view text) : rest(text) {}

    Tokens read() {
        Tokens tokens;
        while (!rest.empty() && tokens.size() < kMostTokens) {
            const std::size_t length = blank();
            if (length > 0) {
                rest.remove_prefix(length);
                continue;
            }
            const std::size_t size = token();
            tokens.emplace_back(rest.substr(0, size));
            rest.remove_prefix(size);
        }
        return tokens;
    }

private:
    std::size_t until(std::string_view end, std::size_t from, bool included) const {
        const std::size_t found = rest.find(end, from);
        if (found == std::string_view::npos) return rest.size();
        return included ? found + end.size() : found;
    }

    std::size_t blank() const {
        if (std::isspace(static_cast<unsigned char>(rest[0]))) return 1;
        if (rest.starts_with("//")) return until("\n", 2, true);
        if (rest.starts_with("/*")) return until("*/", 2, true);
        return 0;
    }

    template <typename Test>
    std::size_t run(std::size_t from, Test test) const {
        while (from < rest.size() && test(rest[from])) ++from;
        return from;
    }

    std::size_t token() const {
        if (isWordStart(rest[0])) return run(1, isWordPart);
        if (isDigit(rest[0])) return number();
        if (rest[0] == '"' || rest[0] == '\'') return quoted();
        for (std::size_t size = 3; size > 1; --size) {
            const std::string_view sign = rest.substr(0, size);
            if (contains(kOperators, sign) || contains(kAssignments, sign) ||
                contains(kSigns, sign))
                return sign.size();
        }
        return 1;
    }

    std::size_t number() const {
        std::size_t size = run(1, [](char c) { return isWordPart(c) || c == '.'; });
        const bool exponent = rest[size - 1] == 'e' || rest[size - 1] == 'E';
        if (exponent && size < rest.size() && (rest[size] == '-' || rest[size] == '+'))
            size = run(size + 1, isWordPart);
        return size;
    }

    std::size_t quoted() const {
        std::size_t size = 1;
        while (size < rest.size() && rest[size] != rest[0] && rest[size] != '\n')
            size += rest[size] == '\\' ? 2 : 1;
        return std::min(size + 1, rest.size());
    }

    std::string_view rest;
};

std::string join(const Tokens& tokens) {
    std::string text;
    for (const std::string& token : tokens) {
        text += token;
        text += token == ";" || token == "{" || token == "}" ? '\n' : ' ';
    }
    return text;
}

/// A half-open range of tokens.
struct Piece {
    std::size_t begin = 0;
    std::size_t end = 0;
};

bool endsPiece(const std::string& token) { return token == ";" || token == "{" || token == "}"; }

/// Where statements or declarations begin, and in how many blocks.
struct Start {
    std::size_t at = 0;
    int depth = 0;
};

std::vector<Start> startsOf(const Tokens& tokens) {
    std::vector<Start> starts{{0, 0}};
    int depth = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i] == "{") ++depth;
        if (tokens[i] == "}") --depth;
        if (endsPiece(tokens[i])) starts.push_back({i + 1, depth});
    }
    return starts;
}

/// The statement or declaration that begins here: up to its semicolon or its closing brace.
Piece pieceAt(const Tokens& tokens, std::size_t begin) {
    int depth = 0;
    for (std::size_t i = begin; i < tokens.size(); ++i) {
        const std::string& token = tokens[i];
        if (token == "(" || token == "[" || token == "{") ++depth;
        if (token == ")" || token == "]" || token == "}") --depth;
        if (depth < 0) return {begin, i};
        if (depth == 0 && (token == ";" || token == "}")) return {begin, i + 1};
    }
    return {begin, tokens.size()};
}

class Mutator {
public:
    Mutator(Tokens given, std::uint32_t seed) : tokens(std::move(given)), engine(seed) {}

    void mutate() {
        for (std::size_t left = 1 + pick(3) * pick(2); left > 0; --left) changeOnce();
    }

    void insertPieceOf(const Tokens& other) {
        const Start start = pickStart(other);
        insert(pickStart(tokens, start.depth).at, pieceAt(other, start.at), other);
    }

    std::string text() const { return join(tokens); }

private:
    using Change = void (Mutator::*)();

    void changeOnce() {
        static constexpr Change changes[] = {
            &Mutator::eraseTokens,    &Mutator::copyTokens,     &Mutator::swapTokens,
            &Mutator::replaceByOther, &Mutator::replaceByOther, &Mutator::replaceByKind,
            &Mutator::replaceByKind,  &Mutator::replaceByKind,  &Mutator::insertWord,
            &Mutator::rename,         &Mutator::erasePiece,     &Mutator::copyPiece,
            &Mutator::copyPiece,      &Mutator::movePiece,      &Mutator::wrapPiece,
            &Mutator::wrapNumber};
        if (tokens.empty()) tokens.emplace_back(pickFrom(kWords));
        (this->*changes[pick(std::size(changes))])();
    }

    std::size_t pick(std::size_t n) { return n <= 1 ? 0 : engine() % n; }
    std::size_t place() { return pick(tokens.size()); }
    /// Of a token of one of the kinds that can be told from others, if one is found.
    std::size_t placeOfWord() {
        std::size_t at = place();
        for (int tries = 0; tries < 30 && kindOf(tokens[at]) == Kind::Sign; ++tries) at = place();
        return at;
    }

    template <std::size_t N>
    std::string pickFrom(const std::string_view (&list)[N]) {
        return std::string(list[pick(N)]);
    }

    /// Of a piece that is not empty, if there is one.
    Start pickStart(const Tokens& list) {
        std::vector<Start> starts = startsOf(list);
        std::erase_if(starts, [&](const Start& start) {
            return start.at == list.size() || list[start.at] == "}";
        });
        return starts.empty() ? Start{} : starts[pick(starts.size())];
    }
    /// In as many blocks, if there is such a place: declarations come among declarations.
    Start pickStart(const Tokens& list, int depth) {
        std::vector<Start> starts = startsOf(list);
        std::erase_if(starts, [&](const Start& start) { return start.depth != depth; });
        return starts.empty() ? Start{} : starts[pick(starts.size())];
    }

    void insert(std::size_t at, Piece piece, const Tokens& from) {
        const Tokens copy(from.begin() + static_cast<std::ptrdiff_t>(piece.begin),
                          from.begin() + static_cast<std::ptrdiff_t>(piece.end));
        if (tokens.size() + copy.size() > kMostTokens) return;
        tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), copy.begin(), copy.end());
    }

    void erase(Piece piece) {
        tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(piece.begin),
                     tokens.begin() + static_cast<std::ptrdiff_t>(piece.end));
    }

    Piece someTokens() {
        const std::size_t begin = place();
        return {begin, std::min(begin + 1 + pick(3), tokens.size())};
    }

    // ---- tokens

    void eraseTokens() { erase(someTokens()); }
    void copyTokens() { insert(place(), someTokens(), Tokens(tokens)); }
    void swapTokens() {
        const std::size_t at = placeOfWord();
        std::swap(tokens[at], tokens[likeThat(at)]);
    }
    void insertWord() {
        tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(place()),
                      pick(3) == 0 ? pickFrom(kSigns) : pickFrom(kWords));
    }

    enum class Kind : std::uint8_t { Number, Type, Stream, Word, Name, Operator, Assignment, Sign };

    static Kind kindOf(const std::string& token) {
        if (isDigit(token[0])) return Kind::Number;
        if (contains(kTypes, token)) return Kind::Type;
        if (contains(kStreams, token)) return Kind::Stream;
        if (contains(kWords, token)) return Kind::Word;
        if (isWordStart(token[0])) return Kind::Name;
        if (contains(kOperators, token)) return Kind::Operator;
        return contains(kAssignments, token) ? Kind::Assignment : Kind::Sign;
    }

    /// Another token of that kind, if one is found.
    std::size_t likeThat(std::size_t at) {
        for (int tries = 0; tries < 30; ++tries) {
            const std::size_t other = place();
            if (kindOf(tokens[other]) == kindOf(tokens[at]) && tokens[other] != tokens[at])
                return other;
        }
        return at;
    }

    void replaceByOther() {
        const std::size_t at = placeOfWord();
        tokens[at] = std::string(tokens[likeThat(at)]);
    }

    void replaceByKind() {
        std::string& token = tokens[placeOfWord()];
        switch (kindOf(token)) {
            case Kind::Number:
                token = pick(2) == 0 ? pickFrom(kNumbers) : std::to_string(pick(20));
                break;
            case Kind::Type: token = pickFrom(kTypes); break;
            case Kind::Stream: token = pickFrom(kStreams); break;
            case Kind::Name: token = pick(2) == 0 ? pickFrom(kNumbers) : token + " [ 1 ]"; break;
            case Kind::Operator: token = pickFrom(kOperators); break;
            case Kind::Assignment: token = pickFrom(kAssignments); break;
            default: break;
        }
    }

    /// One name becomes another one everywhere.
    void rename() {
        const std::string from = tokens[placeOfWord()];
        const std::string to = tokens[placeOfWord()];
        if (kindOf(from) != Kind::Name || kindOf(to) != Kind::Name) return;
        std::replace(tokens.begin(), tokens.end(), from, to);
    }

    void wrapNumber() {
        static constexpr std::string_view after[] = {"+ 1 )", "* 2 )",         "- 1 )",   "/ 0 )",
                                                     "% 3 )", "> 0 ? 1 : 2 )", "<< 31 )", "== 0 )"};
        std::string& token = tokens[placeOfWord()];
        if (kindOf(token) == Kind::Number || kindOf(token) == Kind::Name)
            token = "( " + token + " " + pickFrom(after);
    }

    // ---- statements and declarations

    void erasePiece() { erase(pieceAt(tokens, pickStart(tokens).at)); }
    void copyPiece() { insertPieceOf(Tokens(tokens)); }
    void movePiece() {
        const Tokens copy = tokens;
        const Start start = pickStart(copy);
        const Piece piece = pieceAt(copy, start.at);
        erase(piece);
        insert(pickStart(tokens, start.depth).at, piece, copy);
    }
    void wrapPiece() {
        static constexpr std::string_view before[] = {"if ( 1 > 0 ) {",
                                                      "for ( int i = 0 ; i < 3 ; i ++ ) {",
                                                      "while ( false ) {",
                                                      "add pipeline {",
                                                      "do {",
                                                      "{"};
        const Piece piece = pieceAt(tokens, pickStart(tokens).at);
        tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(piece.end), "}");
        tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(piece.begin), pickFrom(before));
    }

    Tokens tokens;
    std::mt19937 engine;
};

}  // namespace

std::string mutateTokens(std::string_view text, std::uint32_t seed) {
    Mutator mutator(Lexer(text).read(), seed);
    mutator.mutate();
    return mutator.text();
}

std::string crossTokens(std::string_view text, std::string_view other, std::uint32_t seed) {
    Mutator mutator(Lexer(text).read(), seed);
    mutator.insertPieceOf(Lexer(other).read());
    return mutator.text();
}

}  // namespace strc::fuzz
