// Programs with dynamic rates, whose iterations are done in batches: what they print, and how they end, is what iterations one by one
// do, with any number of threads.
#include <algorithm>

#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::codegen {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kDynamicParts =
    "void->int filter Lcg { int x; init { x = 42; } work push 1 { x = x * 1103515245 + 12345; "
    "push(x >> 8); } }\n"
    "int->int filter Heavy(int rounds) { work pop 1 push 1 { int x = pop(); for (int k = 0; k < "
    "rounds; k++) x = x * 31 + (x >> 5) + k; push(x); } }\n"
    "int->int filter Window(int n) { work peek n pop 1 push 1 { int sum = 0; for (int k = 0; k < "
    "n; k++) sum += peek(k) * (k + 1); pop(); push(sum + iter()); } }\n"
    "int->int filter Sum { int s; work pop 2 push 3 { s = s * 7 + (pop() ^ s >> 3); push(s); "
    "push(pop()); push(s - 1); } }\n"
    "int->int filter Some { work pop * push 1 { int n = pop(); for (int k = 0; k < (n & 3); k++) n "
    "+= pop() ^ peek(1); push(n); } }\n"
    "int->int filter Many { work pop 1 push * { int n = pop(); for (int k = 0; k <= (n & 3); k++) "
    "push(n + k); } }\n"
    "int->void filter Show(int every) { int s; work pop every { for (int k = 0; k < every; k++) s "
    "= s * 3 + pop(); println(s); } }\n";

class Batches : public testing::CompiledTest {
protected:
    void SetUp() override {
        request.undoes = request.chunks = true;
        request.chunkStates = 40;
    }

    void make(const std::string& middle, int every = 3) {
        compile("void->void pipeline Main { add Lcg; " + middle + " add Show(" +
                std::to_string(every) + "); }\n" + kDynamicParts);
    }

    bool isBatched() const { return program.plan->demand && program.plan->demand->batches; }

    std::string runOn(std::uint32_t threads, interp::Options how) {
        how.workers = threads;
        how.sharesAlways = true;
        printed.clear();
        ended = run(how);
        return std::exchange(printed, "");
    }

    /// Returns what is printed.
    std::string expectSame(const interp::Options& how) {
        EXPECT_TRUE(isBatched()) << plan::print(*program.plan);
        EXPECT_THAT(plan::verify(*program.plan, program.plannedQuota()), IsEmpty());
        printed.clear();
        program.context.diags.clear();
        const interp::Outcome reference = interpret(how);
        std::string expected = std::exchange(printed, "");
        const std::vector<std::string> told = faults();
        for (std::uint32_t threads : {1, 2, 3}) {
            program.context.diags.clear();
            EXPECT_TRUE(runOn(threads, how) == expected) << threads << " threads";
            EXPECT_EQ(ended.iterations, reference.iterations);
            EXPECT_EQ(ended.end, reference.end);
            EXPECT_EQ(faults(), told);
        }
        return expected;
    }

    std::size_t chunksOfRegions() const {
        const auto& all = program.plan->demand->regions;
        return static_cast<std::size_t>(std::count_if(
            all.begin(), all.end(), [](const auto& region) { return region.chunk.has_value(); }));
    }

    interp::Outcome ended;
};

TEST_F(Batches, BehindADynamicFilter) {
    make("add Some; add Heavy(20); add Window(30); add Sum;");
    EXPECT_EQ(chunksOfRegions(), 1u);
    for (std::int64_t count : {1, 2, 3, 7, 2000}) expectSame(testing::iterations(count));
}

TEST_F(Batches, InFrontOfADynamicFilter) {
    make("add Heavy(20); add Window(30); add Sum; add Some;");
    for (std::int64_t count : {1, 2, 3, 7, 2000}) expectSame(testing::iterations(count));
}

/// Sinks that get more than they ask for take it in the same iteration.
TEST_F(Batches, WhatIsLeftAtTheEndOfAnIteration) {
    for (const char* middle :
         {"add Heavy(20); add Many; add Heavy(20);",
          "add Heavy(20); add Window(30); add Some; add Many;", "add Many; add Heavy(100);",
          "add Heavy(20); add int->int filter { work pop * push 2 { int n = "
          "pop(); push(n); push(n + 1); } };"}) {
        make(middle, 1);
        for (std::int64_t count : {1, 7, 2000}) expectSame(testing::iterations(count));
    }
}

