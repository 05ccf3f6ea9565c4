#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::IsEmpty;

/// The pass `delays-to-windows`: which filters lose their state, and that they compute the same.
class DelaysToWindows : public CompiledTest {
protected:
    void SetUp() override { request.optimise = pass::Options{}; }

    /// A source, the filter F, and a filter that prints.
    void compileFilter(const std::string& filter) {
        compile(
            "void->void pipeline Main { add Count; add F; add Show; }\n"
            "void->int filter Count { int n; work push 1 { push(n * n + 7); n++; } }\n"
            "int->void filter Show { work pop 1 { println(pop()); } }\n" +
            filter);
    }

    /// Items that F looks back at, after making sure that it computes the same.
    std::int64_t lookedBack() {
        EXPECT_THAT(plan::verify(*program.plan, program.plannedQuota()), IsEmpty());
        for (int count : {1, 2, 40, 3000}) {
            printed.clear();
            interpret(iterations(count));
            const std::string interpreted = std::exchange(printed, "");
            run(iterations(count));
            EXPECT_EQ(printed, interpreted);
        }
        for (const graph::Node& node : program.plan->program->graph.nodes)
            if (node.name == "F") return node.work.peek.max - std::max(node.work.pop.max, written);
        return -1;
    }

    std::int64_t written = 1;  ///< the window of F as it is written
};

TEST_F(DelaysToWindows, TheLastItem) {
    compileFilter(
        "int->int stateful filter F { int last = 5; work pop 1 push 1 { int x = pop(); push(x - "
        "last); last = x; } }\n");
    EXPECT_EQ(lookedBack(), 1);
}

TEST_F(DelaysToWindows, ChainsOfDelays) {
    compileFilter(
        "int->int stateful filter F { int a = 1; int b = 2; int c = 3; work pop 1 push 1 { int x = "
        "pop(); push(x + 2 * a + 3 * b + 4 * c); c = b; b = a; a = x; } }\n");
    EXPECT_EQ(lookedBack(), 3);
}

TEST_F(DelaysToWindows, ALongerWindow) {
    compileFilter(
        "int->int stateful filter F { int first = 4; int second = 9; work pop 1 peek 5 push 2 { "
        "int "
        "sum = first; for (int k = 0; k < 4; k++) sum += peek(k); int x = pop(); int y = peek(2); "
        "push(sum - second); if (x > 20) push(first); else push(y); second = first; first = x; } "
        "}\n");
    written = 5;
    EXPECT_EQ(lookedBack(), 2);
}

TEST_F(DelaysToWindows, SeveralItemsOfAFilterWithoutState) {
    compile(
        "void->void pipeline Main { add Count; add Two; add F; add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n * n + 7); n++; } }\n"
        "int->int filter Two { work pop 1 push 2 { push(peek(0) - 3); push(pop()); } }\n"
        "int->int stateful filter F { int last = 2; work pop 2 push 2 { int x = pop(); int y = "
        "pop(); push(x - last); push(x + y); last = y; } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    written = 2;
    EXPECT_EQ(lookedBack(), 2);
}

TEST_F(DelaysToWindows, SeveralItemsStayState) {
    compileFilter(
        "int->int stateful filter F { int last; work pop 2 push 1 { int x = pop(); push(x - last); "
        "last = pop(); } }\n");
    written = 2;
    EXPECT_EQ(lookedBack(), 0);
}

/// In the longer window the item before it would be one of the delay.
TEST_F(DelaysToWindows, NotWhereAPeekMayLookBack) {
    compileFilter(
        "int->int stateful filter F { int last; work pop 1 peek 3 push 1 { push(last + "
        "peek(peek(0) % 2)); last = pop(); } }\n");
    written = 3;
    EXPECT_EQ(lookedBack(), 0);
}

TEST_F(DelaysToWindows, OtherStateStays) {
    for (const char* work : {
             "int x = pop(); push(x - last); last = x + 1;",
             "int x = pop(); push(x - last); if (x > 3) last = x;",
             "int x = pop(); last = x; push(last);",
             "int x = pop(); push(x - last); last = x; sum += x; push(sum);",
         }) {
        compileFilter("int->int stateful filter F { int last; int sum; work pop 1 push " +
                      std::string(std::string(work).find("sum") == std::string::npos ? "1" : "2") +
                      " { " + work + " } }\n");
        EXPECT_EQ(lookedBack(), 0) << work;
    }
}

TEST_F(DelaysToWindows, CanBeLeftOut) {
    disabled = {base::Pass::DelaysToWindows};
    compileFilter(
        "int->int stateful filter F { int last; work pop 1 push 1 { int x = pop(); push(x - last); "
        "last = x; } }\n");
    EXPECT_EQ(lookedBack(), 0);
}

/// Tapes between fused filters are variables: the pass `scalar-replacement`.
TEST_F(DelaysToWindows, TapesOfALoopAreVariables) {
    const char* text =
        "void->void pipeline Main { add Count; add Sum; add Sum; add Sum; add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n * n + 7); n++; } }\n"
        "int->int stateful filter Sum { int sum; work pop 1 push 2 { sum += pop(); push(sum); "
        "push(-sum); } }\n"
        "int->void stateful filter Show { int all; work pop 1 { all = all * 3 + pop(); "
        "println(all); } }\n";
    for (bool isOn : {true, false}) {
        disabled.clear();
        if (!isOn) disabled = {base::Pass::ScalarReplacement};
        compile(text);
        interpret(iterations(500));
        const std::string interpreted = std::exchange(printed, "");
        run(iterations(500));
        EXPECT_EQ(std::exchange(printed, ""), interpreted);
    }
}

}  // namespace
}  // namespace strc::testing
