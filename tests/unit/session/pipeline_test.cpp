#include "session/pipeline.h"

#include <sstream>

#include <gmock/gmock.h>

#include "ir/verify.h"
#include "session/sources.h"

namespace strc::session {
namespace {

constexpr const char* kProgram =
    "void->void pipeline Main { add Source; add Sink; }\n"
    "void->int filter Source { init { println(\"built\"); } work push 1 { push(1); } }\n"
    "int->void filter Sink { work pop 1 { println(pop()); } }\n";

class PipelineTest : public testing::Test {
protected:
    Stage go(const std::string& text, Stage last = Stage::Scheduled) {
        request.sources = {{"test.str", text}};
        request.print = [this](std::string_view what) { printed += what; };
        return compile(result, request, library, last);
    }

    std::vector<std::string> faults() {
        std::vector<std::string> list;
        for (const base::Diagnostic& fault : result.context.diags.all()) {
            if (fault.severity != base::Severity::Error) continue;
            auto line = result.context.sources.position(fault.range.buffer, fault.range.begin).line;
            list.push_back(std::to_string(line) + ": " + std::string(base::info(fault.id).name));
        }
        return list;
    }

    std::string printed;

    Library library = Library::builtIn();
    Request request;
    Compilation result;
};

TEST_F(PipelineTest, GoesAsFarAsAsked) {
    EXPECT_EQ(go(kProgram, Stage::Checked), Stage::Checked);
    EXPECT_EQ(result.programUnits, 1u);
    EXPECT_EQ(result.main->name.text(), "Main");
    EXPECT_TRUE(result.module.streams.empty());
}

TEST_F(PipelineTest, EndsWithASchedule) {
    EXPECT_EQ(go(kProgram), Stage::Scheduled);
    EXPECT_EQ(result.elaboration.graph.nodes.size(), 2u);
    EXPECT_THAT(result.repetitions.steady, testing::ElementsAre(1, 1));
    EXPECT_EQ(result.schedules.size(), 1u);
}

TEST_F(PipelineTest, UnusedStreamsMayCreateThoseOfTheLibrary) {
    EXPECT_EQ(go(std::string(kProgram) + "int->int pipeline Spare { add Skip(3); }"),
              Stage::Scheduled);
    EXPECT_THAT(ir::verify(result.module), testing::IsEmpty());
}

/// What a program declares, in whatever role, silently wins over the library's streams.
class WeakNames : public PipelineTest {
protected:
    WeakNames() {
        const char* ofLibrary =
            "int->int filter sum() { init { println(\"library\"); } work pop 1 push 1 { "
            "push(pop()); } }\n"
            "int->int filter pad(int n) { init { println(\"library\"); } work pop 1 push 1 { "
            "push(pop()); } }\n"
            "int->int filter add() { init { println(\"library\"); } work pop 1 push 1 { "
            "push(pop()); } }\n"
            "int->int filter split(int n) { init { println(\"library\"); } work pop 1 push 1 { "
            "push(pop()); } }\n";
        library = Library(std::vector<LibraryFile>{{"ops.str", ofLibrary}});
    }

