#include "driver/driver.h"

#include <sstream>

#include <gmock/gmock.h>

#include "unit/driver/call.h"

namespace strc::driver {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kCounter =
    "void->void pipeline Main(int n = 1) { add Source(n); add Sink; }\n"
    "void->int stateful filter Source(int n) { int i; work push 1 { push(n * i++); } }\n"
    "int->void filter Sink { work pop 1 { println(pop()); } }\n";

TEST(Driver, PrintsItsVersion) {
    for (const char* word : {"version", "--version"}) {
        Called result = call({word});
        EXPECT_EQ(result.status, kFine);
        EXPECT_THAT(result.out, testing::MatchesRegex("strc [0-9.]+\n"));
        EXPECT_EQ(result.err, "");
    }
}

TEST(Driver, HelpsWithoutArguments) {
    EXPECT_THAT(call({}).out, HasSubstr("Usage: strc COMMAND"));
    EXPECT_EQ(call({}).out, call({"--help"}).out);
    EXPECT_THAT(call({"run", "--help"}).out, HasSubstr("Usage: strc run"));
    EXPECT_EQ(call({"help", "run"}).out, call({"run", "--help"}).out);
    EXPECT_EQ(call({"run", "--help"}).status, kFine);
}

TEST(Driver, RefusesAnUnknownCommand) {
    Called result = call({"chekc"});
    EXPECT_EQ(result.status, kWrongCall);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(
        result.err,
        "strc: error: unknown command 'chekc' [bad-command-line]\nnote: did you mean 'check'?\n");
    EXPECT_THAT(call({"radio.str"}).err, HasSubstr("did you mean 'strc run radio.str'?"));
}

TEST(Driver, RunsAProgramOfStandardInput) {
    Called result = call({"run", "-i", "3", "-"}, kCounter);
    EXPECT_EQ(result.status, kFine) << result.err;
    EXPECT_EQ(result.out, "0\n1\n2\n");
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(call({"run", "--limit=2", "-D", "n=5", "-"}, kCounter).out, "0\n5\n");
}

TEST(Driver, ReportsFaultsOfProgramsWithTheirPlace) {
    Called result = call({"check", "-"}, "void->void pipeline Main { add Nobody; }\n");
    EXPECT_EQ(result.status, kProgramFault);
    EXPECT_THAT(result.err,
                StartsWith("<stdin>:1:32: error: unknown stream 'Nobody' [unknown-stream]\n"));
    EXPECT_EQ(result.out, "");
}

TEST(Driver, ChecksAsFarAsTheSchedule) {
    Called result = call({"check", "-"},
                         "void->void pipeline Main { add S; add splitjoin { split duplicate; add "
                         "A; add B; join roundrobin; }; add T; }\n"
                         "void->int filter S { work push 1 { push(1); } }\n"
                         "int->int filter A { work pop 1 push 1 { push(pop()); } }\n"
                         "int->int filter B { work pop 1 push 2 { push(pop()); push(1); } }\n"
                         "int->void filter T { work pop 1 { println(pop()); } }\n");
    EXPECT_EQ(result.status, kProgramFault);
    EXPECT_THAT(result.err, HasSubstr("[inconsistent-rates]"));
}

TEST(Driver, EmitsStages) {
    EXPECT_THAT(call({"check", "--emit=ast", "-"}, kCounter).out, HasSubstr("Sink"));
    EXPECT_THAT(call({"run", "--emit", "ir", "-"}, kCounter).out,
                HasSubstr("pipeline Main void->void {"));
    EXPECT_THAT(call({"check", "--emit=graph", "-"}, kCounter).out, HasSubstr("filter Sink pop 1"));
    EXPECT_THAT(call({"check", "--emit=schedule", "-"}, kCounter).out,
                HasSubstr("Main.Source -> Main.Sink"));
    EXPECT_EQ(call({"check", "--emit=schedule", "-"}, kCounter).out,
              call({"schedule", "-"}, kCounter).out);
    const std::string text = call({"check", "--emit=program", "-"}, kCounter).out;
    EXPECT_THAT(text, HasSubstr("\nprogram\nkernel "));
    EXPECT_EQ(call({"opt", "-"}, text).out, text);
    EXPECT_EQ(call({"opt", "--pass=linear-combination,inline", "-"}, text).out, text);
    EXPECT_EQ(call({"check", "--emit=ast", "-"}, "nonsense").status, kProgramFault);
}

TEST(Driver, DrawsGraphs) {
    EXPECT_THAT(call({"graph", "-"}, kCounter).out, StartsWith("digraph"));
    EXPECT_THAT(call({"graph", "--format=json", "-"}, kCounter).out, StartsWith("{"));
    EXPECT_THAT(call({"graph", "--format=txt", "-"}, kCounter).out, StartsWith("pipeline Main"));
    EXPECT_EQ(call({"graph", "-o", "picture.bmp", "-"}, kCounter).status, kWrongCall);
}

TEST(Driver, FormatsStandardInput) {
    Called result = call({"fmt", "-"}, "void->void pipeline Main{add A  ;}");
    EXPECT_EQ(result.status, kFine) << result.err;
    EXPECT_THAT(result.out, HasSubstr("add A;"));
    EXPECT_EQ(call({"fmt", "-"}, result.out).out, result.out);
    EXPECT_EQ(call({"fmt", "--check", "-"}, result.out).status, kFine);
    EXPECT_EQ(call({"fmt", "--check", "-"}, "void->void pipeline Main{add A  ;}").status,
              kProgramFault);
    EXPECT_EQ(call({"fmt", "-"}, "int int").status, kProgramFault);
    EXPECT_EQ(call({"fmt", "-"}, "int int").out, "");
}

TEST(Driver, Explains) {
    Called result = call({"explain", "deadlock"});
    EXPECT_EQ(result.status, kFine);
    EXPECT_THAT(result.out, StartsWith("deadlock (error)\n"));
    EXPECT_THAT(result.out, HasSubstr("\nReported:\n    void->void"));
    EXPECT_THAT(result.out, HasSubstr("\nMended:\n    void->void"));
    EXPECT_THAT(call({"explain", "unknown-format"}).out, HasSubstr("    $ strc run --top Twice"));
    EXPECT_THAT(call({"explain"}).out, HasSubstr("\nunused-stream                warning  "));
    Called wrong = call({"explain", "dead-lock"});
    EXPECT_EQ(wrong.status, kWrongCall);
    EXPECT_THAT(wrong.err, HasSubstr("did you mean 'deadlock'?"));
}

TEST(Driver, ShowsFaultsAsAskedForEvenOfTheCall) {
    EXPECT_THAT(call({"check", "--diagnostics=json", "--nonsense", "x.str"}).err,
                StartsWith("{\"severity\":\"error\""));
    EXPECT_THAT(call({"check", "--diagnostics", "json", "-"}, "x").err,
                StartsWith("{\"severity\":\"error\""));
    EXPECT_THAT(call({"check", "--color=always", "-"}, "x").err, HasSubstr("\x1b["));
    EXPECT_THAT(call({"check", "-"}, "x").err, testing::Not(HasSubstr("\x1b[")));
}

TEST(Driver, WarningsObeyTheirOptions) {
    std::string program =
        std::string(kCounter) + "int->int filter Spare { work pop 1 push 1 { push(pop()); } }\n";
    EXPECT_THAT(call({"check", "-"}, program).err,
                HasSubstr("warning: stream 'Spare' is never used"));
    EXPECT_EQ(call({"check", "-"}, program).status, kFine);
    EXPECT_EQ(call({"check", "-w", "-"}, program).err, "");
    EXPECT_EQ(call({"check", "-Wno-unused-stream", "-"}, program).err, "");
    EXPECT_EQ(call({"check", "-Werror", "-"}, program).status, kProgramFault);
    EXPECT_EQ(call({"check", "-Werror=unused-stream", "-"}, program).status, kProgramFault);
    EXPECT_EQ(call({"check", "-Werror=unused-parameter", "-"}, program).status, kFine);
    EXPECT_EQ(call({"check", "-Wno-such-thing", "-"}, program).status, kWrongCall);
}

TEST(Driver, ManyErrorsAreCut) {
    std::string program = "void->void pipeline Main {\n";
    for (int i = 0; i < 300; ++i) program += "add Nobody" + std::to_string(i) + ";\n";
    Called result = call({"check", "-"}, program + "}\n");
    EXPECT_TRUE(result.err.ends_with("\nnote: 100 more errors not shown [more-errors]\n"));
    EXPECT_EQ(result.err.find("Nobody200"), std::string::npos);
}

TEST(Driver, AnInterruptEndsTheRun) {
    std::istringstream in(kCounter);
    std::ostringstream out;
    std::ostringstream err;
    volatile bool interrupt = true;
    const char* argv[] = {"strc", "run", "-"};
    EXPECT_EQ(run(3, argv, {in, out, err, false, false, &interrupt}), kInterrupted);
    EXPECT_EQ(err.str(), "");
}

TEST(Driver, StatisticsGoToStandardError) {
    Called result = call({"run", "-i", "3", "--stats", "-"}, kCounter);
    EXPECT_EQ(result.out, "0\n1\n2\n");
    EXPECT_THAT(result.err, testing::MatchesRegex("3 steady states, 6 firings, [0-9.]+ s\n"));
}

TEST(Driver, AMainStreamWithoutSidesHasNoFiles) {
    Called result = call({"run", "--in", "x.raw", "-"}, kCounter);
    EXPECT_EQ(result.status, kWrongCall);
    EXPECT_THAT(result.err, HasSubstr("--in is given, but main stream 'Main' has no input"));
    EXPECT_THAT(call({"run", "--out-rate", "8000", "-"}, kCounter).err,
                HasSubstr("--out-rate is given"));
}

}  // namespace
}  // namespace strc::driver