TEST_F(Batches, BetweenDynamicFilters) {
    make(
        "add Window(5); add Sum; add Some; add Heavy(20); add Window(30); add Many; add splitjoin "
        "{ "
        "split roundrobin(1, 2); add Sum; add Window(9); join roundrobin(3, 4); }; add Some; add "
        "Heavy(3);");
    for (std::int64_t count : {1, 2, 3, 7, 2000}) expectSame(testing::iterations(count));
}

TEST_F(Batches, AHeavyFilterIsARegionAlone) {
    make("add Some; add Heavy(100);", 1);
    expectSame(testing::iterations(3000));
}

TEST_F(Batches, AFaultIsTheOneOfIterationsOneByOne) {
    const std::string fails =
        "add int->int filter { int n; work pop 1 push 1 { n++; push(pop() / (n - 4000)); } };";
    for (const std::string& middle :
         {"add Some; add Heavy(20); " + fails, "add Heavy(20); " + fails + " add Some;",
          "add Heavy(20); add Window(9); add Some; " + fails + " add Heavy(20); add Window(3);"}) {
        make(middle);
        expectSame(testing::iterations(10000));
        EXPECT_THAT(faults(), Contains(HasSubstr("division by zero")));
    }
}

TEST_F(Batches, ALimitEndsWhereItWould) {
    make("add Window(9); add Sum; add Some; add Heavy(20); add Window(30);", 1);
    interp::Options how = testing::iterations(100000);
    how.limit = 1234;
    const std::string lines = expectSame(how);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1234);
}

TEST_F(Batches, RandomNumbersStayInOrder) {
    make(
        "add Some; add Heavy(20); add Window(3); add int->int filter { work pop 1 push 1 { "
        "push(pop() + (int)(random() * 1000)); } };");
    expectSame(testing::iterations(3000));
}

TEST_F(Batches, FeedbackUpstream) {
    make(
        "add feedbackloop { join roundrobin(1, 1); body int->int filter { work pop * push 2 { int "
        "n "
        "= pop(); n += 3 * pop(); push(n); push(n % 17); } }; loop Identity<int>; split "
        "roundrobin(1, 1); enqueue 7; }; add Heavy(20); add Window(30);");
    expectSame(testing::iterations(3000));
}

TEST_F(Batches, TwoSinks) {
    compile(
        "void->void pipeline Main { add Lcg; add Some; add splitjoin { split duplicate; add "
        "pipeline { add Heavy(20); add Window(4); add Show(2); }; add int->void filter { work pop "
        "3 "
        "{ pop(); pop(); pop(); } }; join roundrobin(0); }; }\n" +
        kDynamicParts);
    expectSame(testing::iterations(3000));
}

TEST_F(Batches, NoneWhereSomebodyCanTell) {
    make("add Some; add Heavy(20); add Window(3);");
    EXPECT_TRUE(isBatched());
    make(
        "add Some; add Heavy(20); add Window(3); add int->int filter { work pop 1 push 1 { "
        "println(peek(0)); push(pop()); } };");
    EXPECT_FALSE(isBatched()) << "two filters print";
    disabled = {base::Pass::Scaling};
    make("add Some; add Heavy(20); add Window(3);");
    EXPECT_FALSE(isBatched());
}

TEST_F(Batches, ChunksOfRegionsAreVerified) {
    make("add Some; add Heavy(20); add Window(30); add Sum;");
    plan::Plan wrong = *program.plan;
    for (plan::Carry& carry : wrong.demand->regions.at(0).chunk->carries)
        if (carry.kind == plan::CarryKind::Counter && carry.node == graph::kNone) ++carry.summand;
    EXPECT_THAT(plan::verify(wrong, program.plannedQuota()),
                Contains(HasSubstr("chunks do not know where")));
    wrong = *program.plan;
    ++wrong.demand->regions.at(0).scaled.steps.at(0).count;
    EXPECT_THAT(plan::verify(wrong, program.plannedQuota()), Not(IsEmpty()));
    EXPECT_THAT(plan::print(*program.plan), HasSubstr("in batches, an iteration asks for:"));
}

}  // namespace
}  // namespace strc::codegen
