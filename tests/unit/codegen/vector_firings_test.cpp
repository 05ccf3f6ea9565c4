#include <cstdio>
#include <cstring>

#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A filter between numbers and their print, once in vectors and once interpreted.
class VectorFiringsCompiled : public CompiledTest {
protected:
    void expectSame(const std::string& filter, const std::string& type = "float") {
        expectSame(filter, "float", type, "push((n * 37) % 101 - 50);");
    }
    void expectSameOfComplex(const std::string& filter, const std::string& type = "complex") {
        expectSame(
            filter, "complex", type,
            "complex z; z.real = (n * 37) % 101 - 50; z.imag = (n * 11) % 31 / 3.0; push(z);");
    }

    void expectSame(const std::string& filter, const std::string& from, const std::string& to,
                    const std::string& source) {
        SCOPED_TRACE(filter);
        compile(
            "void->void pipeline Main { add Count; add F; add Show; }\n"
            "void->" +
            from + " filter Count { int n; work push 1 { " + source + " n++; } }\n" + from + "->" +
            to + " filter F { " + filter + " }\n" + to +
            "->void filter Show { work pop 1 { println(pop()); } }\n");
        if (HasFatalFailure()) return;
        EXPECT_THAT(codegen::printLlvm(lower()), HasSubstr("@F.work.lanes("));
        const auto compiled = run(iterations(700));
        const std::string printedVectorised = std::exchange(printed, "");
        const auto found = faults();
        const auto meant = interpret(iterations(700));
        EXPECT_EQ(compiled.end, meant.end);
        EXPECT_EQ(printedVectorised, printed);
        const auto all = faults();
        EXPECT_EQ(all, found.empty() ? found : std::vector<std::string>(2, found[0]));
        printed.clear();
    }
};

TEST_F(VectorFiringsCompiled, Windows) {
    expectSame(
        "float[9] c; init { for (int i = 0; i < 9; i++) c[i] = 1.0 / (i + 3); }\n"
        "work pop 1 push 1 peek 9 { float s; for (int i = 0; i < 9; i++) s += peek(i) * c[i];"
        " push(s); pop(); }");
}

TEST_F(VectorFiringsCompiled, ManyItemsInAndOut) {
    for (const char* rates : {"2 3", "3 2", "4 8", "8 1", "5 16", "16 5", "1 2"}) {
        const std::string pops(rates, std::strchr(rates, ' ')), pushes(std::strchr(rates, ' ') + 1);
        expectSame("work pop " + pops + " push " + pushes + " { float[" + pops +
                   "] x; for (int i = 0; i < " + pops +
                   "; i++) x[i] = pop() + i; for (int i = 0; i < " + pushes + "; i++) push(x[i % " +
                   pops + "] / (i + 1)); }");
    }
}

/// Every third combination has each length with several others.
TEST_F(VectorFiringsCompiled, LongMoves) {
    const char* pushes[] = {"1", "3", "7", "8", "13", "16", "19"};
    int number = 0;
    for (int pop : {7, 8, 9, 16, 21}) {
        for (int further : {0, 1, 8, 30}) {
            const std::string pops = std::to_string(pop), peeks = std::to_string(pop + further);
            for (const char* push : pushes) {
                if ((++number % 3) != 0) continue;
                SCOPED_TRACE(pops + " of " + peeks + " to " + push);
                expectSame("work pop " + pops + " peek " + peeks + " push " + push +
                           " { for (int k = 0; k < " + push + "; k++) push(peek(k * 5 % " + peeks +
                           ") - k); float s; for (int i = 0; i < " + pops + "; i++) s += pop(); }");
                if (HasFailure()) return;
            }
        }
    }
}

TEST_F(VectorFiringsCompiled, LongMovesOfSmallItems) {
    expectSame(
        "work pop 20 push 18 { for (int k = 0; k < 18; k++) push((bit)((int)peek(k + 1) & 1));"
        " for (int i = 0; i < 20; i++) pop(); }",
        "bit");
    expectSame(
        "work pop 9 push 9 { for (int k = 0; k < 9; k++) { double x = pop(); push(x / 3); } }",
        "double");
}

