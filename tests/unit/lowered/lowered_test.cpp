#include "base/pass.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "lowered/lower.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A program with a prework, a splitter, a peeking filter, a feedback loop and functions that pop.
constexpr const char* kProgram = R"(
void->void pipeline Main { add Count; add Both; add Echo; add Show; }
void->int filter Count { int n; prework push 3 { for (int k = 0; k < 3; k++) push(-1); } work push 1 { push(n++); } }
int->int splitjoin Both { split duplicate; add Sum(4); add Twice; join roundrobin(1, 2); }
int->int filter Sum(int length) {
    work pop 2 peek length push 1 { int sum = 0; for (int k = 0; k < length; k++) sum += peek(k); take(); take(); push(sum); }
    void take() pop 1 { pop(); }
}
int->int filter Twice { work pop 1 push 1 { push(2 * pop() + iter()); } }
int->int feedbackloop Echo {
    join roundrobin(1, 1);
    body pipeline { add Mix; }
    loop Identity<int>;
    split duplicate;
    enqueue 5;
    enqueue 7;
}
int->int filter Mix { work pop 2 push 1 { int a = pop(); int b = pop(); push(a + b % 1000); } }
int->void filter Show { work pop 1 { println(pop()); } }
)";

class Lowered : public CompiledTest {
protected:
    Lowered() {
        disabled = {base::Pass::Scaling, base::Pass::RemoveRoundRobins};
        request.lowers = true;
    }

    const elab::Kernel& kernel() const { return program.plannedProgram().kernels[0]; }
};

/// With a phase of many steady states, and all passes that change the graph.
class LoweredScaled : public CompiledTest {
protected:
    LoweredScaled() { request.optimise = pass::Options{}; }

    /// The text of the lower form, which prints the same as the program and has the same faults.
    std::string expectSame(const std::string& filters, const std::string& pipeline,
                           std::int64_t count) {
        SCOPED_TRACE(pipeline);
        const std::string text = "void->void pipeline Main { add Count; " + pipeline +
                                 " add Show; }\n" + kEnds + filters;
        request.lowers = false;
        compile(text);
        const interp::Outcome meant = interpret(iterations(count));
        const std::string expected = std::exchange(printed, "");
        const std::vector<std::string> expectedFaults = messages();
        request.lowers = true;
        compile(text);
        const elab::Kernel& kernel = program.plannedProgram().kernels[0];
        EXPECT_TRUE(kernel.blocks);
        if (!kernel.blocks) return {};
        EXPECT_GT(count, 2 * kernel.blocks->firings) << "most of it is done in the phase";
        EXPECT_THAT(ir::verify(program.module, &kernel.code, kernel.blocks->work), IsEmpty());
        for (const ir::Body& body : kernel.code.functions)
            EXPECT_THAT(ir::verify(program.module, &kernel.code, body), IsEmpty())
                << ir::print(body);
        const interp::Outcome done = run(iterations(count));
        EXPECT_EQ(done.end, meant.end);
        EXPECT_EQ(std::exchange(printed, ""), expected);
        EXPECT_EQ(messages(), expectedFaults);
        return ir::print(kernel.code) + ir::print(kernel.blocks->work);
    }

    /// Without the instances: of the one filter they are its own.
    std::vector<std::string> messages() {
        std::vector<std::string> all;
        for (const base::Diagnostic& fault : program.context.diags.all())
            all.push_back(base::message(fault.id, fault.args));
        return all;
    }

    static constexpr const char* kEnds =
        "void->int filter Count { int n; work push 1 { push(n * 37 % 101 - 50); n++; } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n";
};

