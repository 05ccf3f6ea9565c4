// Programs that several threads run in chunks: the same output, faults and ends as with one thread, and what is carried.
#include <set>

#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::codegen {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kParts =
    "void->int filter Count { int n; work push 1 { push(n); n++; } }\n"
    "void->int filter Lcg { int x; init { x = 42; } work push 1 { x = x * 1103515245 + 12345; "
    "push(x "
    ">> 8); } }\n"
    "int->int filter Heavy(int rounds) { work pop 1 push 1 { int x = pop(); for (int k = 0; k < "
    "rounds; k++) x = x * 31 + (x >> 5) + k; push(x); } }\n"
    "int->int filter Window(int n) { work peek n pop 1 push 1 { int sum = 0; for (int k = 0; k < "
    "n; "
    "k++) sum += peek(k) * (k + 1); pop(); push(sum); } }\n"
    "int->int filter Sum { int s; work pop 1 push 1 { s = s * 7 + (pop() ^ s >> 3); push(s); } }\n"
    "int->int filter History { int[5] old; int at; work pop 1 push 1 { old[at] += pop(); at = (at "
    "+ "
    "1) % 5; push(old[at]); } }\n"
    "int->int filter Turn { work pop 1 push 1 { push(pop() + iter()); } }\n"
    "int->int filter Noise { work pop 1 push 1 { push(pop() + (int)(random() * 1000)); } }\n"
    "int->void filter Show(int every) { int n; int s; work pop every { for (int k = 0; k < every; "
    "k++) s = s * 3 + pop(); println(s); } }\n";

class Chunks : public testing::CompiledTest {
protected:
    void SetUp() override { request.chunks = true; }

    void make(const std::string& middle, int every = 64) {
        compile("void->void pipeline Main { " + middle + " add Show(" + std::to_string(every) +
                "); }\n" + kParts);
    }

    std::string runOn(std::uint32_t threads, std::int64_t steady) {
        interp::Options how = testing::iterations(steady);
        how.workers = threads;
        how.sharesAlways = true;
        printed.clear();
        const interp::Outcome outcome = run(how);
        iterationsDone = outcome.iterations;
        return std::exchange(printed, "");
    }

    void expectSame(std::int64_t chunks = 40) {
        ASSERT_TRUE(program.plan->chunk) << plan::print(*program.plan);
        EXPECT_THAT(plan::verify(*program.plan, program.plannedQuota()), IsEmpty());
        const plan::Chunk& chunk = *program.plan->chunk;
        const std::int64_t steady = chunk.iterations * chunk.usual * chunks + 3;
        const std::string alone = runOn(1, steady);
        EXPECT_FALSE(alone.empty());
        for (std::uint32_t threads : {2, 3, 16}) {
            EXPECT_TRUE(runOn(threads, steady) == alone) << threads << " threads";
            EXPECT_EQ(iterationsDone, steady);
        }
        // Each transaction is divided in another way, and threads stop at random.
        setenv("STRC_TEST_DELAYS", "5", 1);
        EXPECT_TRUE(runOn(3, steady) == alone) << "chunks of several lengths";
        unsetenv("STRC_TEST_DELAYS");
    }

    std::size_t countCarried(plan::CarryKind kind) const {
        const auto& all = program.plan->chunk->carries;
        return static_cast<std::size_t>(std::count_if(
            all.begin(), all.end(), [&](const plan::Carry& carry) { return carry.kind == kind; }));
    }

    std::int64_t iterationsDone = 0;
};

TEST_F(Chunks, FiltersWithoutState) {
    make("add Count; add Heavy(200); add Heavy(100);");
    expectSame();
    EXPECT_EQ(countCarried(plan::CarryKind::Affine), 1u) << "the source counts";
    EXPECT_EQ(countCarried(plan::CarryKind::Order), 1u) << "the sink prints";
    EXPECT_EQ(countCarried(plan::CarryKind::Items), 0u);
}

TEST_F(Chunks, AGeneratorSkipsAhead) {
    make("add Lcg; add Heavy(200);");
    expectSame();
    EXPECT_EQ(countCarried(plan::CarryKind::Affine), 1u);
}