/// A firing moves vectors as they lie.
TEST_F(VectorFiringsCompiled, CopiesOfRunsFireAlone) {
    auto program = [&](const std::string& value) {
        compile(
            "void->void pipeline Main { add Count; add F; add Show; }\n"
            "void->float filter Count { int n; work push 1 { push(n++); } }\n"
            "float->float filter F { work pop 33 push 16 { for (int k = 0; k < 16; k++) push(" +
            value +
            "); for (int k = 0; k < 33; k++) pop(); } }\n"
            "float->void filter Show { work pop 1 { println(pop()); } }\n");
        return codegen::printLlvm(lower());
    };
    EXPECT_THAT(program("peek(k + 3)"), Not(HasSubstr("@F.work.lanes(")));
    EXPECT_THAT(program("2 * peek(k + 3)"), HasSubstr("@F.work.lanes("));
}

TEST_F(VectorFiringsCompiled, ItemsOfAllSizes) {
    expectSame("work pop 1 push 2 { int x = (int)pop(); push(x / 3); push(x << 3); }", "int");
    expectSame("work pop 1 push 1 { push(pop() > 3); }", "boolean");
    expectSame("work pop 2 push 2 { push((bit)((int)pop() & 1)); push((bit)((int)pop() & 1)); }",
               "bit");
    expectSame("work pop 1 push 1 { float x = pop(); push(sin(x) + atan2(x, 2)); }", "double");
}

TEST_F(VectorFiringsCompiled, ComplexNumbers) {
    expectSameOfComplex("work pop 1 push 2 { complex z = pop(); push(z * z - 3); push(-z / z); }");
    expectSameOfComplex(
        "complex[9] c; init { for (int i = 0; i < 9; i++) { c[i].real = i; c[i].imag = 1.0 / (i + "
        "1);"
        " } }\n"
        "work pop 1 push 1 peek 9 { complex s; for (int i = 0; i < 9; i++) s += peek(i) * c[i];"
        " push(s); pop(); }");
    expectSameOfComplex(
        "work pop 3 push 1 { complex z = pop(); z.real = z.imag - pop().real; z.imag = pop().imag;"
        " push(z); }");
    expectSame("work pop 1 push 1 { complex z = pop(); z.imag = 2; push(z * z); }", "complex");
}

TEST_F(VectorFiringsCompiled, ComplexWindowsThatAreTurnedRound) {
    for (const char* rates : {"2 5 3", "5 9 1", "9 9 8", "16 17 11", "8 8 2"}) {
        int pop = 0, peek = 0, push = 0;
        ASSERT_EQ(std::sscanf(rates, "%d %d %d", &pop, &peek, &push), 3);
        const std::string pops = std::to_string(pop), peeks = std::to_string(peek);
        expectSameOfComplex("work pop " + pops + " peek " + peeks + " push " +
                            std::to_string(push) + " { for (int k = 0; k < " +
                            std::to_string(push) + "; k++) push(peek(k * 5 % " + peeks +
                            ") * (k + 2)); for (int i = 0; i < " + pops + "; i++) pop(); }");
    }
}

TEST_F(VectorFiringsCompiled, ComplexNumbersOfSomeLanes) {
    expectSameOfComplex(
        "work pop 1 push 1 { complex z = pop(); if (z.real > 3) { z = z * z; if (z.imag > 5) "
        "push(z);"
        " else push(1); } else push(z == 7 ? z : -z); }");
    expectSameOfComplex(
        "work pop 1 push 1 { complex[8] a; complex z = pop(); int x = (int)z.real & 7;"
        " for (int i = 0; i < 8; i++) a[i] = z * i; if (z.imag > 2) a[x] = a[(x + 3) & 7];"
        " complex[8] b = a; complex s; for (int i = 0; i < 8; i++) s = s * 2 + b[i];"
        " push(s + b[(x + 1) & 7]); }");
    expectSameOfComplex(
        "complex[5] t; init { for (int i = 0; i < 5; i++) { t[i].real = i; t[i].imag = -i; } }\n"
        "work pop 1 push 1 { complex z = pop(); push(t[((int)z.real & 63) % 5] * z); }");
}

TEST_F(VectorFiringsCompiled, FunctionsOfComplexNumbers) {
    expectSameOfComplex(
        "work pop 1 push 3 { complex z = pop(); push(abs(z)); push(arg(z)); push(abs(z * z)); }",
        "float");
    expectSameOfComplex(
        "work pop 1 push 2 { complex z = pop() / 64; push(exp(z) - sqrt(z)); push(pow(z, z)); }");
}