TEST_F(LoweredScaled, FiringsInVectors) {
    const char* filters =
        "int->int filter Six { work pop 6 peek 9 push 2 { push(peek(8) * 3 + peek(0)); "
        "push(peek(1) "
        "- peek(5)); for (int k = 0; k < 6; k++) pop(); } }\n"
        "int->int filter Near { work pop 1 peek 3 push 1 { push(peek(0) + 2 * peek(1) - peek(2)); "
        "pop(); } }\n"
        "int->int filter Number { work pop 1 push 1 { push(pop() + iter() % 5); } }\n";
    const std::string text = expectSame(filters, "add Six; add Near; add Number;", 3000);
    EXPECT_THAT(text, HasSubstr("function Six_work_x"));
    EXPECT_THAT(text, HasSubstr("function Near_work_x"));
    EXPECT_THAT(text, HasSubstr("load.vector"));
    EXPECT_THAT(text, Not(HasSubstr("peek.")));
    EXPECT_THAT(text, Not(HasSubstr("push.rows")));
}

/// Whatever is left of the steps: 3 of 5 firings and the like.
TEST_F(LoweredScaled, FiringsThatAreLeft) {
    const char* filters =
        "int->int filter Five { work pop 5 push 3 { int sum = 0; for (int k = 0; k < 5; k++) sum "
        "+= "
        "pop(); push(sum); push(-sum); push(iter() & 1); } }\n"
        "int->int filter Seven { work pop 7 push 1 { int sum = 0; for (int k = 0; k < 7; k++) sum "
        "= "
        "3 * sum + pop(); push(sum); } }\n";
    request.mostItems = 11;
    expectSame(filters, "add Five; add Seven;", 3000);
}

TEST_F(LoweredScaled, StateIsKeptInVariablesOfALoop) {
    const char* filters =
        "int->int stateful filter Last { int last; work pop 1 push 1 { int x = pop(); push(x - "
        "last); last = x; } }\n"
        "int->int stateful filter Sum(int f) { int sum; work pop 1 push 1 { sum = sum / f + pop(); "
        "push(sum); } }\n";
    const std::string text = expectSame(filters, "add Sum(3); add Sum(2); add Sum(5);", 5000);
    EXPECT_THAT(text, HasSubstr("local own_tape_"));
    EXPECT_THAT(text, HasSubstr(": Sum_fields"));
    request.mostItems = INT64_MAX;
    expectSame(filters, "add Sum(2); add Last; add Sum(3);", 5000);
}

TEST_F(LoweredScaled, LoopsInVectors) {
    const char* filters =
        "int->float stateful filter Rows { float[64] table; int n; work pop 8 push 32 { int first "
        "= "
        "pop(); for (int k = 1; k < 8; k++) pop(); n = (n + 1) % 32; table[n] = first; for (int k "
        "= "
        "0; k < 32; k++) { float sum = 0; for (int m = 0; m < 4; m++) sum += table[k + m] * 0.25; "
        "push(sum); } } }\n"
        "float->int filter Round { work pop 32 push 1 { float sum = 0; for (int k = 0; k < 32; "
        "k++) "
        "sum += pop(); push((int)(sum * 8)); } }\n";
    const std::string text = expectSame(filters, "add Rows; add Round;", 3000);
    EXPECT_THAT(text, HasSubstr("vector<float"));
}

TEST_F(LoweredScaled, FiltersBehindEachOtherKeepColumns) {
    const char* filters =
        "int->int filter Two { work pop 2 push 2 { int a = pop(); int b = pop(); push(a & 63 ^ b); "
        "push(a % 5); } }\n"
        "int->int filter Four { work pop 4 push 2 { int a = peek(3) ^ 2; int b = pop() & pop(); "
        "pop(); pop(); push(a); push(b); } }\n"
        "int->int filter Three { work pop 2 push 3 { int a = pop(); int b = pop(); push(b % 3); "
        "push(a); push(a * b); } }\n";
    const std::string text = expectSame(filters, "add Two; add Four; add Three;", 3000);
    EXPECT_THAT(text, HasSubstr(", rows: int["));
    EXPECT_THAT(text, HasSubstr("columns: int["));
    disabled = {base::Pass::VectorisePipelines};
    EXPECT_THAT(expectSame(filters, "add Two; add Four; add Three;", 3000),
                Not(HasSubstr(", rows: int[")));
}