TEST_F(Chunks, WindowsAreHandedOver) {
    make("add Count; add Window(100); add Window(7); add Heavy(100);");
    expectSame();
    EXPECT_EQ(countCarried(plan::CarryKind::Items), 2u);
}

TEST_F(Chunks, ThePlanTellsWhatIsHandedOver) {
    make("add Count; add Window(100); add Heavy(100);");
    const std::string text = plan::print(*program.plan);
    for (const char* line :
         {"  take Main.Count: x * 1 + ", "  take 99 items of Main.Count -> Main.Window\n",
          "  give 99 items of Main.Count -> Main.Window\n", "  take the turn of Main.Show\n",
          "  give the turn of Main.Show\n", "  segment 0, "})
        EXPECT_THAT(text, HasSubstr(line));
}

TEST_F(Chunks, WindowsThatAreLongerThanAChunk) {
    make("add Lcg; add Window(4000); add Heavy(10);", 1);
    expectSame(20);
    EXPECT_EQ(countCarried(plan::CarryKind::Items), 1u);
}

TEST_F(Chunks, StateIsAnOrderedSection) {
    make("add Lcg; add Heavy(100); add Sum; add Heavy(100); add History; add Window(20);");
    expectSame();
    EXPECT_GE(countCarried(plan::CarryKind::State), 3u);
    EXPECT_LT(program.plan->chunk->ordered, program.plan->chunk->work / 2);
}

TEST_F(Chunks, AChainOfStateIsPipelined) {
    std::string middle = "add Lcg;";
    for (int k = 0; k < 6; ++k)
        middle +=
            "add int->int filter { int s; work pop 1 push 1 { int x = pop() + s; for (int k = "
            "0; k < 100; k++) x = x * 31 + (x >> 7); s = x; push(x); } };";
    make(middle);
    expectSame();
    EXPECT_LT(program.plan->chunk->ordered, program.plan->chunk->work / 4);
}

TEST_F(Chunks, TheirLengthIsDecidedWhileTheyRun) {
    make("add Lcg; add Heavy(100); add Window(40); add Sum; add Turn;");
    const plan::Chunk& chunk = *program.plan->chunk;
    EXPECT_EQ(chunk.usual, 4);
    EXPECT_EQ(chunk.slices, 8);
    EXPECT_THAT(plan::print(*program.plan), HasSubstr("chunk of 4 slices, at most 8, of "));
    expectSame();
}

/// A tape that nothing crosses from slice to slice is as long as one of them.
TEST_F(Chunks, TapesOfOneSegmentAreUsedAgainInEachSlice) {
    make("add Lcg; add Heavy(40); add Heavy(41); add Heavy(42); add Heavy(43);");
    plan::Chunk& chunk = *program.plan->chunk;
    ASSERT_EQ(chunk.segments.size(), 2u) << plan::print(*program.plan);
    EXPECT_GE(chunk.slices, 4 * chunk.usual) << plan::print(*program.plan);
    const std::int64_t all = chunk.slices * chunk.iterations * 64;  // items
    std::int64_t across = 0;
    for (const plan::Channel& channel : program.plan->channels) across += channel.capacity >= all;
    EXPECT_EQ(across, 1) << "the one that the ordered sink reads";
    expectSame();
    // The sink would read the last slice again and again.
    chunk.segments.back().steps.front().inputs[0].perIteration.front() = 0;
    EXPECT_THAT(plan::verify(*program.plan, program.plannedQuota()), Not(IsEmpty()));
}

TEST_F(Chunks, LargeItemsShareMemory) {
    const std::string stage =
        "add int[400]->int[400] filter { work pop 1 push 1 { int[400] x = pop(); for (int k = 0; k "
        "< 400; k++) x[k] = (x[k] * 31 + (x[k] >> 5)) * 17 + (x[k] >> 3) * 5; push(x); } };";
    make(
        "add Lcg; add int->int[400] filter { work pop 1 push 1 { int[400] x; int y = pop(); for "
        "(int k = 0; k < 400; k++) x[k] = y + k; push(x); } }; add splitjoin { split duplicate; "
        "add pipeline { " +
            stage + stage + stage + " } add pipeline { " + stage + stage +
            " } join roundrobin; } add int[400]->int filter { work pop 2 push 1 { int[400] x = "
            "pop(); int[400] y = pop(); push(x[17] - y[3]); } };",
        4);
    EXPECT_GT(program.plan->chunk->slices, 1) << plan::print(*program.plan);
    expectSame();
}

