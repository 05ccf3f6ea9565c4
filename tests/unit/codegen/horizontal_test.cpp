#include "base/pass.h"
#include "ir/scalarise.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The passes `inline`, `horizontal-fusion` and `vectorise-splitjoins`: what is made of the program, and that it prints the same.
class HorizontalCompiled : public CompiledTest {
protected:
    /// `branches` between a source of floats and a sink.
    void compileBank(const std::string& bank, const std::string& filters,
                     const std::string& type = "float") {
        compile("void->void pipeline Main { add Count; add Bank; add Show; }\nvoid->" + type +
                " filter Count { int n; work push 1 { push((n * 37 % 101 - 50)" +
                (type == "int" ? "" : " / 7.0") + "); n++; } }\n" + type + "->" + type +
                " splitjoin Bank { " + bank + " }\n" + filters + "\n" + type +
                "->void filter Show { work pop 1 { println(pop()); } }\n");
    }
    /// How many filters the plan has.
    std::size_t filters() {
        std::size_t count = 0;
        for (const graph::Node& node : program.plan->program->graph.nodes)
            count += node.kind == graph::NodeKind::Filter;
        return count;
    }
    /// The kernel that is several filters in lanes; null: there is none.
    const elab::Kernel* fused() {
        for (const elab::Kernel& kernel : program.plan->program->kernels)
            if (kernel.code.work && ir::hasVectors(*kernel.code.work)) return &kernel;
        return nullptr;
    }
    void expectSame() {
        for (int count : {1, 7, 300}) {
            const auto compiled = run(iterations(count));
            const std::string inLanes = std::exchange(printed, "");
            EXPECT_EQ(compiled.end, interpret(iterations(count)).end);
            EXPECT_EQ(inLanes, printed);
            printed.clear();
        }
    }
    static std::string branches(int count, const std::string& split, const std::string& add) {
        return "split " + split + "; for (int k = 0; k < " + std::to_string(count) + "; k++) add " +
               add + "; join roundrobin;";
    }

    const std::string section =
        "float->float stateful filter Section(float a, float b) { float y; float before;"
        " work pop 1 push 1 { float x = pop(); y = x + a * before - b * y; before = x; push(y); } "
        "}";

    void SetUp() override { request.optimise = pass::Options{}; }
};

TEST_F(HorizontalCompiled, Recurrences) {
    for (const char* split : {"duplicate", "roundrobin"})
        for (int count : {4, 8, 15, 16, 17, 40}) {
            SCOPED_TRACE(split + std::to_string(count));
            compileBank(branches(count, split, "Section(0.1 * k, 0.01 * k - 0.3)"), section);
            EXPECT_EQ(filters(), 3u);
            ASSERT_TRUE(fused());
            EXPECT_EQ(fused()->work.push.max, count);
            EXPECT_EQ(fused()->code.fields.size(), count > 16 ? 8 : 4) << "once for each width";
            expectSame();
        }
}

TEST_F(HorizontalCompiled, WindowsThatLookAhead) {
    for (const char* split : {"duplicate", "roundrobin"}) {
        compileBank(
            branches(5, split, "Ahead(k)"),
            "float->float stateful filter Ahead(int k) { float sum; work pop 2 peek 5 push 3 {"
            " float x = pop(); sum = 0.5 * sum + x * k; push(sum); push(peek(3)); push(pop() - k); "
            "} }");
        EXPECT_TRUE(fused());
        expectSame();
    }
}

TEST_F(HorizontalCompiled, ArraysLoopsAndBranches) {
    compileBank(
        branches(6, "roundrobin", "Comb({1, 2, 3 + k}, k)"),
        "float->float stateful filter Comb(float[3] h, int k) { float[3] last; int at; complex z;"
        " work pop 1 push 1 { float x = pop(); for (int i = 2; i > 0; i--) last[i] = last[i - 1]; "
        "last[0] = x;"
        " float s = 0; for (int i = 0; i < 3; i++) s += h[i] * last[i]; at = (at + k) % 7;"
        " z.real = x; z.imag += 1; z = z * z; if (s > x) s = sqrt(abs(s)) + at; else s = -s;"
        " push(s + z.imag / (1 + abs(z.imag))); } }");
    EXPECT_TRUE(fused());
    expectSame();
}

