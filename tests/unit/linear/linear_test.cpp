// Programs from their text to the combined graph, and their runs.
#include "linear/linear.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/pass.h"
#include "ir/verify.h"
#include "linear/detail/extract.h"
#include "unit/codegen/compiled.h"

namespace strc::linear {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LinearTest : public strc::testing::CompiledTest {
protected:
    LinearTest() { request.optimise = pass::Options{true}; }

    /// The program `pipeline Main { add Count; <body> add Out; }` and those filters.
    void compileBetween(const std::string& body, const std::string& filters,
                        const std::string& type = "int") {
        compile("void->void pipeline Main { add Count; " + body + " add Out; }\n" + filters +
                "\nvoid->" + type +
                " filter Count { int k; work push 1 { push(7 * k * k + 3); k++; } }\n" + type +
                "->void filter Out { work pop 1 { println(pop()); } }\n");
    }

    /// What is found about a filter int->int with that work.
    std::string formOf(const std::string& filter, const std::string& type = "int") {
        request.optimise.reset();
        compileBetween("add F;", filter, type);
        for (graph::NodeId id = 0; id < program.elaboration.graph.nodes.size(); ++id)
            if (program.elaboration.graph.nodes[id].name == "F") {
                const Extraction found = extract(program.module, program.elaboration, id, true);
                return found.form ? print(*found.form) : found.whyNot;
            }
        return "no F";
    }

    /// The graph that the plan is of.
    const graph::Graph& planned() const { return program.plan->program->graph; }
    std::vector<std::string> paths() const {
        std::vector<std::string> list;
        for (graph::NodeId id = 0; id < planned().nodes.size(); ++id)
            list.push_back(graph::path(planned(), id));
        return list;
    }

    /// Prints of so many steady states are the interpreter's.
    void expectSame(std::int64_t count) {
        for (const elab::Kernel& kernel : program.plan->program->kernels) {
            if (kernel.stream != ir::kNone || kernel.builtin != ir::BuiltinStream::None) continue;
            EXPECT_THAT(ir::verify(program.module, &kernel.code, *kernel.code.work), IsEmpty());
        }
        interpret(strc::testing::iterations(count));
        const std::string expected = std::exchange(printed, "");
        run(strc::testing::iterations(count));
        EXPECT_EQ(printed, expected);
        EXPECT_THAT(expected, HasSubstr("\n"));
        printed.clear();
    }
};

// ---------------------------------------------------------------- extraction

TEST_F(LinearTest, SumsOfItemsAreLinear) {
    EXPECT_EQ(formOf("int->int filter F { work pop 2 peek 3 push 2 {"
                     " push(3 * peek(0) - (peek(2) << 4) + 5); push(~pop()); pop(); } }"),
              "pop 2 peek 3 push 2, 3 terms\n  3*x0 - 16*x2 + 5\n  -x0 - 1\n");
}

TEST_F(LinearTest, LoopsArraysAndFunctionsAreFollowed) {
    EXPECT_EQ(formOf("int->int filter F { int[4] h; init { for (int i = 0; i < 4; i++) h[i] = i; }"
                     " int weigh(int x, int k) { return k % 2 == 0 ? x * h[k] : -x * h[k]; }"
                     " work pop 1 peek 4 push 1 { int[4] a; for (int i = 0; i < 4; i++)"
                     " a[3 - i] = weigh(peek(i), i); int sum = 0;"
                     " int i = 0; while (true) { if (i == 4) break; sum += a[i]; i++; }"
                     " push(sum); pop(); } }"),
              "pop 1 peek 4 push 1, 3 terms\n  -x1 + 2*x2 - 3*x3\n");
}

TEST_F(LinearTest, WindowsAreAsDeclared) {
    EXPECT_EQ(formOf("int->int filter F { work pop 1 peek 9 push 1 { push(pop()); } }"),
              "pop 1 peek 9 push 1, 1 terms\n  x0\n");
}

TEST_F(LinearTest, WhatIsNotLinearSaysWhy) {
    auto why = [&](const std::string& work) {
        return formOf("int->int filter F { int s; int[2] t; work pop 1 push 1 { " + work + " } }");
    };
    EXPECT_EQ(why("s += pop(); push(s);"), "it has state");
    EXPECT_EQ(why("t[0] = pop(); push(t[0]);"), "it has state");
    EXPECT_EQ(why("int x = pop(); push(x * x);"), "it multiplies items with items");
    EXPECT_EQ(why("push(pop() / 2);"), "it divides ints");
    EXPECT_EQ(why("push(pop() >> 1);"), "it computes something else than sums of items");
    EXPECT_EQ(why("push(pop() > 0 ? 1 : 2);"), "it computes something else than sums of items");
    EXPECT_EQ(why("push(t[pop() & 1]);"), "it computes something else than sums of items");
    EXPECT_EQ(why("push(t[pop()]);"), "an index depends on items");
    EXPECT_EQ(why("int k = 2; push(t[k] + pop());"), "an index is outside its array");
    EXPECT_EQ(why("println(1); push(pop());"), "it has effects");
    EXPECT_EQ(why("push(pop() + iter());"), "it has effects");
    EXPECT_EQ(why("push((int)(0.5 * pop()));"), "it converts items");
    EXPECT_EQ(why("int n = 0; while (n < 10000000) n++; push(pop() + n);"),
              "it takes too many steps");
    EXPECT_EQ(formOf("int->int filter F { prework push 1 { push(1); } work pop 1 push 1 "
                     "{ push(pop()); } }"),
              "it has a prework");
}

TEST_F(LinearTest, FloatsAndDoublesAreNumbers) {
    EXPECT_EQ(formOf("float->float filter F { work pop 1 push 1 "
                     "{ double x = pop(); push((float)(x / 4 - 0.5)); } }",
                     "float"),
              "pop 1 peek 1 push 1, 1 terms\n  0.25*x0 - 0.5\n");
}

// ---------------------------------------------------------------- combination

constexpr const char* kGains = R"(
int->int filter Gain(int k) { work pop 1 push 1 { push(k * pop()); } }
int->int filter Fir(int n) { work pop 1 peek n push 1 {
    int sum = 0; for (int i = 0; i < n; i++) sum += (i + 1) * peek(i); push(sum); pop(); } }
int->int filter Square { work pop 1 push 1 { int x = pop(); push(x * x); } }
int->int filter Sum(int n) { work pop n push 1 { int s = 0;
    for (int i = 0; i < n; i++) s += pop(); push(s); } }
)";

