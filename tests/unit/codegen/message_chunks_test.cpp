// Programs with messages on several threads: who is told what before which firing is as with one thread.
#include "unit/codegen/compiled.h"

namespace strc::codegen {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kMessageParts =
    "void->int filter Lcg { int x; init { x = 42; } work push 1 { x = x * 1103515245 + 12345; "
    "push(x >> 8); } }\n"
    "int->int filter Heavy(int rounds) { work pop 1 push 1 { int x = pop(); for (int k = 0; k < "
    "rounds; k++) x = x * 31 + (x >> 5) + k; push(x); } }\n"
    "int->int filter Pairs { work pop 2 push 1 { int x = pop(); push(x * 3 + pop()); } }\n"
    "int->int filter Told { int gain = 1; int n; handler set(int g) { gain = gain * 5 + g; } work "
    "pop 1 push 1 { n++; push(pop() * gain + n); } }\n"
    "int->int filter Kept { int gain = 1; handler set(int g) { gain = gain * 5 + g; } work pop 1 "
    "push 1 { push(pop() * gain); } }\n"
    "int->int filter Tells(portal<Told> p, int latency, int seldom) { int n; work pop 1 push 1 { "
    "int x = pop(); n++; if (x % seldom == 0) p.set(n) [latency:latency]; push(x); } }\n"
    "int->int filter TellsKept(portal<Kept> p, int latency, int seldom) { int n; work pop 1 push 1 "
    "{ int x = pop(); n++; if (x % seldom == 0) p.set(n) [latency:latency]; push(x); } }\n"
    "int->int filter Any(portal<Told> p) { int n; work pop 1 push 1 { int x = pop(); n++; if (x % "
    "7 == 0) p.set(n) [*]; push(x); } }\n"
    "int->void filter Show(int every) { int n; int s; work pop every { for (int k = 0; k < every; "
    "k++) s = s * 3 + pop(); println(s); } }\n";

class MessageChunks : public testing::CompiledTest {
protected:
    void SetUp() override { request.undoes = request.chunks = true; }

    void make(const std::string& middle, int every = 64, const std::string& more = "") {
        compile("void->void pipeline Main { portal<Told> p; portal<Kept> q; add Lcg; " + middle +
                " add Show(" + std::to_string(every) + "); }\n" + kMessageParts + more);
    }

    std::string runOn(std::uint32_t threads, std::int64_t steady) {
        interp::Options how = testing::iterations(steady);
        how.workers = threads;
        how.sharesAlways = true;
        printed.clear();
        program.context.diags.clear();
        iterationsDone = run(how).iterations;
        return std::exchange(printed, "");
    }

    std::string interpreted(std::int64_t steady) {
        printed.clear();
        interpret(testing::iterations(steady));
        return std::exchange(printed, "");
    }

    void expectSame(std::int64_t chunks = 12) {
        ASSERT_TRUE(program.plan->chunk) << plan::print(*program.plan);
        EXPECT_THAT(plan::verify(*program.plan, program.plannedQuota()), IsEmpty());
        const plan::Chunk& chunk = *program.plan->chunk;
        const std::int64_t steady = chunk.iterations * chunk.usual * chunks + 3;
        const std::string expected = interpreted(steady);
        EXPECT_FALSE(expected.empty());
        for (std::uint32_t threads : {1, 2, 3, 16}) {
            EXPECT_TRUE(runOn(threads, steady) == expected) << threads << " threads";
            EXPECT_EQ(iterationsDone, steady);
        }
        setenv("STRC_TEST_DELAYS", "7", 1);
        EXPECT_TRUE(runOn(3, steady) == expected) << "chunks of several lengths";
        unsetenv("STRC_TEST_DELAYS");
    }