TEST_F(Chunks, TheVerifierSeesWhereSlicesLeaveItems) {
    make("add Lcg; add Heavy(100); add Window(40);");
    plan::Plan wrong = *program.plan;
    for (plan::Carry& carry : wrong.chunk->carries)
        if (carry.kind == plan::CarryKind::Items) carry.perSlice -= 4;
    EXPECT_THAT(plan::verify(wrong, program.plannedQuota()), Not(IsEmpty()));
    wrong = *program.plan;
    wrong.chunk->usual = wrong.chunk->slices + 1;
    EXPECT_THAT(plan::verify(wrong, program.plannedQuota()),
                ::testing::Contains(HasSubstr("a chunk has 9 slices of at most 8")));
}

TEST_F(Chunks, TheyAreNoLongerThanAskedFor) {
    for (const auto& [states, slices] : {std::pair{1, 1}, {2, 2}, {3, 1}, {48, 4}}) {
        request.chunkStates = states;
        make("add Lcg; add Heavy(100); add Window(40);");
        EXPECT_EQ(program.plan->chunk->iterations, states / slices);
        EXPECT_EQ(program.plan->chunk->slices, slices);
        EXPECT_EQ(program.plan->chunk->usual, slices);
        expectSame();
    }
}

TEST_F(Chunks, FewerHandOversAreAnotherWay) {
    std::string middle = "add Lcg;";
    for (int k = 0; k < 24; ++k) middle += "add Heavy(20); add Sum;";
    make(middle);
    const plan::Chunk& chunk = *program.plan->chunk;
    ASSERT_EQ(chunk.coarse.size(), chunk.carries.size()) << plan::print(*program.plan);
    std::set<std::size_t> fine, coarse;
    for (std::size_t k = 0; k < chunk.carries.size(); ++k) {
        EXPECT_LE(chunk.coarse[k].taken, chunk.carries[k].taken);
        EXPECT_GE(chunk.coarse[k].given, chunk.carries[k].given);
        fine.insert(chunk.carries[k].given);
        coarse.insert(chunk.coarse[k].given);
    }
    EXPECT_GT(fine.size(), 2 * coarse.size());
    EXPECT_THAT(plan::print(*program.plan), HasSubstr("or in fewer sections:"));
    expectSame();
}

TEST_F(Chunks, LongSectionsAreNoWayIfTheyTakeLonger) {
    auto stage = [](int rounds) {
        return "add int->int filter { int s; work pop 1 push 1 { int x = pop() + s; for (int k = "
               "0; "
               "k < " +
               std::to_string(rounds) + "; k++) x = x * 31 + (x >> 7); s = x; push(x); } };";
    };
    // Together with the first stage the second one would be more than half of the work.
    make("add Lcg; " + stage(100) + stage(520) + "add Heavy(1600);");
    const plan::Chunk& chunk = *program.plan->chunk;
    EXPECT_GT(chunk.ordered, 0.4 * chunk.work);
    EXPECT_TRUE(chunk.coarse.empty()) << plan::print(*program.plan);
    expectSame();
}

TEST_F(Chunks, CountsOfFirings) {
    make("add Lcg; add Turn; add Heavy(100);");
    expectSame();
    EXPECT_EQ(countCarried(plan::CarryKind::Counter), 1u);
}

TEST_F(Chunks, RandomNumbersStayInOrder) {
    make("add Count; add Noise; add Heavy(200);");
    expectSame();
    EXPECT_EQ(countCarried(plan::CarryKind::Random), 1u);
}