TEST_F(LinearTest, NeighboursBecomeOne) {
    compileBetween("add Gain(3); add Gain(5); add Square; add Fir(4); add Gain(7);", kGains);
    EXPECT_THAT(paths(), ElementsAre("Main.Count", "Main.Gain+Gain", "Main.Square", "Main.Fir+Gain",
                                     "Main.Out"));
    expectSame(20);
}

TEST_F(LinearTest, SplitJoinsBecomeOne) {
    compileBetween(
        "add splitjoin { split duplicate; for (int i = 0; i < 8; i++) add pipeline "
        "{ add Fir(20); add Gain(i); } join roundrobin; } add Sum(8);",
        kGains);
    EXPECT_EQ(planned().nodes.size(), 3u);
    EXPECT_EQ(planned().nodes[1].work.peek.max, 20);
    EXPECT_EQ(program.optimised->repetitions.init, (std::vector<std::int64_t>{19, 0, 0}));
    expectSame(50);
}

TEST_F(LinearTest, RoundRobinSplitters) {
    compileBetween(
        "add splitjoin { split roundrobin(2, 1); add Sum(2); add Gain(9); "
        "join roundrobin; } add Gain(2);",
        kGains);
    EXPECT_EQ(planned().nodes.size(), 3u);
    expectSame(30);
}

TEST_F(LinearTest, AWholeProgramMayBecomeAFilter) {
    request.top = "P";
    compile("int->int pipeline P { add Gain(2); add Gain(3); }" + std::string(kGains));
    EXPECT_EQ(planned().nodes.size(), 1u);
    EXPECT_EQ(paths(), std::vector<std::string>{"P.Gain+Gain"});
}

TEST_F(LinearTest, WhatStaysKeepsItsName) {
    compileBetween("add Square; add Gain(2); add Gain(3); add Square; add Gain(4);", kGains);
    EXPECT_THAT(paths(), ElementsAre("Main.Count", "Main.Square[0]", "Main.Gain+Gain",
                                     "Main.Square[1]", "Main.Gain[2]", "Main.Out"));
    expectSame(9);
}

TEST_F(LinearTest, TheInitialisationStaysTheSame) {
    // What looks one item ahead needs one firing of Pair, half of one of both.
    const std::string pair =
        "int->int filter Two { work pop 1 push 2 { push(peek(0)); push(2 * pop()); } }\n"
        "int->int filter Pair { work pop 1 push 1 { push(3 * pop()); } }\n"
        "int->int filter Ahead { work pop 2 peek 3 push 1 { push(peek(0) * peek(2)); pop(); pop(); "
        "} }\n";
    compileBetween("add Two; add Pair; add Ahead;", pair);
    EXPECT_FALSE(program.optimised);
    expectSame(10);
    compileBetween("add Two; add Pair; add Square;", pair + kGains);
    EXPECT_TRUE(program.optimised);
    expectSame(10);
}