TEST_F(HorizontalCompiled, FunctionsAreTakenInBefore) {
    const std::string wrap =
        "float->float stateful filter Wrap(float step) { float angle; float wrap(float x) { if (x "
        "> 3) return x - 6;"
        " return x; } work pop 1 push 1 { angle = wrap(angle + step + 0.1 * pop()); push(angle); } "
        "}";
    compileBank(branches(9, "roundrobin", "Wrap(0.1 * k)"), wrap);
    EXPECT_TRUE(fused());
    expectSame();
    disabled = {base::Pass::Inline};
    compileBank(branches(9, "roundrobin", "Wrap(0.1 * k)"), wrap);
    EXPECT_FALSE(fused());
    expectSame();
}

TEST_F(HorizontalCompiled, StatelessOnesWhoseItemsLieApart) {
    const std::string columns =
        "float->float filter Turn(float[8] c) { work pop 4 push 2 { float s = 0; for (int i = 0; i "
        "< 4; i++)"
        " s += c[i] * peek(i); push(s); push(peek(3)); for (int i = 0; i < 4; i++) pop(); } }";
    compileBank(branches(8, "roundrobin", "Turn({1, k, 3, 4, 5, 6, 7, 8})"), columns);
    EXPECT_TRUE(fused());
    expectSame();
}

TEST_F(HorizontalCompiled, TheSameFilterFiresMoreOften) {
    const std::string bank =
        "split roundrobin(4); for (int k = 0; k < 3; k++) add Pair; join roundrobin(6);";
    const std::string pair =
        "int->int filter Pair { work pop 2 push 3 { int x = pop(); push(x); push(pop() * 3); "
        "push(-x); } }";
    compileBank(bank, pair, "int");
    EXPECT_EQ(filters(), 3u);
    EXPECT_FALSE(fused());
    expectSame();
    disabled = {base::Pass::HorizontalFusion};
    compileBank(bank, pair, "int");
    EXPECT_EQ(filters(), 5u);
    expectSame();
}

TEST_F(HorizontalCompiled, WhatIsLeftAlone) {
    const auto isLeft = [&](const std::string& bank, const std::string& filter,
                            const std::string& type = "float") {
        SCOPED_TRACE(filter);
        compileBank(bank, filter, type);
        EXPECT_GT(filters(), 3u);
        expectSame();
    };
    // Items in another turn, other bodies, an index that might be wrong, an effect, another loop.
    isLeft("split roundrobin(1); for (int k = 0; k < 4; k++) add Two; join roundrobin(2);",
           "int->int filter Two { work pop 2 push 2 { push(pop() - pop()); push(1); } }", "int");
    isLeft(branches(4, "duplicate", "Some(k)"),
           "float->float stateful filter Some(int k) { float s; work pop 1 push 1 { s += pop(); if "
           "(k == 2) s = 0; push(s); } }");
    isLeft(branches(4, "duplicate", "Index(k)"),
           "int->int stateful filter Index(int k) { int[8] a; int n; work pop 1 push 1 { n += "
           "pop() & 1; a[n % 8] = n * k; push(a[(n * n) & 7]); } }",
           "int");
    isLeft(branches(4, "roundrobin", "Taps(k + 1)"),
           "float->float stateful filter Taps(int k) { float s; work pop 1 push 1 { for (int i = "
           "0; i < k; i++) s += 0.5; push(s + pop()); } }");
}

TEST_F(HorizontalCompiled, CanBeSwitchedOff) {
    disabled = {base::Pass::VectoriseSplitjoins};
    compileBank(branches(8, "duplicate", "Section(0.1 * k, 0.01 * k)"), section);
    EXPECT_EQ(filters(), 10u);
    expectSame();
}

}  // namespace
}  // namespace strc::testing
