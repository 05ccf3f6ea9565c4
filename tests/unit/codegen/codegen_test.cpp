#include <thread>

#include "strc/runtime.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kTwice =
    "void->void pipeline Main { add Count; add Twice; add Twice; add Show; }\n"
    "void->int filter Count { int n; work push 1 { push(n++); } }\n"
    "int->int filter Twice { work pop 1 push 1 { push(2 * pop()); } }\n"
    "int->void filter Show { work pop 1 { println(pop()); } }\n";

std::size_t occurrences(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++count;
    return count;
}

TEST_F(CompiledTest, InstancesShareTheCodeOfTheirKernel) {
    compile(kTwice);
    std::string text = codegen::printLlvm(lower());
    EXPECT_EQ(occurrences(text, "define internal void @Twice.work"), 1u);
    EXPECT_GE(occurrences(text, "call void @Twice.work"), 2u);
    EXPECT_THAT(text, HasSubstr("@strc_program"));
}

TEST_F(CompiledTest, PrintsWhatTheInterpreterPrints) {
    compile(kTwice);
    EXPECT_EQ(run(iterations(5000)).iterations, 5000);
    std::string compiled = std::exchange(printed, "");
    interpret(iterations(5000));
    EXPECT_EQ(compiled, printed);
    EXPECT_THAT(compiled, HasSubstr("\n19996\n"));
}