TEST_F(LoweredScaled, OnlyVectorsThatMayGiveUpHaveFiringsBehindThem) {
    const std::string filters =
        "int->int filter Two { work pop 2 push 2 { int a = pop(); int b = pop(); push(a & 63 ^ b); "
        "push(a % 5); } }\n"
        "int->int filter Near { work pop 1 peek 3 push 1 { push(peek(0) + 2 * peek(1) - peek(2)); "
        "pop(); } }\n"
        "int->int filter Table { int[400] t; init { for (int k = 0; k < 400; k++) t[k] = k * k; } "
        "work pop 1 push 1 { push(t[pop() + 200]); } }\n";
    EXPECT_THAT(expectSame(filters, "add Near; add Two; add Two;", 3000), Not(HasSubstr("likely")));
    EXPECT_THAT(expectSame(filters, "add Table;", 3000), HasSubstr("likely"));
    EXPECT_THAT(expectSame(filters, "add Two; add Table;", 3000), HasSubstr("local fine"));
}

TEST_F(LoweredScaled, TransposesAreFunctionsOfLlvm) {
    request.lowers = true;
    compile(
        "void->void pipeline Main { add Count; add Two; add Less; add Two; add Show; }\n"
        "int->int filter Two { work pop 2 push 2 { int a = pop(); int b = pop(); push(a & 63 ^ b); "
        "push(a % 5); } }\n"
        "int->int stateful filter Less { int last; work pop 1 push 1 { int x = pop(); push(x - "
        "last); last = x; } }\n" +
        std::string(kEnds));
    const std::string text = codegen::printLlvm(lower());
    auto count = [&](const std::string& what) {
        std::ptrdiff_t found = 0;
        for (std::size_t at = text.find(what); at != std::string::npos;
             at = text.find(what, at + 1))
            ++found;
        return found;
    };
    EXPECT_EQ(count("define internal void @transpose.int.16."), 2);
    EXPECT_GE(count("call void @transpose.int.16."), 4) << "windows and rows of both";
}

TEST_F(LoweredScaled, FiltersThatLookBackKeepStripsOfColumns) {
    const char* filters =
        "int->int filter Two { work pop 1 push 2 { int a = pop(); push(a); push(-a); } }\n"
        "int->int stateful filter Stage(int k) { int last; work pop 2 push 2 { int a = pop(); int "
        "b = pop(); push(a - last % k); push(last + (a ^ k)); last = b; } }\n"
        "int->int filter One { work pop 2 push 1 { int a = pop(); push(a & 255 ^ pop()); } }\n";
    const char* all = "add Two; add Stage(3); add Stage(5); add Stage(7); add One;";
    const std::string text = expectSame(filters, all, 3000);
    EXPECT_THAT(text, HasSubstr("columns_at: int"));
    EXPECT_THAT(text, HasSubstr("rows_at: int"));
    request.mostItems = 200;
    expectSame(filters, all, 3000);
    const char* faulty =
        "int->int filter Two { work pop 1 push 2 { int a = pop(); push(a); push(-a); } }\n"
        "int->int stateful filter Stage(int k) { int last; work pop 2 push 2 { int[111] t; int a = "
        "pop(); int b = pop(); t[last + 60] = a; push(t[last + 60]); push(last); last = (a + b) % "
        "k; } }\n"
        "int->int filter One { work pop 2 push 1 { int a = pop(); push(a & 255 ^ pop()); } }\n";
    expectSame(faulty, "add Two; add Stage(40); add Stage(45); add Stage(300); add One;", 3000);
}