TEST_F(Chunks, SplitjoinsAndFeedback) {
    make(
        "add Lcg; add Heavy(100); add splitjoin { split duplicate; add Window(9); add Sum; add "
        "Heavy(100); join roundrobin; }; add feedbackloop { join roundrobin(1, 1); body int->int "
        "filter { work pop 2 push 2 { int x = pop() + 3 * pop(); push(x); push(x % 17); } }; loop "
        "Identity<int>; split roundrobin(1, 1); enqueue 5; }; add Heavy(100);",
        3);
    expectSame();
}

/// What is enqueued suffices for a chunk of the usual length, not for one of all slices that there would be memory for.
TEST_F(Chunks, FeedbackOfSeveralSegmentsBoundsThem) {
    make(
        "add Lcg; add Heavy(700); add feedbackloop { join roundrobin(1, 1); body pipeline { add "
        "int->int filter { int s; work pop 2 push 2 { int x = pop() + pop() * 3; for (int k = 0; k "
        "< 300; k++) x = x * 31 + (x >> 7); s += x; push(x); push(s); } }; add Sum; }; loop "
        "Identity<int>; split roundrobin(1, 1); for (int i = 0; i < 1500; i++) enqueue i; }; add "
        "Heavy(700);",
        1);
    expectSame();
    EXPECT_EQ(program.plan->chunk->slices, program.plan->chunk->usual)
        << plan::print(*program.plan);
}

TEST_F(Chunks, AFaultIsTheOneOfOneThread) {
    make(
        "add Count; add Heavy(100); add int->int filter { int n; work pop 1 push 1 { int x = "
        "pop(); "
        "n++; push(x / (n - 300000)); } };",
        8);
    ASSERT_TRUE(program.plan->chunk) << plan::print(*program.plan);
    const std::string alone = runOn(1, 100000);
    const std::string fault = faults().back();
    EXPECT_THAT(fault, HasSubstr("division by zero"));
    const std::int64_t done = iterationsDone;
    for (std::uint32_t threads : {2, 4}) {
        EXPECT_TRUE(runOn(threads, 100000) == alone) << threads << " threads";
        EXPECT_EQ(iterationsDone, done);
        EXPECT_EQ(faults().back(), fault);
    }
}

TEST_F(Chunks, ALimitEndsWhereOneThreadWouldEnd) {
    make("add Lcg; add Heavy(200); add Sum;", 16);
    interp::Options how;
    how.limit = 12345;
    how.sharesAlways = true;
    std::vector<std::string> all;
    for (std::uint32_t threads : {1, 2, 5}) {
        how.workers = threads;
        printed.clear();
        EXPECT_EQ(run(how).end, interp::End::Limit);
        all.push_back(std::exchange(printed, ""));
    }
    EXPECT_EQ(std::count(all[0].begin(), all[0].end(), '\n'), 12345);
    EXPECT_TRUE(all[0] == all[1]);
    EXPECT_TRUE(all[0] == all[2]);
}

TEST_F(Chunks, NoneWhereAllIsInOrder) {
    make(
        "add Lcg; add int->int filter { int s; work pop 1 push 1 { for (int k = 0; k < 1000; k++) "
        "s "
        "= s * 31 + k; s += pop(); push(s); } };");
    EXPECT_FALSE(program.plan->chunk);
}

TEST_F(Chunks, NoneWhereTheOrderOfPrintsCanBeSeen) {
    make(
        "add Lcg; add Heavy(500); add int->int filter { work pop 1 push 1 { int x = pop(); if (x % "
        "1000 == 0) println(x); push(x); } };");
    EXPECT_FALSE(program.plan->chunk);
}

TEST_F(Chunks, NoneIfThePassIsDisabled) {
    disabled = {base::Pass::Chunks};
    make("add Count; add Heavy(200);");
    EXPECT_FALSE(program.plan->chunk);
}

/// Of programs that have become one filter: segments are functions of it.
class LoweredChunks : public Chunks {
protected:
    void SetUp() override {
        Chunks::SetUp();
        request.optimise = pass::Options{};
    }

