#include <sstream>

#include <gmock/gmock.h>

#include "interp/detail/ready_set.h"
#include "interp/line_limit.h"
#include "interp/live.h"
#include "interp/machine.h"
#include "session/pipeline.h"

namespace strc::interp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A program from its text, to be run or stepped; prints are in `printed`.
class InterpTest : public testing::Test {
protected:
    void compile(const std::string& text) {
        request.sources = {{"test.str", text}};
        ASSERT_EQ(session::compile(program, request, library, session::Stage::Scheduled),
                  session::Stage::Scheduled)
            << testing::PrintToString(faults());
    }

    Options options() {
        Options made;
        made.print = [this](std::string_view what) { printed += what; };
        return made;
    }
    Outcome run(const Options& how) {
        return interp::run(program.context, program.module, program.elaboration,
                           program.repetitions, *program.program.types, how);
    }
    Outcome runFor(std::int64_t iterations) {
        Options how = options();
        how.iterations = iterations;
        return run(how);
    }
    std::unique_ptr<Live> live() {
        return std::make_unique<Live>(program.context, program.module, program.elaboration,
                                      program.repetitions, *program.program.types, options());
    }

    /// "INSTANCE: name", warnings with "warning ".
    std::vector<std::string> faults() const {
        std::vector<std::string> list;
        for (const base::Diagnostic& fault : program.context.diags.all())
            list.push_back((fault.severity == base::Severity::Error ? "" : "warning ") +
                           fault.instance + ": " + std::string(base::info(fault.id).name));
        return list;
    }

    std::string printed;
    session::Library library = session::Library::builtIn();
    session::Request request;
    session::Compilation program;
};

void feed(Live& live, const std::vector<std::int32_t>& items) {
    live.feed(reinterpret_cast<const std::byte*>(items.data()), items.size());
}

std::vector<std::int32_t> numbers(const std::vector<types::Value>& items) {
    std::vector<std::int32_t> list;
    for (const types::Value& item : items) list.push_back(item.as<std::int32_t>());
    return list;
}

constexpr const char* kCounter =
    "void->int filter Count { int n; work push 1 { push(n++); } }\n"
    "int->void filter Out { work pop 1 { println(pop()); } }\n";

// ---- the order of firings

TEST_F(InterpTest, TheMostDownstreamFiresFirst) {
    compile(
        "void->void pipeline Main { add A; add B; add C; }\n"
        "void->int filter A { work push 2 { print(\"a\"); push(0); push(0); } }\n"
        "int->int filter B { work pop 1 push 1 { print(\"b\"); push(pop()); } }\n"
        "int->void filter C { work pop 1 { print(\"c\"); pop(); } }\n");
    EXPECT_EQ(runFor(2).end, End::Iterations);
    EXPECT_EQ(printed, "abcbcabcbc");
}

TEST_F(InterpTest, FiringsAreCounted) {
    compile(
        "void->void pipeline Main { add Count; add Pairs; }\n"
        "int->void filter Pairs { work pop 2 { println(pop() + pop()); } }\n" +
        std::string(kCounter));
    const Outcome outcome = runFor(3);
    EXPECT_EQ(outcome.iterations, 3);
    EXPECT_EQ(outcome.firings, 9);
    EXPECT_EQ(printed, "1\n5\n9\n");
}

// ---- ends

TEST_F(InterpTest, TheLimitCutsWhatIsPrinted) {
    compile(
        "void->void filter Main { work { print(\"1\\n2\\n\"); print(\"3\\n4\\n\"); print(5); } }");
    Options how = options();
    how.limit = 3;
    EXPECT_EQ(run(how).end, End::Limit);
    EXPECT_EQ(printed, "1\n2\n3\n");
}

