#include <utility>

#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A filter between numbers and their print, once with selections and once interpreted.
class IfConversionCompiled : public CompiledTest {
protected:
    std::string compileFilter(const std::string& filter, const std::string& type = "int") {
        compile(
            "void->void pipeline Main { add Count; add F; add Show; }\n"
            "void->int filter Count { int n; work push 1 { push((n * 37) % 101 - 50); n++; } }\n"
            "int->" +
            type + " filter F { " + filter + " }\n" + type +
            "->void filter Show { work pop 1 { println(pop()); } }\n");
        return codegen::printLlvm(lower());
    }
    void expectSame(const std::string& filter, const std::string& type = "int") {
        SCOPED_TRACE(filter);
        EXPECT_THAT(compileFilter(filter, type), HasSubstr("!unpredictable"));
        const auto compiled = run(iterations(70));
        const std::string chosen = std::exchange(printed, "");
        const auto found = faults();
        const auto meant = interpret(iterations(70));
        EXPECT_EQ(compiled.end, meant.end);
        EXPECT_EQ(chosen, printed);
        const auto all = faults();
        EXPECT_EQ(all, found.empty() ? found : std::vector<std::string>(2, found[0]));
        printed.clear();
    }
};

TEST_F(IfConversionCompiled, PushesAndElements) {
    const std::pair<std::string, std::string> items[] = {
        {"int", "x"},     {"float", "x / 3.0"},    {"double", "x / 3.0"},
        {"complex", "x"}, {"bit", "(bit)(x & 1)"}, {"boolean", "x > 3"}};
    for (const auto& [type, item] : items)
        expectSame("work pop 8 push 8 { " + type +
                       "[8] b; int n; for (int i = 0; i < 8; i++) { int x = pop(); " + type +
                       " y = " + item +
                       "; if (x < 7) push(y); else { b[n] = y; n++; } }"
                       " for (int i = 0; i < n; i++) push(b[i]); }",
                   type);
}

TEST_F(IfConversionCompiled, FullOutputs) {
    // The last item is pushed before the branch is taken the wrong way for the last time.
    expectSame(
        "work pop 9 push 4 { int n; for (int i = 0; i < 9; i++) { int x = pop();"
        " if (n < 4 && x % 2 == 0) { push(x); n++; } } while (n < 4) { push(n); n++; } }");
}

TEST_F(IfConversionCompiled, ElementsOfTables) {
    expectSame(
        "work pop 8 push 3 { int[3][4] t; for (int i = 0; i < 8; i++) { int x = pop(); int m = i % "
        "3;"
        " if (x > 4) t[1][m] = x; if (x < 0) t[2][0] += i; } push(t[1][1]); push(t[1][2]);"
        " push(t[2][0]); }");
}

TEST_F(IfConversionCompiled, ChecksOfTheSideThatIsDone) {
    expectSame(
        "work pop 1 push 1 { int[3] t; int x = pop(); if (x >= 0 && x < 3) t[x] = x;"
        " else t[0] = 1; push(t[0] + t[2]); }");
    // Beyond the array after some firings.
    expectSame(
        "work pop 1 push 1 { int[90] t; int x = pop(); int y = x + 41; if (x != -50) t[y] = x;"
        " push(t[3]); }");
}

TEST_F(IfConversionCompiled, RatesAreChecked) {
    expectSame(
        "work pop 4 push 2 { for (int i = 0; i < 4; i++) { int x = pop(); if (x < 20) push(x); } "
        "}");
}

TEST_F(IfConversionCompiled, CanBeSwitchedOff) {
    const std::string filter =
        "work pop 2 push 1 { int x = pop(); int y = pop(); if (x < y) push(y); if (!(x < y)) "
        "push(x);"
        " }";
    EXPECT_THAT(compileFilter(filter), HasSubstr("!unpredictable"));
    request.tapes = plan::Tapes::Ring;
    EXPECT_THAT(compileFilter(filter), Not(HasSubstr("!unpredictable")));
    request.tapes = plan::Tapes::Linear;
    compileFilter(filter);
    program.context.passes.disable(base::Pass::IfConversion);
    EXPECT_THAT(codegen::printLlvm(lower()), Not(HasSubstr("!unpredictable")));
}

}  // namespace
}  // namespace strc::testing