/// Windows of complex items are taken apart, and what lanes leave is put together.
TEST_F(LoweredScaled, WindowsOfManySizes) {
    for (const char* type : {"int", "complex", "bit"})
        for (int pop : {2, 3, 5, 8, 9, 17}) {
            const std::string item = type, many = std::to_string(pop);
            const std::string filters =
                "int->" + item + " filter To { work pop 1 push 1 { int x = pop(); push((" + item +
                ")(x & 1)); } }\n" + item + "->" + item + " filter Turn { work pop " + many +
                " push " + many + " { " + item + " first = peek(0); for (int k = 0; k < " + many +
                " - 1; k++) push(peek(k + 1)); push(first); for (int k = 0; k < " + many +
                "; k++) pop(); } }\n" + item +
                "->int filter From { work pop 1 push 1 { push(pop() == (" + item +
                ")1 ? 1 : 0); } }\n";
            const std::string text =
                expectSame(filters, "add To; add Turn; add Turn; add From;", 60'000);
            EXPECT_THAT(text, HasSubstr("transpose<"));
        }
}

TEST_F(LoweredScaled, LlvmIsToldWhatIsApartAndRare) {
    request.lowers = true;
    compile(
        "void->void pipeline Main { add Count; add Mean; add Show; }\n"
        "int->int filter Mean { work pop 3 push 1 { push((peek(0) + peek(1) + peek(2)) / 3); for "
        "(int "
        "k = 0; k < 3; k++) pop(); } }\n" +
        std::string(kEnds));
    const std::string text = codegen::printLlvm(lower());
    const std::size_t at = text.find("define internal i1 @Mean_work_x");
    ASSERT_NE(at, std::string::npos);
    EXPECT_THAT(text.substr(at, text.find('\n', at) - at), HasSubstr("ptr noalias %8"))
        << "the tape that it takes from";
    EXPECT_THAT(text, HasSubstr("branch_weights"));
    EXPECT_THAT(text, HasSubstr("noinline nounwind optsize")) << "one firing of Mean";
    EXPECT_THAT(text, HasSubstr("noinline nounwind optnone")) << "one steady state";
}

TEST_F(LoweredScaled, FaultsOfFiltersBehindEachOther) {
    const char* filters =
        "int->int filter Two { work pop 2 push 2 { int[110] t; int a = pop(); int b = pop(); t[a + "
        "58] = b; push(t[a + 58] + b); push(a - b); } }\n"
        "int->int filter Less { work pop 2 push 2 { int a = pop(); int b = pop(); push(100 / (a + "
        "100)); push(a / (b - 41)); } }\n";
    expectSame(filters, "add Two; add Less;", 3000);
}

TEST_F(LoweredScaled, ReadersOfOneWindow) {
    const char* filters =
        "int->int splitjoin Both { split duplicate; add Sum(3); add Sum(7); add Sum(8); join "
        "roundrobin; }\n"
        "int->int filter Sum(int n) { work pop 8 push 1 { int sum = 0; for (int k = 0; k < n; k++) "
        "sum = 5 * sum ^ peek(k); for (int k = 0; k < 8; k++) pop(); push(sum); } }\n";
    const std::string text = expectSame(filters, "add Both;", 3000);
    EXPECT_THAT(text, HasSubstr("function Sum_work_x"));
    EXPECT_THAT(text, HasSubstr(", columns: int["));
}

TEST_F(LoweredScaled, BranchesInVectors) {
    const char* filters =
        "int->int splitjoin Bank { split duplicate; for (int k = 0; k < 8; k++) add Recurrence(k); "
        "join roundrobin; }\n"
        "int->int stateful filter Recurrence(int f) { int last; work pop 1 push 1 { last = (last * "
        "f "
        "+ pop()) & 1023; push(last); } }\n"
        "int->int filter Mean { work pop 8 push 1 { int sum = 0; for (int k = 0; k < 8; k++) sum "
        "+= "
        "pop(); push(sum); } }\n";
    expectSame(filters, "add Bank; add Mean;", 3000);
}

TEST_F(LoweredScaled, ItemsOnSeveralTapes) {
    const char* filters =
        "int->int splitjoin Both { split roundrobin; add Twice; add Less; join roundrobin; }\n"
        "int->int filter Twice { work pop 1 push 1 { push(2 * pop()); } }\n"
        "int->int filter Less { work pop 1 peek 2 push 1 { push(peek(1) - peek(0)); pop(); } }\n"
        "int->int filter Pair { work pop 2 push 1 { int a = pop(); push(a * 3 - pop()); } }\n"
        "int->int filter Split { work pop 1 push 2 { int a = pop(); push(a); push(-a); } }\n";
    expectSame(filters, "add Split; add Both; add Pair;", 3000);
}

TEST_F(LoweredScaled, FaultsOfAFiring) {
    const char* filters =
        "int->int filter Near { work pop 1 push 1 { int[110] t; int x = pop(); t[x + 58] = x; "
        "push(t[x + 58] + 1); } }\n"
        "int->int stateful filter Ever { int n; work pop 1 push 1 { n = n + 1; push(pop() / (4000 "
        "- "
        "n)); } }\n";
    expectSame(filters, "add Near; add Ever;", 6000);
    const char* tooFar =
        "int->int filter Far { int[90] t; work pop 1 push 1 { int x = pop(); push(t[x + 50]); } "
        "}\n";
    expectSame(tooFar, "add Far;", 3000);
}

TEST_F(LoweredScaled, LongPhasesArePieces) {
    const char* filters =
        "int->int filter Add(int n) { work pop 1 push 1 { push((pop() + n) % 1000); } }\n"
        "int->int stateful filter Keep { int last; work pop 1 push 1 { int x = pop(); push(last % "
        "97 "
        "+ x); last = x; } }\n";
    const std::string text =
        expectSame(filters, "for (int k = 0; k < 70; k++) { add Add(k); add Keep; } ", 3000);
    EXPECT_THAT(text, HasSubstr("function piece"));
}

/// What is read on which nothing stays between phases is looked at where it waits, and what is written is made where it is given.
TEST_F(LoweredScaled, TapesAtTheEndsAreLeftOut) {
    const std::string filters =
        "int->int filter Two { work pop 2 push 2 { int a = pop(); int b = pop(); push(a & 63 ^ b); "
        "push(a % 5); } }\n"
        "int->int filter Near { work pop 1 peek 3 push 1 { push(peek(0) ^ peek(2)); pop(); } }\n"
        "int->int splitjoin Parts(int n) { split roundrobin(n); add Two; add Two; join "
        "roundrobin(n); }\n"
        "int->int splitjoin Both { split duplicate; add Two; add Two; join roundrobin(2); }\n";
    request.lowers = true;
    request.top = "Main";
    auto lowered = [&](const std::string& pipeline) {
        compile("int->int pipeline Main { " + pipeline + " }\n" + filters);
        const elab::Kernel& kernel = program.plannedProgram().kernels[0];
        EXPECT_THAT(ir::verify(program.module, &kernel.code, kernel.blocks->work), IsEmpty());
        for (const ir::Body& body : kernel.code.functions)
            EXPECT_THAT(ir::verify(program.module, &kernel.code, body), IsEmpty());
        return ir::print(kernel.blocks->work);
    };
    const std::string in = "addr input", out = "addr output";
    for (const char* all : {"add Two; add Two;", "add Parts(2);", "add Parts(64);", "add Both;"}) {
        const std::string text = lowered(all);
        EXPECT_THAT(text, HasSubstr(in));
        EXPECT_THAT(text, HasSubstr(out));
        EXPECT_THAT(text, HasSubstr("discard.many<int>"));
        EXPECT_THAT(text, HasSubstr("push.many<int>"));
        EXPECT_THAT(text, Not(HasSubstr("= pop")));
        EXPECT_THAT(text, Not(HasSubstr("push<int>")));
    }
    const std::string looksBack = lowered("add Near; add Two;");
    EXPECT_THAT(looksBack, Not(HasSubstr(in))) << "items stay on its tape";
    EXPECT_THAT(looksBack, HasSubstr(out));
}

/// What waits on a tape when the program begins lies there, and not before the one filter as well.
TEST_F(LoweredScaled, AnOpenInputBeginsWithoutItems) {
    request.lowers = true;
    request.top = "Main";
    compile(
        "int->int stateful filter Last { int last; work pop 1 push 1 { int x = pop(); push(x - "
        "last); last = x; } }\n"
        "int->int filter Next { work pop 1 push 1 { push(pop() + 1); } }\n"
        "int->int pipeline Main { add Last; add Next; }\n");
    const graph::Graph& graph = program.plannedProgram().graph;
    EXPECT_TRUE(graph.edges[graph.input].initial.empty());
    EXPECT_EQ(program.plan->channels[graph.input].retained, 0);
}

TEST_F(Lowered, IsOneFilterWithTheSameOutput) {
    request.lowers = false;
    compile(kProgram);
    interpret(iterations(20));
    const std::string expected = std::exchange(printed, "");
    EXPECT_THAT(expected, HasSubstr("\n"));
    request.lowers = true;
    compile(kProgram);
    ASSERT_EQ(program.plannedProgram().graph.nodes.size(), 1u);
    EXPECT_THAT(ir::verify(program.module, &kernel().code, *kernel().code.work), IsEmpty());
    for (const ir::Body& body : kernel().code.functions)
        EXPECT_THAT(ir::verify(program.module, &kernel().code, body), IsEmpty());
    interpret(iterations(20));
    EXPECT_EQ(std::exchange(printed, ""), expected);
    run(iterations(20));
    EXPECT_EQ(printed, expected);
}

TEST_F(Lowered, ItemsLieAtExplicitPlaces) {
    compile(
        "void->void pipeline Main { add Count; add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->void filter Show { work pop 2 peek 3 { println(peek(2)); pop(); pop(); } }\n");
    const std::string text = ir::print(kernel().code);
    EXPECT_THAT(text, HasSubstr("field Count_0: Count_fields"));
    EXPECT_THAT(text, Not(HasSubstr(" = pop")));
    EXPECT_THAT(text, Not(HasSubstr(" = peek")));
    EXPECT_THAT(text, Not(HasSubstr("push int")));
}

TEST_F(Lowered, InstancesShareAFunction) {
    compile(
        "void->void pipeline Main { add Count; add Next; add Next; add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->int filter Next { work pop 1 push 1 { push(pop() + 1); } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    EXPECT_EQ(kernel().code.functions.size(), 3u);
}

TEST_F(Lowered, ComputesAgainWhatInitMakesOfAParameter) {
    const char* text =
        "void->void pipeline Main(int gain = 3) { add Count; add Scale(gain); add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->int filter Scale(int gain) { int[2] table; int sum; init { for (int k = 0; k < 2; "
        "k++) table[k] = gain * (k + 1); } work pop 1 push 1 { sum += pop(); push(sum * table[1]); "
        "} }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n";
    request.keptParameters = {"gain"};
    compile(text);
    const std::string shown = ir::print(kernel().code);
    EXPECT_THAT(shown, HasSubstr("function update_gain(keeps: boolean)"));
    EXPECT_THAT(shown, HasSubstr("function Scale_init(fields: Scale_fields)"));
    for (const ir::Body& body : kernel().code.functions)
        EXPECT_THAT(ir::verify(program.module, &kernel().code, body), IsEmpty());
    interpret(iterations(3));
    EXPECT_EQ(printed, "0\n6\n18\n");
}

TEST_F(Lowered, ChecksRatesThatAreNotProved) {
    compile(
        "void->void pipeline Main { add Count; add Some; add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->int filter Some { void give(int n) push 1 { for (int k = 0; k < n; k++) push(k); } "
        "prework pop 1 push 1 { give(pop()); } work pop 1 push 1 peek 3 { int n = peek(peek(0)); "
        "pop(); "
        "give(n); } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    const std::string shown = ir::print(kernel().code);
    EXPECT_THAT(shown, HasSubstr("check prework push \"Some\""));
    EXPECT_THAT(shown, HasSubstr("check work push \"Some\""));
    EXPECT_THAT(shown, HasSubstr("check work peek \"Some\""));
    EXPECT_THAT(shown, HasSubstr("check work offset \"Some\""));
    EXPECT_THAT(shown, Not(HasSubstr("check work pop")));
    for (const ir::Body& body : kernel().code.functions)
        EXPECT_THAT(ir::verify(program.module, &kernel().code, body), IsEmpty());
}

/// Its plan hands over what is left of the input, and writes what comes of it.
TEST_F(Lowered, LeavesFiringsOutAtTheEndOfTheInput) {
    request.top = "Main";
    compile(
        "int->int filter Block { work pop 4 push 4 { for (int k = 0; k < 4; k++) push(pop()); } }\n"
        "int->int filter Sum { work pop 1 peek 2 push 1 { push(peek(0) + peek(1)); pop(); } }\n"
        "int->int pipeline Main { add Block; add Sum; }\n");
    ASSERT_TRUE(kernel().drain);
    const elab::Drain& drain = *kernel().drain;
    EXPECT_EQ(kernel().code.functions[drain.init].name, "drain_first");
    EXPECT_EQ(kernel().code.functions[drain.steady].name, "drain");
    for (const ir::Body& body : kernel().code.functions)
        EXPECT_THAT(ir::verify(program.module, &kernel().code, body), IsEmpty());
    ASSERT_TRUE(program.plan->drain);
    std::vector<plan::StepKind> kinds;
    for (const plan::Step& step : program.plan->drain->steady.steps) kinds.push_back(step.kind);
    EXPECT_THAT(kinds,
                ElementsAre(plan::StepKind::Read, plan::StepKind::Part, plan::StepKind::Write));
    EXPECT_EQ(program.plan->drain->steady.steps[0].count, 4);
    EXPECT_EQ(program.plan->drain->steady.steps[1].port, drain.steady);
    EXPECT_EQ(program.plan->drain->steady.steps[2].count, 4);
}

/// Each block is whole, so nothing can be left.
TEST_F(Lowered, HasNoFunctionsForAnEndAtWhichNothingIsLeft) {
    request.top = "Main";
    compile(
        "int->int filter Next { work pop 1 push 1 { push(pop() + 1); } }\n"
        "int->int pipeline Main { add Next; add Next; }\n");
    EXPECT_FALSE(kernel().drain);
    EXPECT_FALSE(program.plan->drain);
}

/// Of different types, and with different numbers of items before the first steady state. The plan of the one filter is replayed.
TEST_F(LoweredScaled, SeveralFilesArePortsInFields) {
    request.lowers = true;
    compile(R"(
void->void pipeline Main { add Both; add Half; add FileWriter<int>("out.raw"); }
void->int splitjoin Both { split roundrobin(0); add First; add Second; join roundrobin(2, 1); }
void->int pipeline First { add FileReader<int>("in.raw"); add Window; }
void->int pipeline Second { add FileReader<float>("more.raw"); add Round; }
int->int filter Window { work pop 1 peek 5 push 1 { push(peek(0) - peek(4)); pop(); } }
float->int filter Round { work pop 3 push 1 { push((int)(pop() + pop() * pop())); } }
int->int splitjoin Half { split duplicate; add Identity<int>; add FileWriter<int>("other.raw"); join roundrobin(1, 0); }
)");
    const elab::Elaboration& made = program.plannedProgram();
    const elab::Kernel& kernel = made.kernels[0];
    ASSERT_EQ(kernel.code.inputFields.size(), 2u);
    ASSERT_EQ(kernel.code.outputFields.size(), 2u);
    EXPECT_EQ(kernel.code.fields[kernel.code.inputFields[1]].type->element->kind,
              types::TypeKind::Float);
    EXPECT_EQ(made.graph.nodes[0].inputRates[0].first, 4);
    EXPECT_EQ(made.graph.nodes[0].inputRates[0].then, 2);
    EXPECT_EQ(made.graph.nodes[0].inputRates[1].then, 3);
    ASSERT_TRUE(kernel.blocks);
    EXPECT_THAT(ir::verify(program.module, &kernel.code, kernel.blocks->work), IsEmpty());
    EXPECT_THAT(ir::verify(program.module, &kernel.code, *kernel.code.prework), IsEmpty());
    EXPECT_THAT(plan::verify(*program.plan, program.plannedQuota()), IsEmpty());
}

/// The plan of the one filter, with what threads share of a call, is replayed.
TEST_F(LoweredScaled, PartitionsAreFunctionsOfTheSlice) {
    request.lowers = true;
    request.threads = 2;
    compile(R"(
void->void pipeline Main { add Count; add Two; add Less; add Show; }
void->float filter Count { int n; work push 1 { push(n++ % 97); } }
float->float splitjoin Two { split duplicate; add Heavy(1); add Heavy(2); join roundrobin; }
float->float stateful filter Heavy(int seed) {
    float a; float b;
    init { a = seed; b = 1; }
    work pop 1 push 1 {
        float x = pop();
        for (int i = 0; i < 400; i++) { a = 0.999 * a + x * b; b = 0.5 + 0.25 * b * x; }
        push(a);
    }
}
float->float filter Less { work pop 2 push 1 { push(pop() - pop()); } }
float->void filter Show { work pop 1 { println(pop()); } }
)");
    ASSERT_TRUE(program.plan->partitioning);
    const elab::Kernel& kernel = program.plannedProgram().kernels[0];
    for (const plan::Partition& each : program.plan->partitioning->partitions) {
        ASSERT_EQ(each.steps.size(), 1u);
        ASSERT_EQ(each.steps[0].kind, plan::StepKind::Part);
        const ir::Body& function = kernel.code.functions[each.steps[0].port];
        EXPECT_EQ(function.params, 1u);
        EXPECT_THAT(ir::verify(program.module, &kernel.code, function), IsEmpty());
    }
    EXPECT_THAT(plan::verify(*program.plan, program.plannedQuota()), IsEmpty());
}

TEST_F(Lowered, SaysWhatIsNotLowered) {
    auto why = [this](const std::string& text) {
        request.sources = {{"test.str", text}};
        std::destroy_at(&program);
        std::construct_at(&program);
        session::compile(program, request, library, session::Stage::Planned);
        return faults();
    };
    EXPECT_THAT(why("void->void pipeline Main { add Count; add Some; add Show; }\n"
                    "void->int filter Count { int n; work push 1 { push(n++); } }\n"
                    "int->int filter Some { work pop 1 push * { if (pop() > 1) push(1); } }\n"
                    "int->void filter Show { work pop 1 { println(pop()); } }\n"),
                ElementsAre(HasSubstr("it has dynamic rates")));
    EXPECT_THAT(why("void->void pipeline Main { add Count; add Some; add Show; }\n"
                    "void->int filter Count { int n; work push 1 { push(n++); } }\n"
                    "int->int filter Some { work pop 1 push 1 { int[2] a = init_array_1D_int("
                    "\"f\", 2); push(pop() + a[1]); } }\n"
                    "int->void filter Show { work pop 1 { println(pop()); } }\n"),
                ElementsAre(HasSubstr("a filter reads an array while it runs")));
}

}  // namespace
}  // namespace strc::testing
