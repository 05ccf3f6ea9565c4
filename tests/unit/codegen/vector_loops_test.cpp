#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCounterInLanes = " x i32>, align 4";

/// A filter with state, so that it fires one by one, with loops whose iterations are done in vectors.
class VectorLoopsCompiled : public CompiledTest {
protected:
    /// The source counts one by one, so the only counters in lanes are those of loops.
    void SetUp() override { disabled = {base::Pass::SkipAhead}; }

    void compileFilter(const std::string& filter, const std::string& type) {
        compile(
            "void->void pipeline Main { add Count; add F; add Show; }\n"
            "void->" +
            type +
            " filter Count { int n; work push 1 { push(((n * 37) % 101 - 50) / 7.0);"
            " n++; } }\n" +
            type + "->" + type + " stateful filter F { float own; " + filter + " }\n" + type +
            "->void filter Show { work pop 1 { println(pop()); } }\n");
    }
    void expectSame(const std::string& filter, const std::string& type = "float") {
        SCOPED_TRACE(filter);
        compileFilter(filter, type);
        EXPECT_THAT(codegen::printLlvm(lower()), HasSubstr(kCounterInLanes));
        const auto compiled = run(iterations(120));
        const std::string inLanes = std::exchange(printed, "");
        const auto found = faults();
        const auto meant = interpret(iterations(120));
        EXPECT_EQ(compiled.end, meant.end);
        EXPECT_EQ(inLanes, printed);
        const auto all = faults();
        EXPECT_EQ(all, found.empty() ? found : std::vector<std::string>(2, found[0]));
        printed.clear();
    }
};

TEST_F(VectorLoopsCompiled, Correlations) {
    for (const char* type : {"float", "double", "complex"})
        for (const char* lags : {"32", "48", "33", "67"}) {
            const std::string n = lags;
            const std::string zero = type;
            expectSame("work pop 40 peek 100 push " + n + " { own++; for (int j = 0; j < " + n +
                           "; j++) { " + zero + " s = 0; for (int k = 0; k < 100 - " + n +
                           "; k++) s += peek(k) * peek(k + j); push(s); }"
                           " for (int i = 0; i < 40; i++) pop(); }",
                       type);
        }
}

TEST_F(VectorLoopsCompiled, ProductsOfMatrices) {
    for (int n : {16, 32, 35}) {
        const std::string size = std::to_string(n), items = std::to_string(n * n);
        expectSame("work pop 2 * " + items + " push " + items + " { own++; for (int i = 0; i < " +
                   size + "; i++) for (int j = 0; j < " + size +
                   "; j++) { float sum = 0; int row = i * " + size + "; int column = " + items +
                   " + j * " + size + "; for (int k = 0; k < " + size +
                   "; k++) sum += peek(row + k) * peek(column + k); push(sum); }"
                   " for (int i = 0; i < 2 * " +
                   items + "; i++) pop(); }");
    }
}

TEST_F(VectorLoopsCompiled, TablesAndCountersAndBranches) {
    expectSame(
        "float[80] h; init { for (int i = 0; i < 80; i++) h[i] = 1.0 / (i + 1); }\n"
        "work pop 8 push 33 { own++; for (int j = 0; j < 33; j++) { float s = j; int n;"
        " for (int k = 0; k < 8; k++) { if (k % 2 == 0) s += h[j + k] * peek(k); else n += k;"
        " s = s * 0.5; } push(s + n); } for (int i = 0; i < 8; i++) pop(); }");
    expectSame(
        "work pop 70 push 32 { own++; for (int j = 0; j < 32; j++) { float s = 0;"
        " for (int k = 0; k < 5; k++) s += peek(2 * j + k); push(sin(s)); }"
        " for (int i = 0; i < 70; i++) pop(); }");
}

TEST_F(VectorLoopsCompiled, ChecksThatFail) {
    expectSame(
        "float[60] h;\n"
        "work pop 8 push 64 { own++; for (int j = 0; j < 64; j++) { float s = 0;"
        " for (int k = 0; k < 8; k++) s += h[j + k] * peek(k); push(s); }"
        " for (int i = 0; i < 8; i++) pop(); }");
    for (const char* further : {"1", "-1"})
        expectSame(std::string("work pop 8 peek 71 push 64 { own++; int d = own > 3 ? ") + further +
                   " : 0; for (int j = 0; j < 64; j++) { float s = 0;"
                   " for (int k = 0; k < 8; k++) s += peek(j + k + d); push(s); }"
                   " for (int i = 0; i < 8; i++) pop(); }");
}

TEST_F(VectorLoopsCompiled, CanBeSwitchedOff) {
    const std::string filter =
        "work pop 32 push 16 { own++; for (int j = 0; j < 16; j++) { float s = 0;"
        " for (int k = 0; k < 9; k++) s += peek(j + k); push(s); }"
        " for (int i = 0; i < 32; i++) pop(); }";
    request.tapes = plan::Tapes::Ring;
    compileFilter(filter, "float");
    EXPECT_THAT(codegen::printLlvm(lower()), Not(HasSubstr(kCounterInLanes)));
    request.tapes = plan::Tapes::Linear;
    compileFilter(filter, "float");
    EXPECT_THAT(codegen::printLlvm(lower()), HasSubstr(kCounterInLanes));
    program.context.passes.disable(base::Pass::VectoriseLoops);
    EXPECT_THAT(codegen::printLlvm(lower()), Not(HasSubstr(kCounterInLanes)));
}

}  // namespace
}  // namespace strc::testing