TEST_F(LinearTest, WhatIsLeftAlone) {
    auto isLeft = [&](const std::string& body, const std::string& more = "") {
        compileBetween(body, kGains + more);
        expectSame(5);
        return !program.optimised;
    };
    EXPECT_TRUE(
        isLeft("add feedbackloop { join roundrobin; body pipeline { add Sum(2); add Two; } "
               "loop Gain(1); split roundrobin; enqueue 1; };",
               "int->int filter Two { work pop 1 push 2 { push(peek(0)); push(pop()); } }"));
    EXPECT_TRUE(
        isLeft("add Gain(2); add Gain(3); add Loud;",
               "int->int filter Loud { work pop 1 push 1 { println(peek(0)); push(pop()); } }"));
    request.optimise = pass::Options{false};
    compileBetween("add G; add G;",
                   "float->float filter G { work pop 1 push 1 { push(2 * pop()); } }", "float");
    EXPECT_FALSE(program.optimised);
}

TEST_F(LinearTest, PassesCanBeSwitchedOff) {
    std::destroy_at(&program);
    std::construct_at(&program);
    program.context.passes.disable(base::Pass::LinearCombination);
    request.sources = {{"t.str",
                        "void->void pipeline Main { add S; add G; add G; add O; }"
                        "void->int filter S { work push 1 { push(1); } }"
                        "int->int filter G { work pop 1 push 1 { push(2 * pop()); } }"
                        "int->void filter O { work pop 1 { println(pop()); } }"}};
    session::compile(program, request, library, session::Stage::Planned);
    EXPECT_FALSE(program.optimised);
}

TEST_F(LinearTest, LongPipelinesAreTakenInRounds) {
    compileBetween("for (int i = 0; i < 300; i++) add Gain(2 * i + 1);", kGains);
    EXPECT_EQ(planned().nodes.size(), 3u);
    EXPECT_EQ(paths()[1], "Main.Gain+Gain+…+Gain");
    expectSame(4);
}

// ---------------------------------------------------------------- frequency

constexpr const char* kLongFir = R"(
float->float filter Fir(int n) { float[n] h;
    init { for (int i = 0; i < n; i++) h[i] = sin(0.7 * i + 1) * (n - i) / n; }
    work pop 1 peek n + 5 push 1 {
        float sum = 0; for (int i = 0; i < n; i++) sum += h[i] * peek(i + 3); push(sum); pop(); } }
)";

std::vector<double> numbers(const std::string& lines) {
    std::vector<double> list;
    std::istringstream in(lines);
    for (double number = 0; in >> number;) list.push_back(number);
    return list;
}

class FrequencyTest : public LinearTest {
protected:
    void compileFir(const std::string& length) {
        compileBetween(
            "add float->float filter { work pop 1 push 1 { float x = pop();"
            " push(x - 50 * floor(x / 50)); } }; add Fir(" +
                length + ");",
            kLongFir, "float");
    }

    bool isTransformed() {
        return codegen::printLlvm(lower()).find("Fir.work.blocks") != std::string::npos;
    }

    /// Near the interpreter's, by 0.0001 of the largest.
    void expectNear(std::int64_t count) {
        interpret(strc::testing::iterations(count));
        const std::vector<double> exact = numbers(std::exchange(printed, ""));
        run(strc::testing::iterations(count));
        const std::vector<double> got = numbers(std::exchange(printed, ""));
        ASSERT_EQ(exact.size(), static_cast<std::size_t>(count));
        ASSERT_EQ(got.size(), exact.size());
        double largest = 0, worst = 0;
        for (std::size_t k = 0; k < exact.size(); ++k) {
            largest = std::max(largest, std::abs(exact[k]));
            worst = std::max(worst, std::abs(exact[k] - got[k]));
        }
        EXPECT_GT(largest, 100);
        EXPECT_LT(worst, 1e-4 * largest);
    }
};

TEST_F(FrequencyTest, LongFiltersAreTransformed) {
    for (const char* length : {"300", "513", "514", "1024", "2000"}) {
        compileFir(length);
        EXPECT_TRUE(isTransformed()) << length;
        const std::vector<elab::Kernel>& kernels = program.plan->program->kernels;
        EXPECT_THAT(ir::verify(program.module, &kernels.back().code, kernels.back().blocks->work),
                    IsEmpty());
        expectNear(4000);
    }
}

TEST_F(FrequencyTest, OthersAreNot) {
    for (const char* length : {"64", "250", "4000"}) {
        compileFir(length);
        EXPECT_FALSE(isTransformed()) << length;
    }
    request.optimise = pass::Options{false};
    compileFir("300");
    EXPECT_FALSE(isTransformed());
}

TEST_F(FrequencyTest, CombinedFiltersAreTransformed) {
    compileBetween("add Fir(128); add Fir(128);", kLongFir, "float");
    EXPECT_EQ(planned().nodes.size(), 4u);  // apart they are cheaper
    compileBetween(
        "add splitjoin { split duplicate; add Fir(128); add Fir(300); join roundrobin; };"
        "add float->float filter { work pop 2 push 1 { push(pop() + pop()); } };",
        kLongFir, "float");
    EXPECT_EQ(planned().nodes.size(), 3u);
    EXPECT_TRUE(program.plan->program->kernels.back().blocks);
}

}  // namespace
}  // namespace strc::linear