    /// The lower form on several threads does what the program does on one.
    void expectSameAsBefore(const std::string& middle, int every = 64) {
        SCOPED_TRACE(middle);
        request.lowers = true;
        make(middle, every);
        ASSERT_TRUE(program.plan->chunk) << plan::print(*program.plan);
        EXPECT_THAT(plan::verify(*program.plan, program.plannedQuota()), IsEmpty());
        const std::int64_t steady = program.plan->chunk->iterations * 20 + 3;
        const std::string lowered = runOn(3, steady);
        EXPECT_EQ(iterationsDone, steady);
        request.lowers = false;
        make(middle, every);
        EXPECT_TRUE(runOn(1, steady) == lowered);
    }
};

TEST_F(LoweredChunks, AllThatIsHandedOver) {
    expectSameAsBefore("add Count; add Heavy(200); add Window(100); add Window(7);");
    expectSameAsBefore("add Lcg; add Turn; add Heavy(100); add Sum; add History; add Window(20);");
    expectSameAsBefore("add Count; add Noise; add Heavy(200);");
    expectSameAsBefore("add Lcg; add Window(4000); add Heavy(10);", 1);
}

TEST_F(LoweredChunks, SplitjoinsAndFeedback) {
    expectSameAsBefore(
        "add Lcg; add Heavy(100); add splitjoin { split duplicate; add Window(9); add Sum; add "
        "Heavy(100); join roundrobin; }; add feedbackloop { join roundrobin(1, 1); body int->int "
        "filter { work pop 2 push 2 { int x = pop() + 3 * pop(); push(x); push(x % 17); } }; loop "
        "Identity<int>; split roundrobin(1, 1); enqueue 5; }; add Heavy(100);",
        3);
}

/// More steps than one function has.
TEST_F(LoweredChunks, LongSegmentsArePieces) {
    std::string middle = "add Lcg; add Heavy(100);";
    for (int k = 0; k < 70; ++k) middle += "add Heavy(" + std::to_string(1 + k % 3) + ");";
    expectSameAsBefore(middle);
    request.lowers = true;
    make(middle);
    const std::vector<ir::Body>& functions = program.plannedProgram().kernels[0].code.functions;
    EXPECT_TRUE(std::any_of(functions.begin(), functions.end(),
                            [](const ir::Body& body) { return body.name == "piece"; }));
}

TEST_F(LoweredChunks, AFaultIsThatOfTheFilter) {
    const std::string middle =
        "add Count; add Heavy(100); add int->int filter { int n; work pop 1 push 1 { int x = "
        "pop(); n++; push(x / (n - 300000)); } };";
    make(middle, 8);
    const std::string alone = runOn(1, 100000);
    const std::string fault = faults().back();
    EXPECT_THAT(fault, HasSubstr("Main."));
    request.lowers = true;
    make(middle, 8);
    ASSERT_TRUE(program.plan->chunk) << plan::print(*program.plan);
    for (std::uint32_t threads : {1, 4}) {
        EXPECT_TRUE(runOn(threads, 100000) == alone) << threads << " threads";
        EXPECT_EQ(faults().back(), fault);
    }
}

TEST_F(LoweredChunks, TheVerifierLooksAtFunctions) {
    request.lowers = true;
    make("add Count; add Heavy(200);");
    ASSERT_TRUE(program.plan->chunk);
    EXPECT_THAT(plan::print(*program.plan), HasSubstr("    function "));
    plan::Plan wrong = *program.plan;
    for (plan::Segment& segment : wrong.chunk->segments)
        for (plan::Step& step : segment.steps)
            if (step.kind == plan::StepKind::Part) step.port = 10000;
    EXPECT_THAT(plan::verify(wrong, program.plannedQuota()),
                Contains(HasSubstr("has no function 10000")));
    wrong = *program.plan;
    for (plan::Segment& segment : wrong.chunk->segments)
        for (plan::Step& step : segment.steps)
            if (step.kind == plan::StepKind::Part) ++step.count;
    EXPECT_THAT(plan::verify(wrong, program.plannedQuota()), Contains(HasSubstr("fires")));
}

}  // namespace
}  // namespace strc::codegen
