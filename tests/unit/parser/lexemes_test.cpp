#include "parser/lexemes.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parser/detail/byte_stream.h"
#include "parser/detail/lexer.h"

namespace strc::parser {
namespace {

using testing::ElementsAre;

std::vector<std::string_view> textsOf(std::string_view text,
                                      std::span<const std::string_view> more = {}) {
    std::vector<std::string_view> list;
    for (const Lexeme& each : lexemes(text, more)) list.push_back(each.text);
    return list;
}

LexemeKind kindOf(const Token& token, std::string_view text) {
    switch (token.getType()) {
        case Grammar::ID: return LexemeKind::Name;
        case Grammar::INTEGER:
        case Grammar::HEX:
        case Grammar::REAL:
        case Grammar::IMAGINARY: return LexemeKind::Number;
        case Grammar::STRING:
        case Grammar::CHARACTER: return LexemeKind::String;
        case Grammar::LINE_COMMENT:
        case Grammar::BLOCK_COMMENT: return LexemeKind::Comment;
        default: break;
    }
    if (!std::isalpha(static_cast<unsigned char>(text[0]))) return LexemeKind::Sign;
    const bool isType = token.getType() >= Grammar::BOOLEAN && token.getType() <= Grammar::FLOAT4;
    return isType ? LexemeKind::Type : LexemeKind::Keyword;
}

struct Place {
    std::size_t begin, end;
    LexemeKind kind;
    bool operator==(const Place&) const = default;
};

/// As ANTLR's lexer finds them; two brackets that close types are put together again.
std::vector<Place> tokensOf(const std::string& text) {
    ByteStream bytes(text);
    Lexer lexer(&bytes, nullptr);
    std::vector<Place> places;
    bool isSecond = false;
    for (auto token = lexer.nextToken(); token->getType() != Token::EOF;
         token = lexer.nextToken()) {
        const std::size_t begin = token->getStartIndex();
        const std::size_t end = token->getStopIndex() + 1;
        const bool isShift = token->getType() == Grammar::GREATER && begin > 0 && end < text.size();
        if (isSecond) {
            places.back().end = end;
            isSecond = false;
            continue;
        }
        places.push_back({begin, end, kindOf(*token, std::string_view(text).substr(begin))});
        isSecond = isShift && text[end] == '>';
    }
    return places;
}

/// Every file of the library is a right text.
TEST(Lexemes, AreTheTokensOfTheGrammar) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(STRC_STDLIB)) {
        if (entry.path().extension() != ".str") continue;
        std::ifstream file(entry.path());
        std::stringstream read;
        read << file.rdbuf();
        const std::string text = read.str();
        std::vector<Place> found;
        for (const Lexeme& each : lexemes(text)) found.push_back({each.begin, each.end, each.kind});
        EXPECT_TRUE(found == tokensOf(text)) << entry.path();
        ++files;
    }
    EXPECT_GT(files, 10U);
}

TEST(Lexemes, NumbersAndSigns) {
    EXPECT_THAT(textsOf("a<<=1.5e-3f->0x1e+2i&&b"),
                ElementsAre("a", "<<=", "1.5e-3f", "->", "0x1e", "+", "2i", "&&", "b"));
    EXPECT_THAT(textsOf("'\\'' \"a\\\"b\" /* c */ // d"),
                ElementsAre("'\\''", "\"a\\\"b\"", "/* c */", "// d"));
}

TEST(Lexemes, AnotherLanguageMayHaveMoreSigns) {
    constexpr std::string_view kMore[] = {"<-", ".."};
    EXPECT_THAT(textsOf("s<-[1..9]", kMore), ElementsAre("s", "<-", "[", "1", "..", "9", "]"));
    EXPECT_THAT(textsOf("s<-1"), ElementsAre("s", "<", "-", "1"));
}

TEST(Lexemes, KindsOfWords) {
    EXPECT_EQ(kindOfWord("float2"), LexemeKind::Type);
    EXPECT_EQ(kindOfWord("roundrobin"), LexemeKind::Keyword);
    EXPECT_EQ(kindOfWord("iter"), LexemeKind::Name);
    EXPECT_THAT(keywords(), testing::Contains("prework"));
}

TEST(Lexemes, NoTextIsRefused) {
    EXPECT_THAT(textsOf("é@\x01"), ElementsAre("é", "@", "\x01"));
    EXPECT_TRUE(lexemes("\"abc").back().isOpen);
    EXPECT_TRUE(lexemes("/* abc").back().isOpen);
    for (const char* text : {"", "\"", "'", "/*", "/", "}}}}{", "1e", "a", "\"\\"}) lexemes(text);
}

}  // namespace
}  // namespace strc::parser