TEST_F(CompiledTest, RingsHaveCursorsInMemory) {
    request.tapes = plan::Tapes::Ring;
    compile(
        "void->void pipeline Main { add Count; add Sum; add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->int filter Sum { work pop 1 push 1 peek 3 { push(peek(0) + peek(2)); pop(); } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    const std::string text = codegen::printLlvm(lower());
    EXPECT_THAT(text, Not(HasSubstr(".lanes")));
    EXPECT_THAT(text, Not(HasSubstr("memmove")));
    EXPECT_THAT(text, HasSubstr("!invariant.load"));
    const std::string from = "define internal void @Sum.work";
    const std::string sum =
        text.substr(text.find(from), text.find("\n}", text.find(from)) - text.find(from));
    EXPECT_EQ(occurrences(sum, " and i64 "), 3u) << sum;  // two peeks and a push go by masks
    EXPECT_EQ(occurrences(sum, "!noalias"), 10u)
        << sum;  // items and cursors are not the same memory
    EXPECT_EQ(run(iterations(5000)).iterations, 5000);
    const std::string compiled = std::exchange(printed, "");
    interpret(iterations(5000));
    EXPECT_EQ(compiled, printed);
}

TEST_F(CompiledTest, ExactRatesAreNotChecked) {
    compile(kTwice);
    EXPECT_THAT(lower().sites(), IsEmpty());
}

constexpr const char* kByChance =
    "void->void pipeline Main { add Count; add Show; }\n"
    "void->int filter Count { int n; work push 2 { n++; push(n); if (n < 3) push(n); } }\n"
    "int->void filter Show { work pop 1 { println(pop()); } }\n";

TEST_F(CompiledTest, OtherRatesAreChecked) {
    compile(kByChance);
    EXPECT_EQ(run(iterations(5)).end, interp::End::Failed);
    EXPECT_EQ(printed, "1\n1\n2\n2\n");
    std::vector<std::string> compiled = faults();
    EXPECT_THAT(compiled,
                ElementsAre("Main.Count: 'work' of 'Count' declares push 2, but pushes 1"));
    program.context.diags.clear();
    interpret(iterations(5));
    EXPECT_EQ(faults(), compiled);
}

TEST_F(CompiledTest, ChecksNameTheInstanceAndTheNumbers) {
    compile(
        "void->void pipeline Main { add Count; add Pick(5); add Pick(3); add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->int filter Pick(int size) { int[size] table; work pop 1 push 1 {\n"
        "int x = pop(); push(x + table[x]); } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    EXPECT_EQ(run(iterations(5)).end, interp::End::Failed);
    EXPECT_THAT(faults(),
                ElementsAre("Main.Pick[1]: index 3 is outside of the array, whose length is 3"));
}

TEST_F(CompiledTest, ChecksCanBeLeftOut) {
    compile(kByChance);
    codegen::Options unchecked;
    unchecked.checks = false;
    EXPECT_THAT(lower(unchecked).sites(), IsEmpty());
    EXPECT_THAT(lower().sites(), Not(IsEmpty()));
}

TEST_F(CompiledTest, DivisionByZeroStopsTheRun) {
    compile(
        "void->void pipeline Main { add Count; add Show; }\n"
        "void->int filter Count { int n = 2; work push 1 { push(6 / n); n--; } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    EXPECT_EQ(run(iterations(9)).end, interp::End::Failed);
    EXPECT_THAT(faults(), ElementsAre("Main.Count: integer division by zero"));
}

TEST_F(CompiledTest, WhatCameBeforeAFaultIsNotLost) {
    compile(
        "void->void pipeline Main { add Count; add Half; add Show; }\n"
        "void->int filter Count { int n = 300; work push 1 { push(600 / n); n--; } }\n"
        "int->int filter Half { work pop 2 push 1 { push(pop() + pop()); } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    ASSERT_GT(program.plan->scaled.iterations, 1);
    EXPECT_EQ(run(iterations(900)).end, interp::End::Failed);
    std::string compiled;
    std::swap(compiled, printed);
    EXPECT_EQ(interpret(iterations(900)).end, interp::End::Failed);
    EXPECT_EQ(compiled, printed);
    EXPECT_THAT(printed, EndsWith("\n350\n900\n")) << "600/2 + 600/1 is the last sum";
}

TEST_F(CompiledTest, WhatTakesLongerAndLongerIsShownMeanwhile) {
    compile(
        "void->void pipeline Main { add Count; add Fib; add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->int filter Fib { int fib(int n) { if (n < 2) return n; return fib(n - 1) + fib(n - "
        "2); }\n"
        "  work pop 1 push 1 { push(fib(pop())); } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    ASSERT_GT(program.plan->scaled.iterations, 100) << "a phase would take years";
    interp::Options how;
    how.seconds = 0.5;
    EXPECT_EQ(run(how).end, interp::End::Seconds);
    EXPECT_THAT(printed, HasSubstr("\n6765\n10946\n"));
}

TEST_F(CompiledTest, AFiringWithoutEndCanBeInterrupted) {
    compile(
        "void->void pipeline Main { add Count; add Show; }\n"
        "void->int filter Count { work push 1 { int n = 1; while (n != 0) n = n * 3; push(n); } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    volatile bool interrupt = false;
    interp::Options how;
    how.interrupt = &interrupt;
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        interrupt = true;
    });
    EXPECT_EQ(run(how).end, interp::End::Interrupted);
    later.join();
    interrupt = false;
    how.seconds = 0.1;
    EXPECT_EQ(run(how).end, interp::End::Seconds);
}

TEST_F(CompiledTest, MakingCodeCanBeInterruptedAtAnyTime) {
    compile(kTwice);
    int asked = 0;
    codegen::Options how;
    how.interrupted = [&] { return ++asked < 0; };
    codegen::Module whole = lower(how);
    codegen::optimize(whole, how);
    ASSERT_TRUE(codegen::Jit::load(std::move(whole), how));
    int all = asked;
    EXPECT_GT(all, 100);
    for (int last = 0; last < all; last += 1 + last / 7) {
        asked = 0;
        how.interrupted = [&] { return asked++ >= last; };
        codegen::Module module = lower(how);
        codegen::optimize(module, how);
        EXPECT_FALSE(codegen::Jit::load(std::move(module), how)) << last;
    }
}

TEST_F(CompiledTest, LargeArraysInRecursionAreAFault) {
    compile(
        "void->void pipeline Main { add Count; add F; add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->int filter F {\n"
        "  int f(int[30000] p, int n) { int[30000] q; q = p; q[n] = n;\n"
        "    return n > 9000 ? q[3] : f(q, n + 1) + q[n]; }\n"
        "  work pop 1 push 1 { int[30000] z; int x = pop(); push(x < 3 ? x : f(z, x)); } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    for (int level : {0, 2}) {
        codegen::Options how;
        how.level = level;
        EXPECT_EQ(run(iterations(6), how).end, interp::End::Failed);
        EXPECT_EQ(std::exchange(printed, ""), "0\n1\n2\n");
        EXPECT_THAT(faults().back(),
                    HasSubstr("Main.F: out of memory: function 'f' needs 120000 bytes"));
    }
}

TEST_F(CompiledTest, ArraysLargerThanTheStackAreAFault) {
    compile(
        "void->void pipeline Main { add Count; add Show; }\n"
        "void->int filter Count { int n; work push 1 { int[60000000] a; int[60000000] b; "
        "int[60000000] c; int[60000000] d; "
        "int[60000000] e; a[5] = 3; push(a[5] + b[n] + c[n] + d[n] + e[n]); } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    EXPECT_EQ(run(iterations(1)).end, interp::End::Failed);
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("out of memory: 'work' needs 1200000000 bytes")));
}

TEST_F(CompiledTest, EndlessRecursionIsAFault) {
    compile(
        "void->void pipeline Main { add Count; add Show; }\n"
        "void->int filter Count { int deep(int n) { return deep(n + 1) + 1; } work push 1 { "
        "push(deep(0)); } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    EXPECT_EQ(run(iterations(1)).end, interp::End::Failed);
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("calls of function 'deep' are nested more than")));
}

TEST_F(CompiledTest, BodiesCalledFromManyPlacesStayFunctions) {
    compile(
        "void->void pipeline Main { add Count; for (int i = 0; i < 200; i++) add Mix; add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->int filter Mix { int[8] a; work pop 1 push 1 { int x = pop();\n"
        "for (int i = 0; i < 8; i++) { a[i] = a[i] * 3 + x; x = x ^ a[(i * 5) & 7]; } push(x); } "
        "}\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    codegen::Module module = lower();
    codegen::optimize(module, {});
    std::string text = codegen::printLlvm(module);
    EXPECT_GE(occurrences(text, "@Mix.work("), 200u);
    run(iterations(300));
    std::string compiled = std::exchange(printed, "");
    interpret(iterations(300));
    EXPECT_EQ(compiled, printed);
}

/// Many kernels that differ in the lengths of their arrays.
std::string manyLengths(int count) {
    return "void->void pipeline Main { add Count; for (int i = 8; i < " +
           std::to_string(8 + count) +
           "; i++) add Mix(i); add Show; }\n"
           "void->int filter Count { int n; work push 1 { push(n++); } }\n"
           "int->int filter Mix(int N) { int[N] a; work pop 1 push 1 { int x = pop();\n"
           "for (int i = 0; i < N; i++) { a[i] = a[i] * 3 + x; x = x ^ a[(i * 5) % N]; } push(x); "
           "} }\n"
           "int->void filter Show { work pop 1 { println(pop()); } }\n";
}

TEST_F(CompiledTest, LargeProgramsGetLessOptimisation) {
    compile(manyLengths(600));
    codegen::Module module = lower();
    codegen::optimize(module, {});
    std::string text = codegen::printLlvm(module);
    EXPECT_LT(occurrences(text, "alloca"), 10u);  // the quick passes
    EXPECT_EQ(occurrences(text, "llvm.loop"), 0u);  // but not those that take long
    run(iterations(30));
    std::string compiled = std::exchange(printed, "");
    interpret(iterations(30));
    EXPECT_EQ(compiled, printed);
}

TEST_F(CompiledTest, WideSplittersAreCutInPieces) {
    compile(
        "void->void pipeline Main { add Count; add splitjoin { split roundrobin(2);\n"
        "for (int i = 0; i < 300; i++) add Inner; join roundrobin(2); }; add Show; }\n"
        "int->int splitjoin Inner { split duplicate; for (int i = 0; i < 2; i++) add More; join "
        "roundrobin; }\n"
        "int->int filter More { work pop 2 push 1 { push(pop() * 3 + pop()); } }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    EXPECT_GT(occurrences(codegen::printLlvm(lower()), "define internal void @ports"), 5u);
    run(iterations(4));
    std::string compiled = std::exchange(printed, "");
    interpret(iterations(4));
    EXPECT_EQ(compiled, printed);
}

TEST_F(CompiledTest, StringsDoNotOutliveTheirFiring) {
    compile(
        "void->void pipeline Main { add Count; add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->void filter Show { void say(String s) { println(s); }\n"
        "work pop 1 { say(\"n = \" + pop()); } }\n");
    EXPECT_THAT(codegen::printLlvm(lower()), HasSubstr("call void @strc_strings_release"));
    run(iterations(2));
    EXPECT_EQ(printed, "n = 0\nn = 1\n");
}

/// Doubles a text `times` times, in each of `trips` iterations of a loop.
std::string longTexts(int trips, int times) {
    return "void->void pipeline Main { add Count; add Show; }\n"
           "void->int filter Count { int n; work push 1 { push(n++); } }\n"
           "int->void filter Show {\n"
           "void twice(String s, int n) { if (n > 0) twice(s + s, n - 1); else print(n); }\n"
           "void often(String s) { for (int i = 0; i < " +
           std::to_string(trips) + "; i++) twice(\"x\", " + std::to_string(times) +
           "); println(s); }\n"
           "work pop 1 { often(\"n\" + pop()); } }\n";
}

TEST_F(CompiledTest, StringsDoNotOutliveTheirRoundInAFunction) {
    compile(longTexts(40, 24));  // more than STRC_STRING_BYTES in all
    run(iterations(1));
    EXPECT_THAT(faults(), IsEmpty());
    EXPECT_EQ(printed, std::string(40, '0') + "n0\n");
}

TEST_F(CompiledTest, TextsHaveTheLimitOfTheInterpreter) {
    compile(longTexts(1, 25));
    EXPECT_EQ(run(iterations(1)).end, interp::End::Failed);
    std::vector<std::string> compiled = faults();
    EXPECT_THAT(compiled,
                ElementsAre(HasSubstr("the length of a text exceeds the limit of 16777216")));
    base::SourceRange range = program.context.diags.all().front().range;
    program.context.diags.clear();
    interpret(iterations(1));
    EXPECT_EQ(faults(), compiled);
    EXPECT_EQ(program.context.diags.all().front().range.begin, range.begin);
}

TEST_F(CompiledTest, TooManyTextsOfOneFiringAreAFaultOfTheLastOne) {
    if (!executes()) GTEST_SKIP() << "only compiled code has this limit";
    compile(
        "void->void pipeline Main { add Count; add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->void filter Show {\n"
        "void keep(String s, String t) {\n"
        "for (int i = 0; i < 22; i++) s = s + s;\n"
        "for (int i = 0; i < 200; i++)\n"
        "t = s + i;\n"
        "println(t); }\n"
        "work pop 1 { keep(\"n\" + pop(), \"\"); } }\n");
    EXPECT_EQ(run(iterations(1)).end, interp::End::Failed);
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("out of memory: the text of one firing needs " +
                                                std::to_string(STRC_STRING_BYTES) + " bytes")));
    const base::Diagnostic& fault = program.context.diags.all().front();
    EXPECT_EQ(program.context.sources.position(fault.range.buffer, fault.range.begin).line, 7u);
}

TEST_F(CompiledTest, WhatNothingCallsIsNoHindrance) {
    const char* text =
        "native Far { int look(int x); }\n"
        "helper Near { int far(int x) { return Far.look(x); } int half(int x) { return x / 2; } }\n"
        "void->void pipeline Main { add Count; add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(Near.half(n++)); } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n";
    compile(text);
    EXPECT_EQ(codegen::whyNot(program.module, *program.plan), "");
    run(iterations(3));
    EXPECT_EQ(printed, "0\n0\n1\n");
}

TEST_F(CompiledTest, SaysWhatIsLeftToTheInterpreter) {
    compile(kTwice);
    EXPECT_EQ(codegen::whyNot(program.module, *program.plan), "");
    interp::Options how;
    EXPECT_EQ(host::whyNot(how), "");
    how.stepLimit = 1000;
    EXPECT_EQ(host::whyNot(how), "its steps are limited");
    how.stepLimit = UINT64_MAX;
    how.lenient = true;
    EXPECT_EQ(host::whyNot(how), "rates are handled leniently");
}

}  // namespace
}  // namespace strc::testing
