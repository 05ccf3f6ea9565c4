#include "ast/write.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "base/context.h"
#include "parser/parse.h"

namespace strc::ast {
namespace {

/// The text read and written; empty: it is not the language. Trees that are equal but for parentheses are written alike.
std::string rewritten(const std::string& text) {
    base::Context context;
    const base::BufferId buffer = context.sources.add("test.str", text);
    const Unit& unit = parser::parse(context, buffer);
    return context.diags.hasErrors() ? "" : write(unit);
}

void expectSame(const std::string& text, const std::string& name) {
    const std::string once = rewritten(text);
    if (once.empty()) return;
    EXPECT_EQ(rewritten(once), once) << name;
}

TEST(Write, ProgramsComeBack) {
    int count = 0;
    for (const char* folder : {"/stdlib", "/examples", "/tests/conformance"})
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(STRC_SOURCE_DIR + std::string(folder))) {
            if (entry.path().extension() != ".str") continue;
            std::ifstream file(entry.path());
            std::stringstream text;
            text << file.rdbuf();
            expectSame(text.str(), entry.path().string());
            ++count;
        }
    EXPECT_GT(count, 50);
}

/// What a filter with that expression is written as.
std::string expression(const std::string& text) {
    const std::string written =
        rewritten("int->int filter F { work pop 1 push 1 { push(" + text + "); } }");
    const std::size_t begin = written.find("push(") + 5;
    return written.substr(begin, written.find(");", begin) - begin);
}

TEST(Write, ParenthesesStandWhereLevelsAskForThem) {
    EXPECT_EQ(expression("(a + b) * c"), "(a + b) * c");
    EXPECT_EQ(expression("a + (b * c)"), "a + b * c");
    EXPECT_EQ(expression("a - (b - c)"), "a - (b - c)");
    EXPECT_EQ(expression("(a - b) - c"), "a - b - c");
    EXPECT_EQ(expression("-(-a)"), "-(-a)");
    EXPECT_EQ(expression("-(a + b)"), "-(a + b)");
    EXPECT_EQ(expression("(c ? a : b) ? d : e"), "(c ? a : b) ? d : e");
    EXPECT_EQ(expression("c ? a : d ? b : e"), "c ? a : d ? b : e");
    EXPECT_EQ(expression("(int)(a + b)"), "(int)(a + b)");
    EXPECT_EQ(expression("(a[1]).x"), "a[1].x");
}

TEST(Write, OperatorsOnBitsArePutInParentheses) {
    EXPECT_EQ(expression("a >> 1 + b"), "(a >> 1) + b");
    EXPECT_EQ(expression("a + b & c"), "(a + b) & c");
    EXPECT_EQ(expression("a | b | c"), "a | b | c");
    EXPECT_EQ(expression("a | b & c"), "(a | b) & c");
}

TEST(Write, Literals) {
    EXPECT_EQ(expression("0x80000000"), "0x80000000");
    EXPECT_EQ(expression("1e-45"), "1e-45");
    EXPECT_EQ(expression("16777217.0"), "16777216.0");
    EXPECT_EQ(expression("2.5i"), "2.5i");
    EXPECT_EQ(expression("\"a\\n\\\"\""), "\"a\\012\\\"\"");
}

}  // namespace
}  // namespace strc::ast
