#include "token_mutator.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parser/parse.h"

namespace strc::fuzz {
namespace {

using testing::HasSubstr;

constexpr std::string_view kProgram =
    R"(void->void pipeline Main { add Source(3); add Scale(0.5); add Sink; }
void->float filter Source(int n) { int at; work push 1 { push(at++ % n); } }  // counts
float->float filter Scale(float by) { work pop 1 push 1 { push(pop() * by + 1.5e-3); } }
float->void filter Sink { work pop 1 { if (peek(0) >= 1) println("a \" b"); pop(); } }
)";
constexpr std::string_view kOther = "int twice; ";

bool parses(const std::string& text) {
    base::Context context;
    parser::parse(context, context.sources.add("mutated.str", text));
    return !context.diags.hasErrors();
}

TEST(TokenMutator, ChangesDifferAndManyTextsStillParse) {
    std::set<std::string> texts;
    int parsed = 0;
    for (std::uint32_t seed = 0; seed < 400; ++seed) {
        const std::string text = mutateTokens(kProgram, seed);
        if (texts.insert(text).second && parses(text)) ++parsed;
    }
    EXPECT_GT(texts.size(), 280u);
    EXPECT_GT(parsed, 130);
}

TEST(TokenMutator, OneSeedIsOneChange) {
    for (std::uint32_t seed = 0; seed < 50; ++seed)
        EXPECT_EQ(mutateTokens(kProgram, seed), mutateTokens(kProgram, seed));
}

TEST(TokenMutator, TokensStayWhole) {
    const std::string text = crossTokens(kProgram, "", 1);
    EXPECT_THAT(text, HasSubstr("void -> float filter Source ( int n ) {"));
    EXPECT_THAT(text, HasSubstr("peek ( 0 ) >= 1"));
    EXPECT_THAT(text, HasSubstr("\"a \\\" b\""));
    EXPECT_THAT(text, HasSubstr("1.5e-3"));
    EXPECT_EQ(text.find("counts"), std::string::npos);
}

TEST(TokenMutator, PiecesOfOthersComeBetweenPieces) {
    std::set<std::string> texts;
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
        const std::string text = crossTokens(kProgram, kOther, seed);
        EXPECT_THAT(text, HasSubstr("int twice ;\n"));
        texts.insert(text);
    }
    EXPECT_EQ(texts.size(), 5u);
}

TEST(TokenMutator, AnyTextWillDo) {
    for (std::string_view text :
         {"", " ", "/* open", "\"open", "}}}", "(((", "\\", "1e", "'", "\xff"}) {
        for (std::uint32_t seed = 0; seed < 100; ++seed) {
            mutateTokens(text, seed);
            crossTokens(text, kProgram, seed);
        }
    }
}

}  // namespace
}  // namespace strc::fuzz