    std::int64_t iterationsDone = 0;
};

TEST_F(MessageChunks, DownstreamTheSenderRunsAhead) {
    make("add Heavy(100); add Tells(p, 0, 5); add Heavy(200); add Told to p; add Heavy(100);");
    expectSame();
    EXPECT_LT(program.plan->chunk->ordered, program.plan->chunk->work / 4)
        << "what lies between sender and receiver waits for nobody";
    EXPECT_THAT(plan::print(*program.plan), HasSubstr("take messages to Main.Told"));
}

TEST_F(MessageChunks, LatenciesBeyondAChunk) {
    make("add Heavy(100); add Tells(p, 5000, 50); add Heavy(200); add Told to p; add Heavy(100);");
    expectSame();
}

TEST_F(MessageChunks, ThroughRates) {
    make(
        "add Heavy(100); add Tells(p, 3, 5); add Pairs; add Heavy(200); add Told to p; add Pairs;");
    expectSame();
}

TEST_F(MessageChunks, ToWhatRunsAhead) {
    make("add Heavy(100); add Tells(p, -3, 5); add Heavy(200); add Told to p; add Heavy(100);");
    expectSame();
}

/// A receiver that sends as well, to others or to itself.
const std::string kBoth =
    "int->int filter Passes(portal<Kept> q) { int gain = 1; int n; handler set(int g) { gain = "
    "gain "
    "* 3 + g; if (g % 2 == 0) q.set(gain) [1:1]; } work pop 1 push 1 { n++; if (n % 50 == 0) "
    "q.set(n) [4:4]; push(pop() * gain); } }\n"
    "int->int filter Reminds(portal<Reminds> o) { int gain = 1; int n; handler set(int g) { gain = "
    "gain * 3 + g; } work pop 1 push 1 { n++; if (n % 5 == 0) o.set(n) [2:2]; push(pop() * gain); "
    "} }\n"
    "int->int filter TellsPasses(portal<Passes> r) { int n; work pop 1 push 1 { int x = pop(); "
    "n++; "
    "if (x % 5 == 0) r.set(n) [3:3]; push(x); } }\n"
    "int->int filter TellsReminds(portal<Reminds> r) { int n; work pop 1 push 1 { int x = pop(); "
    "n++; if (x % 5 == 0) r.set(n) [3:3]; push(x); } }\n";

TEST_F(MessageChunks, AReceiverThatSendsToOthers) {
    make(
        "portal<Passes> r; add Heavy(100); add TellsPasses(r); add Heavy(200); add Passes(q) to r; "
        "add Heavy(100); add Kept to q;",
        64, kBoth);
    expectSame();
    EXPECT_LT(program.plan->chunk->ordered, program.plan->chunk->work / 4)
        << "what lies between sender and receiver waits for nobody";
}

TEST_F(MessageChunks, AReceiverThatSendsToItself) {
    make(
        "portal<Reminds> r; add Heavy(300); add TellsReminds(r); add Heavy(10); add Reminds(r) to "
        "r; add Heavy(300);",
        64, kBoth);
    expectSame();
}

TEST_F(MessageChunks, AReceiverThatChangesNothingElse) {
    make("add Heavy(100); add TellsKept(q, 1, 40); add Heavy(200); add Kept to q; add Heavy(100);");
    expectSame();
}

TEST_F(MessageChunks, UpstreamTheyTakeTurns) {
    make("add Heavy(300); add Told to p; add Heavy(10); add Tells(p, 4, 5); add Heavy(300);");
    expectSame();
    EXPECT_LT(program.plan->chunk->ordered, program.plan->chunk->work / 2);
}

TEST_F(MessageChunks, BestEffort) {
    make("add Heavy(300); add Any(p); add Heavy(10); add Told to p; add Heavy(300);");
    expectSame();
    make("add Heavy(300); add Told to p; add Heavy(10); add Any(p); add Heavy(300);");
    expectSame();
}

TEST_F(MessageChunks, TwoSendersTakeTurns) {
    make(
        "add Heavy(500); add Tells(p, 2, 5); add Heavy(10); add Tells(p, 0, 3); add Told to p; add "
        "Heavy(500);");
    expectSame();
}

TEST_F(MessageChunks, ManyReceivers) {
    make(
        "add Heavy(300); add Tells(p, 1, 11); add splitjoin { split duplicate; add Told to p; add "
        "pipeline { add Heavy(50); add Told to p; } join roundrobin; }; add Heavy(300);");
    expectSame();
}

TEST_F(MessageChunks, OneThreadUndoesThem) {
    make(
        "add Heavy(1); add Tells(p, 90, 5); add Told to p; add Heavy(1); add int->int filter { int "
        "n; work pop 1 push 1 { int x = pop(); n++; push(x / (n - 70000)); } };",
        8);
    EXPECT_GT(program.plan->scaled.iterations, 1);
    const std::string expected = interpreted(20000);
    const std::string fault = faults().back();
    EXPECT_THAT(fault, HasSubstr("division by zero"));
    for (std::uint32_t threads : {1, 2, 4}) {
        EXPECT_TRUE(runOn(threads, 20000) == expected) << threads << " threads";
        EXPECT_EQ(faults().back(), fault);
    }
}

TEST_F(MessageChunks, TheLimitOfWhatIsOnItsWayIsThatOfOneThread) {
    make("add Heavy(10); add Tells(p, 100000, 1); add Heavy(20); add Told to p; add Heavy(10);");
    program.context.limits.totalBytes = 4 << 20;  // some 50,000 messages
    const std::string expected = interpreted(1000);
    const std::string fault = faults().back();
    EXPECT_THAT(fault, HasSubstr("the messages on their way"));
    for (std::uint32_t threads : {1, 3}) {
        EXPECT_TRUE(runOn(threads, 1000) == expected) << threads << " threads";
        ASSERT_FALSE(faults().empty()) << threads << " threads";
        EXPECT_EQ(faults().back(), fault);
    }
}

TEST_F(MessageChunks, WhatMayBeOnItsWayAtATimeMayBeSentAgainAndAgain) {
    make("add Heavy(10); add Tells(p, 100, 1); add Heavy(20); add Told to p; add Heavy(10);");
    program.context.limits.totalBytes = 1 << 20;  // some 13,000 messages
    const std::string expected = interpreted(2000);
    for (std::uint32_t threads : {1, 3})
        EXPECT_TRUE(runOn(threads, 2000) == expected) << threads << " threads";
    EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(MessageChunks, TheVerifierSeesAnotherOrder) {
    make("add Heavy(300); add Told to p; add Heavy(10); add Tells(p, 4, 5); add Heavy(300);");
    plan::Plan wrong = *program.plan;
    std::erase_if(wrong.chunk->carries,
                  [](const plan::Carry& carry) { return carry.kind == plan::CarryKind::Mail; });
    wrong.chunk->coarse.clear();
    EXPECT_THAT(plan::verify(wrong, program.plannedQuota()),
                Contains(HasSubstr("what 'Main.Told' does has no order among chunks")));
}

TEST_F(MessageChunks, InOneSteadyState) {
    request.chunkStates = 1;
    for (const char* middle :
         {"add Heavy(300); add Told to p; add Heavy(10); add Tells(p, 4, 5); add Heavy(300);",
          "add Heavy(300); add Told to p; add Tells(p, 4, 5); add Tells(p, 0, 3); add Told to "
          "p;"}) {
        make(middle, 1);
        expectSame(200);
    }
}

TEST_F(MessageChunks, TheVerifierSeesMessagesThatAreLeftBehind) {
    request.chunkStates = 1;
    make("add Heavy(300); add Told to p; add Heavy(200); add Tells(p, 4, 5); add Heavy(300);", 1);
    plan::Plan wrong = *program.plan;
    wrong.chunk->coarse.clear();
    for (plan::Carry& carry : wrong.chunk->carries)
        if (carry.kind == plan::CarryKind::Mail) carry.given = carry.taken + 1;
    EXPECT_THAT(plan::verify(wrong, program.plannedQuota()),
                Contains(HasSubstr("'Main.Tells' sends when the messages to 'Main.Told' have gone "
                                   "to the next chunk")));
}

TEST_F(MessageChunks, WhoCannotUndoHasOneSteadyStateAtATime) {
    request.undoes = false;
    make("add Heavy(100); add Tells(p, 0, 5); add Told to p;");
    EXPECT_EQ(program.plan->scaled.iterations, 0);
    EXPECT_FALSE(program.plan->chunk);
}

}  // namespace
}  // namespace strc::codegen