    /// Between a source and a sink, with further declarations.
    std::string run(const std::string& middle, const std::string& declarations) {
        printed.clear();
        const std::string text = "void->void pipeline Main { add Source; " + middle +
                                 " add Sink; }\n"
                                 "void->int filter Source { work push 1 { push(1); } }\n"
                                 "int->void filter Sink { work pop 1 { println(pop()); } }\n" +
                                 declarations;
        EXPECT_EQ(go(text), Stage::Scheduled) << text;
        EXPECT_TRUE(result.context.diags.all().empty()) << text;
        return printed;
    }
};

TEST_F(WeakNames, OfTheLibrary) {
    EXPECT_EQ(run("add sum(); add pad(1); add add(); add split(2);", ""),
              "library\nlibrary\nlibrary\nlibrary\n");
}

TEST_F(WeakNames, AsStreams) {
    const std::string body = "{ init { println(\"own\"); } work pop 1 push 1 { push(pop()); } }\n";
    EXPECT_EQ(
        run("add sum(); add pad; add add(); add split(2, 0);",
            "int->int filter sum " + body + "int->int filter pad() " + body +
                "int->int filter add " + body +
                "int->int pipeline split(int n, int m) { for (int k = m; k < n; k++) add sum(); }"),
        "own\nown\nown\nown\nown\n");
}

TEST_F(WeakNames, AsEverythingElse) {
    EXPECT_EQ(
        run("int pad = 2; add F(sum = pad); add sum();",
            "int->int filter F(int sum) { int pad = sum; int split_(int add_) { return add_; }\n"
            "  work pop 1 push 1 { push(pop() + split_(pad)); } }\n"),
        "library\n");
}

TEST_F(WeakNames, AsStructsAndGlobals) {
    EXPECT_EQ(run("add F;",
                  "static { int pad = 3; } struct sum { int add_; int sum; }\n"
                  "int->int filter F { sum s; work pop 1 push 1 { s.sum += pad; push(pop() + "
                  "s.sum); } }\n"),
              "");
}

TEST_F(PipelineTest, EndsWithAPlan) {
    constexpr const char* kFiles =
        "void->void pipeline Main {\n"
        "  add FileReader<int>(\"in\"); add Count; add FileWriter<int>(\"out\");\n"
        "}\n"
        "int->int filter Count { int[3] a; init { a[1] = 7; } work pop 2 push 1 {\n"
        "  push(pop() + pop() + iter() + a[1]); } }\n";
    ASSERT_EQ(go(kFiles, Stage::Planned), Stage::Planned);
    const plan::Plan& plan = *result.plan;
    EXPECT_THAT(plan::verify(plan, result.repetitions), testing::IsEmpty());
    ASSERT_EQ(plan.inputs.size(), 1u);
    ASSERT_EQ(plan.outputs.size(), 1u);
    EXPECT_EQ(result.elaboration.graph.nodes[plan.inputs[0].node].file, "in");
    EXPECT_EQ(result.elaboration.graph.nodes[plan.outputs[0].node].file, "out");
    EXPECT_THAT(plan.steady.reads, testing::ElementsAre(2));
    EXPECT_THAT(plan.scaled.reads, testing::ElementsAre(2 * plan.scaled.iterations));
    EXPECT_THAT(plan.fields, testing::ElementsAre(-1, 0, -1));
    EXPECT_THAT(plan.counters, testing::ElementsAre(-1, 16, -1));
    EXPECT_EQ(plan.image[4], 7);
}

TEST_F(PipelineTest, DynamicRatesHaveAPlanWithoutPhases) {
    constexpr const char* kDynamic =
        "void->void pipeline Main { add Source; add Sink; }\n"
        "void->int filter Source { work push * { push(1); } }\n"
        "int->void filter Sink { work pop 1 { println(pop()); } }\n";
    for (bool quietly : {false, true}) {
        std::destroy_at(&result);
        std::construct_at(&result);
        request.planIfPossible = quietly;
        EXPECT_EQ(go(kDynamic, Stage::Planned), Stage::Planned);
        ASSERT_TRUE(result.plan && result.plan->demand);
        EXPECT_TRUE(result.plan->steady.steps.empty());
    }
}

TEST_F(PipelineTest, TellsWhyThereIsNoPlan) {
    constexpr const char* kLooksAhead =
        "int->int filter Main {\n"
        "    prework pop 1 peek 9 push 1 { push(peek(8)); pop(); }\n"
        "    work pop 1 push 1 { push(pop()); }\n"
        "}\n";
    request.top = "Main";
    EXPECT_EQ(go(kLooksAhead, Stage::Planned), Stage::Scheduled);
    ASSERT_EQ(result.context.diags.all().size(), 1u);
    EXPECT_EQ(result.context.diags.all()[0].id, base::Diag::CannotCompile);
    EXPECT_FALSE(result.plan);
}

TEST_F(PipelineTest, StopsAtTheStageThatReports) {
    EXPECT_EQ(go("void->void pipeline"), Stage::Nothing);
    EXPECT_TRUE(result.context.diags.hasErrors());
}

TEST_F(PipelineTest, StopsAfterParsing) {
    EXPECT_EQ(go("void->void pipeline Main { add Nobody; }"), Stage::Parsed);
}

TEST_F(PipelineTest, StopsWhereAnInstanceIsWrong) {
    EXPECT_EQ(go("void->void pipeline Main(int n = 3) { int[2] a; a[n] = 1; add S; add T; }\n"
                 "void->int filter S { work push 1 { push(1); } }\n"
                 "int->void filter T { work pop 1 { pop(); } }"),
              Stage::Lowered);
}

TEST_F(PipelineTest, OneRunFindsWhatDifferentStagesReport) {
    EXPECT_EQ(go("void->void pipeline Main { add S; add A; add B; add C; add T; }\n"
                 "void->int filter S { init { println(1); } work push 1 { push(1); } }\n"
                 "int->int filter A { work pop 1 push 1 { pop(); push(pop()); } }\n"
                 "int->int filter B { init { nope(); } work pop 1 push 1 { push(\"a\"); } }\n"
                 "int->int filter C { work pop 1 push 1 { push(peek(-1)); pop(); } }\n"
                 "int->void filter T { work pop 1 { pop(); } }"),
              Stage::Parsed);
    EXPECT_EQ(faults(), (std::vector<std::string>{"4: unknown-function", "4: not-convertible",
                                                  "5: negative-peek", "3: pop-rate-violated"}));
    EXPECT_EQ(printed, "");
}

TEST_F(PipelineTest, StreamsInsideOfBrokenFiltersAreLeftAlone) {
    go(
        std::string("void->void pipeline Main { add Source; add Sink; }\n"
                    "void->int filter Source { work push 1 { push(1); } }\n"
                    "int->void filter Sink { work pop 1 { int v = pop();\n"
                    "add splitjoin { split roundrobin;\n"
                    "for (int i = 0; i < n / 2; i++) add Compare(up); join roundrobin; }\n"
                    "add pipeline { add Count(0); add filter { work { push(v); } } } } }\n"));
    std::vector<std::string> found = faults();
    EXPECT_THAT(found, testing::Contains("4: composite-statement-in-filter"));
    EXPECT_THAT(found, testing::Contains("5: unknown-stream"));
    EXPECT_THAT(found, testing::Contains("6: unknown-stream"));
}

TEST_F(PipelineTest, BrokenRatesDoNotHideABrokenGraph) {
    EXPECT_EQ(
        go("void->void pipeline Main { add S; add D; add T; }\n"
           "int->int splitjoin D { split duplicate; add A(1); add A(2); join roundrobin; }\n"
           "void->int filter S { work push 1 { push(nope); } }\n"
           "int->int filter A(int n) { work pop 1 push n { push(pop()); push(1); push(2); } }\n"
           "int->void filter T { work pop 1 { pop(); } }"),
        Stage::Parsed);
    EXPECT_EQ(faults(),
              (std::vector<std::string>{"3: unknown-variable", "4: push-rate-violated",
                                        "4: push-rate-violated", "2: inconsistent-rates"}));
}

TEST_F(PipelineTest, FaultsOutsideOfBodiesEndIt) {
    const std::string others =
        "void->void pipeline Main { add S; add T; } int->void filter T { work pop 1 { pop(); "
        "pop(); } }\n";
    EXPECT_EQ(go(others + "void->int filter S { work push nope { push(1); } }"), Stage::Parsed);
    EXPECT_EQ(faults(), (std::vector<std::string>{"2: unknown-variable"}));
}

TEST_F(PipelineTest, FaultsInFunctionsThatFieldsMayCallEndIt) {
    const std::string others =
        "void->void pipeline Main { add S; add T; } int->void filter T { work pop 1 { pop(); "
        "pop(); } }\n";
    EXPECT_EQ(
        go(others +
           "void->int filter S { int n = f(); int f() { return nope; } work push n { push(1); } }"),
        Stage::Parsed);
    EXPECT_EQ(faults(), (std::vector<std::string>{"2: unknown-variable"}));
}

TEST_F(PipelineTest, StopsWhenInterrupted) {
    volatile bool interrupt = true;
    request.interrupt = &interrupt;
    EXPECT_EQ(go(kProgram), Stage::Nothing);
    EXPECT_FALSE(result.context.diags.hasErrors());
}

TEST_F(PipelineTest, PrintsOnlyThroughTheRequest) {
    go(kProgram);
    EXPECT_EQ(printed, "built\n");
}

TEST_F(PipelineTest, SeveralSourcesMakeOneProgram) {
    request.sources = {{"a.str", "void->void pipeline Main { add Source; add Sink; }\n"},
                       {"b.str",
                        "void->int filter Source { work push 1 { push(1); } }\n"
                        "int->void filter Sink { work pop 1 { println(pop()); } }\n"}};
    EXPECT_EQ(compile(result, request, library, Stage::Scheduled), Stage::Scheduled);
    EXPECT_EQ(result.programUnits, 2u);
}

TEST_F(PipelineTest, TheLibraryIsThere) {
    EXPECT_EQ(go("void->void pipeline Main { add S; add Delay(3); add T; }\n"
                 "void->float filter S { work push 1 { push(1); } }\n"
                 "float->void filter T { work pop 1 { println(pop()); } }\n"),
              Stage::Scheduled);
    EXPECT_GT(result.units.size(), result.programUnits);
}

TEST_F(PipelineTest, LeniencyLetsUnreachableFaultsPass) {
    std::string program =
        std::string(kProgram) + "int->int filter Broken { work pop 1 push 1 { push(nothing); } }\n";
    EXPECT_EQ(go(program), Stage::Parsed);
}

TEST_F(PipelineTest, LeniencyMakesWarningsOfThem) {
    result.context.lenient = true;
    std::string program =
        std::string(kProgram) + "int->int filter Broken { work pop 1 push 1 { push(nothing); } }\n";
    EXPECT_EQ(go(program), Stage::Scheduled);
    EXPECT_FALSE(result.context.diags.all().empty());
}

TEST_F(PipelineTest, DefinesAndTopChoose) {
    request.top = "Other";
    request.defines = {{"n", "3"}};
    EXPECT_EQ(go("int->int pipeline Other(int n) { for (int i = 0; i < n; i++) add F; }\n"
                 "int->int filter F { work pop 1 push 1 { push(pop()); } }\n"),
              Stage::Scheduled);
    EXPECT_EQ(result.elaboration.graph.nodes.size(), 3u);
    EXPECT_NE(result.elaboration.graph.input, graph::kNone);
}

TEST_F(PipelineTest, StreamsOfTheLibraryAreGuessed) {
    go("void->void pipeline Main { add IntRmp; add IntPrint; }\n");
    ASSERT_EQ(result.context.diags.all().size(), 1u);
    const base::Diagnostic& fault = result.context.diags.all().front();
    ASSERT_EQ(fault.notes.size(), 1u);
    EXPECT_THAT(fault.notes[0].args, testing::ElementsAre("IntRamp"));
}

TEST(Sources, SayWhatIsWrong) {
    std::istringstream in("text");
    auto read = [&](char* to, std::size_t room) {
        in.read(to, static_cast<std::streamsize>(room));
        return static_cast<std::size_t>(in.gcount());
    };
    EXPECT_EQ(*readText("<stdin>", read), "text");
    EXPECT_EQ(readFile("/no/such.str").error(),
              "cannot open '/no/such.str': No such file or directory");
    EXPECT_EQ(readFile("/").error(), "cannot open '/': Is a directory");
}

}  // namespace
}  // namespace strc::session