TEST_F(VectorFiringsCompiled, BranchesOfSomeLanes) {
    expectSame(
        "work pop 1 push 1 { float x = pop(); if (x > 3) { x = x * 2; if (x > 20) x = -x; }"
        " else x = sqrt(abs(x)); push(x); }");
    expectSame(
        "work pop 1 push 1 { float x = pop(); if (x > 3) push(1); else push(x < -4 ? x : 7); }");
    expectSame(
        "work pop 2 push 2 { if (peek(1) > 0) { push(pop()); push(1 + pop()); } else {"
        " float y = pop(); push(pop()); push(y); } }");
}

TEST_F(VectorFiringsCompiled, LanesThatDoNotAgreeGiveUp) {
    expectSame("work pop 1 push 1 { float x = pop(); if (x > 3) push(x); if (!(x > 3)) push(5); }");
}

TEST_F(VectorFiringsCompiled, ArraysOfEachLane) {
    expectSame(
        "work pop 1 push 1 { float[8] a; int x = (int)pop(); for (int i = 0; i < 8; i++) a[i] = i;"
        " a[x & 7] = x; float s; for (int i = 0; i < 8; i++) s = s * 2 + a[i];"
        " float[8] b = a; push(s + b[(x + 1) & 7]); }");
    expectSame(
        "int[4][3] t; init { for (int i = 0; i < 12; i++) t[i / 3][i % 3] = i * i; }\n"
        "work pop 1 push 1 { int x = (int)pop(); push(t[x & 3][(x & 255) % 3]); }");
}

TEST_F(VectorFiringsCompiled, ChecksOfSomeLanes) {
    expectSame(
        "work pop 1 push 1 { int x = (int)pop(); if (x != 3) push(60 / (x - 3)); else push(0); }");
    expectSame(
        "int[10] t; work pop 1 push 1 { int x = (int)pop(); int y = 4;"
        " if (x >= 0 && x < 10) y = t[x]; push(y); }");
}

TEST_F(VectorFiringsCompiled, FaultsAreThoseOfTheFirstFiring) {
    expectSame("work pop 1 push 1 { int x = (int)pop(); push(60 / (x - 13)); }");
    expectSame("int[10] t; work pop 1 push 1 { int x = (int)pop() + 49; push(t[x]); }");
}

TEST_F(VectorFiringsCompiled, NumbersOfFirings) {
    expectSame("work pop 1 push 1 { push(pop() + iter()); }");
}

TEST_F(VectorFiringsCompiled, StateIsDoneOneByOne) {
    compile(
        "void->void pipeline Main { add Square; add Show; }\n"
        "void->int filter Square { int n; work push 1 { push(n); n = n * n + 1; } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    EXPECT_THAT(codegen::printLlvm(lower()), Not(HasSubstr(".lanes(")));
}

TEST_F(VectorFiringsCompiled, AffineStateIsSkippedAhead) {
    const std::string text =
        "void->void pipeline Main { add Noise; add Show; }\n"
        "void->int filter Noise { int x = 7; int n; prework push 2 { push(x); push(n++); } work "
        "push 3 "
        "{ x = (x * 1103515245 + 12345) & 0x7fffffff; push(x); push(n); n -= 5; push(60 / ((n & 3) "
        "+ 1)); } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n";
    compile(text);
    EXPECT_THAT(codegen::printLlvm(lower()), HasSubstr("@Noise.work.lanes("));
    for (int count : {1, 17, 300, 4000}) {
        run(iterations(count));
        const std::string inLanes = std::exchange(printed, "");
        interpret(iterations(count));
        EXPECT_EQ(inLanes, std::exchange(printed, "")) << count;
    }
    disabled = {base::Pass::SkipAhead};
    compile(text);
    EXPECT_THAT(codegen::printLlvm(lower()), Not(HasSubstr(".lanes(")));
}

TEST_F(VectorFiringsCompiled, CanBeSwitchedOff) {
    compile(
        "void->void pipeline Main { add Count; add F; add Show; }\n"
        "void->int filter Count { int n; work push 1 { push(n++); } }\n"
        "int->int filter F { work pop 1 push 1 { push(pop() * 3); } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    EXPECT_THAT(codegen::printLlvm(lower()), HasSubstr("@F.work.lanes("));
    program.context.passes.disable(base::Pass::VectoriseFirings);
    EXPECT_THAT(codegen::printLlvm(lower()), Not(HasSubstr(".lanes(")));
}

}  // namespace
}  // namespace strc::testing