TEST_F(InterpTest, AnInterruptEndsAnEndlessBody) {
    compile("void->void filter Main { work { while (true) { } } }");
    const volatile bool interrupted = true;
    Options how = options();
    how.interrupt = &interrupted;
    EXPECT_EQ(run(how).end, End::Interrupted);
    EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(InterpTest, AFaultNamesTheInstance) {
    compile(
        "void->void pipeline Main { add Count; add Inverse; add Out; }\n"
        "int->int filter Inverse { work pop 1 push 1 { push(12 / (2 - pop())); } }\n" +
        std::string(kCounter));
    const Outcome outcome = runFor(10);
    EXPECT_EQ(outcome.end, End::Failed);
    EXPECT_EQ(outcome.iterations, 2);
    EXPECT_EQ(printed, "6\n12\n");
    EXPECT_THAT(faults(), ElementsAre("Main.Inverse: division-by-zero"));
}

TEST_F(InterpTest, EndlessEmptyFiringsAreAFault) {
    program.context.limits.emptyFirings = 5;
    compile(
        "void->void pipeline Main { add Count; add Never; add Out; }\n"
        "int->int filter Never { work pop [0, 1] push [0, 1] { } }\n" +
        std::string(kCounter));
    EXPECT_EQ(runFor(1).end, End::Failed);
    EXPECT_THAT(faults(), ElementsAre("Main.Never: empty-firings"));
}

// ---- a program that is stepped

constexpr const char* kSums =
    "int->int pipeline Main { add Sum; add Twice; }\n"
    "int->int filter Sum { int sum; work pop 2 push 1 { sum += pop() + pop(); push(sum); } }\n"
    "int->int filter Twice { work pop 1 push 1 { println(\"twice\"); push(2 * pop()); } }\n";

class LiveTest : public InterpTest {
protected:
    void SetUp() override { request.top = "Main"; }
};

TEST_F(LiveTest, WaitsUntilThereIsEnoughToFire) {
    compile(kSums);
    const auto stepped = live();
    EXPECT_EQ(stepped->step(), Progress::Waiting);
    feed(*stepped, {1});
    EXPECT_EQ(stepped->next(), graph::kNone);
    EXPECT_EQ(stepped->step(), Progress::Waiting);
    feed(*stepped, {2});
    EXPECT_EQ(stepped->step(), Progress::Fired);
    EXPECT_EQ(graph::path(program.elaboration.graph, stepped->last()), "Main.Sum");
    EXPECT_EQ(stepped->step(), Progress::Fired);
    EXPECT_EQ(stepped->iterations(), 0);  // it is counted when somebody asks who is next
    EXPECT_EQ(stepped->step(), Progress::Waiting);
    EXPECT_EQ(stepped->steps(), 2u);
    EXPECT_THAT(numbers(stepped->takeOutput()), ElementsAre(6));
    EXPECT_EQ(stepped->outputBegin(), 1u);
}

TEST_F(LiveTest, GoesBackAndComesAgain) {
    compile(kSums);
    const auto stepped = live();
    feed(*stepped, {1, 2, 3, 4});
    for (int k = 0; k < 4; ++k) ASSERT_EQ(stepped->step(), Progress::Fired);
    EXPECT_EQ(printed, "twice\ntwice\n");
    const graph::NodeId sum = program.elaboration.graph.edges[program.elaboration.graph.input].to;
    EXPECT_EQ(stepped->fields(sum).at(0).as<std::int32_t>(), 10);
    ASSERT_TRUE(stepped->goBack(1));
    EXPECT_EQ(stepped->fields(sum).at(0).as<std::int32_t>(), 3);
    EXPECT_EQ(stepped->size(program.elaboration.graph.input), 2u);
    for (int k = 0; k < 3; ++k) ASSERT_EQ(stepped->step(), Progress::Fired);
    EXPECT_EQ(printed, "twice\ntwice\ntwice\ntwice\n");
    EXPECT_THAT(numbers(stepped->takeOutput()), ElementsAre(6, 20));
    EXPECT_FALSE(stepped->goBack(5));
}

TEST_F(LiveTest, ThereIsNoWayBackBehindItemsThatWereTakenOut) {
    compile(kSums);
    const auto stepped = live();
    feed(*stepped, {1, 2, 3, 4, 5, 6});
    for (int k = 0; k < 2; ++k) ASSERT_EQ(stepped->step(), Progress::Fired);
    stepped->drop(program.elaboration.graph.input, 2);
    EXPECT_FALSE(stepped->goBack(1));
    for (int k = 0; k < 2; ++k) ASSERT_EQ(stepped->step(), Progress::Fired);
    EXPECT_THAT(numbers(stepped->takeOutput()), ElementsAre(6, 28));
}

TEST_F(LiveTest, AStepThatFailsDidNotHappen) {
    compile("int->int filter Main { int n; work pop 2 push 1 { n = pop(); push(n / pop()); } }");
    const auto stepped = live();
    feed(*stepped, {8, 2, 7, 0});
    EXPECT_EQ(stepped->step(), Progress::Fired);
    EXPECT_EQ(stepped->step(), Progress::Failed);
    EXPECT_THAT(faults(), ElementsAre("Main: division-by-zero"));
    EXPECT_EQ(stepped->steps(), 1u);
    EXPECT_EQ(stepped->fields(0).at(0).as<std::int32_t>(), 8);
    EXPECT_THAT(numbers(stepped->items(program.elaboration.graph.input)), ElementsAre(7, 0));
    EXPECT_THAT(numbers(stepped->takeOutput()), ElementsAre(4));
}

// ---- its parts

TEST(ReadySetTest, FindsTheGreatest) {
    ReadySet set(10000);
    EXPECT_EQ(set.greatest(), -1);
    for (std::uint32_t k : {0u, 63u, 64u, 4095u, 4096u, 9999u}) set.insert(k);
    for (std::uint32_t k : {9999u, 4096u, 4095u, 64u, 63u, 0u}) {
        EXPECT_EQ(set.greatest(), k);
        set.erase(k);
    }
    EXPECT_EQ(set.greatest(), -1);
}

TEST(LineLimitTest, CountsLinesOverSeveralTexts) {
    LineLimit limit(2);
    EXPECT_EQ(limit.take("a"), "a");
    EXPECT_EQ(limit.take("b\n"), "b\n");
    EXPECT_FALSE(limit.isReached());
    EXPECT_EQ(limit.take("c\nd\n"), "c\n");
    EXPECT_TRUE(limit.isReached());
    EXPECT_EQ(limit.take("e"), "");
}

TEST(LineLimitTest, LetsEverythingThroughWithoutOne) {
    LineLimit limit(std::nullopt);
    EXPECT_EQ(limit.take("a\nb\n"), "a\nb\n");
    EXPECT_FALSE(limit.isReached());
}

}  // namespace
}  // namespace strc::interp
