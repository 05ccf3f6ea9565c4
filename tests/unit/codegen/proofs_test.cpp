// The pass `bounds-check-elimination`: checks that cannot fail are not made, and all others are.
#include <algorithm>

#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

class ProofsTest : public CompiledTest {
protected:
    /// Checks that are made in a filter of these members, between a source of the ints 0, 1, 2 … and a sink.
    std::size_t checks(const std::string& members, const std::string& peek = "1") {
        compile(
            "void->void pipeline Main { add Count; add F; add Show; }\n"
            "void->int filter Count { int n; work push 1 { push(n++); } }\n"
            "int->int filter F { " +
            members.substr(0, members.find("work {")) + "work pop 1 push 1 peek " + peek + " " +
            members.substr(members.find("work {") + 5) +
            " }\n"
            "int->void filter Show { work pop 1 { println(pop()); } }\n");
        program.context.passes.disable(
            base::Pass::IfConversion);  // both sides of branches check again
        const codegen::Module made = lower();
        return static_cast<std::size_t>(
            std::count_if(made.sites().begin(), made.sites().end(), [](const codegen::Site& site) {
                return site.id == base::Diag::IndexOutOfRange ||
                       site.id == base::Diag::DivisionByZero ||
                       site.id == base::Diag::PeekRateViolated;
            }));
    }
};

TEST_F(ProofsTest, CountedLoops) {
    EXPECT_EQ(
        checks("work { int[8] a; for (int i = 0; i < 8; i++) a[i] = i; push(a[7] + pop()); }"), 0u);
    EXPECT_EQ(
        checks("work { int[8] a; for (int i = 7; i >= 0; i--) a[i] = i; push(a[0] + pop()); }"),
        0u);
    EXPECT_EQ(checks("work { int[4][6] a; for (int i = 0; i < 4; i++) for (int j = 0; j < 6; j++) "
                     "a[i][5 - j] = i; push(a[0][0] + pop()); }"),
              0u);
    EXPECT_EQ(checks("work { int[8] a; for (int i = 0; i <= 8; i++) a[i] = i; push(pop()); }"), 1u);
    EXPECT_EQ(checks("work { int[8] a; for (int i = -1; i < 8; i++) a[i] = i; push(pop()); }"), 1u);
    EXPECT_EQ(
        checks("work { int[8] a; for (int i = 0; i < 8; i++) { i++; a[i] = i; } push(pop()); }"),
        1u);
    EXPECT_EQ(checks("work { int[8] a; int i = 0; while (true) { if (i == 8) break; a[i] = i; i++; "
                     "} push(pop()); }"),
              1u);  // an interval does not know that i meets 8
    EXPECT_EQ(
        checks("work { int[8] a; int i = 0; do { a[i] = i; i++; } while (i < 8); push(pop()); }"),
        1u);  // what wraps is not told from what ends
    EXPECT_EQ(
        checks("work { int[8] a; int i = 0; do { a[i] = i; i++; } while (i < 9); push(pop()); }"),
        1u);
    EXPECT_EQ(checks("work { int[8] a; int i = 0; while (i < 8) { if (i == 3) { i += 2; continue; "
                     "} a[i] = 1; i++; } "
                     "push(a[i - 1] + pop()); }"),
              0u);
}

TEST_F(ProofsTest, Conditions) {
    EXPECT_EQ(checks("work { int[8] a; int i = pop(); if (i >= 0 && i < 8) a[i] = 1; push(i); }"),
              0u);
    EXPECT_EQ(checks("work { int[8] a; int i = pop(); if (!(i < 0 || i > 7)) a[i] = 1; push(i); }"),
              0u);
    EXPECT_EQ(checks("work { int[8] a; int i = pop(); if (i < 0 || i > 7) i = 3; push(a[i]); }"),
              0u);
    EXPECT_EQ(checks("work { int[8] a; int i = pop(); if (i >= 0 || i < 8) a[i] = 1; push(i); }"),
              1u);
    EXPECT_EQ(
        checks(
            "work { int[8] a; int i = pop(); if (i >= 0 && i < 8) { i++; a[i] = 1; } push(i); }"),
        1u);
    EXPECT_EQ(checks("work { int[8] a; int i = pop(); push(a[i < 0 ? 0 : i & 7]); }"), 0u);
    EXPECT_EQ(checks("work { int[8] a; push(a[pop() & 7]); }"), 0u);
    EXPECT_EQ(checks("work { int[8] a; push(a[pop() % 8]); }"), 1u);  // of a negative number
    EXPECT_EQ(checks("work { int[8] a; int i = pop(); push(a[(i * i) & 7] + a[(i >> 29) & 7]); }"),
              0u);
    EXPECT_EQ(checks("work { int[8] a; int i = pop() & 65535; push(a[i * i >> 29]); }"),
              1u);  // it wraps
}

TEST_F(ProofsTest, TablesInFields) {
    const std::string fill = "init { for (int i = 0; i < 8; i++) at[i] = (3 * i) % 8; } ";
    EXPECT_EQ(checks("int[8] a; int[8] at; " + fill + "work { push(a[at[pop() & 7]]); }"), 0u);
    EXPECT_EQ(checks("int[8] at; " + fill + "work { push(peek(at[3])); pop(); }", "8"), 0u);
    EXPECT_EQ(
        checks("int[2][4] at; init { at[1][3] = 7; } work { push(peek(at[1][3])); pop(); }", "8"),
        0u);
    EXPECT_EQ(checks("int[7] a; int[8] at; " + fill + "work { push(a[at[pop() & 7]]); }"), 1u);
    EXPECT_EQ(checks("int[8] a; int[8] at; init { at[5] = -1; } work { push(a[at[pop() & 7]]); }"),
              1u);
    EXPECT_EQ(checks("int[8] a; int[8] at; " + fill +
                     "work { int x = pop(); push(a[at[x & 7]]); at[x & 7] = x; }"),
              1u);
    EXPECT_EQ(checks("int[8] a; int[8] at; " + fill +
                     "void change() { at[0] = 8; } work { push(a[at[pop() & 7]]); change(); }"),
              1u);
}

TEST_F(ProofsTest, FieldsBetweenFirings) {
    EXPECT_EQ(checks("int[8] a; int p; work { a[p] = pop(); p = (p + 1) % 8; push(a[p]); }"), 0u);
    EXPECT_EQ(checks("int[8] a; int p; work { a[p] = pop(); p++; if (p == 8) p = 0; push(a[p]); }"),
              0u);
    EXPECT_EQ(
        checks("int[8] a; int p = 7; work { a[p] = pop(); p--; if (p < 0) p = 7; push(a[p]); }"),
        0u);
    EXPECT_EQ(checks("int[8] a; int p; init { p = 5; } work { push(a[p] + pop()); }"), 0u);
    EXPECT_EQ(checks("int[8] a; int p; init { p = 8; } work { push(a[p] + pop()); }"), 1u);
    EXPECT_EQ(checks("int[8] a; int p; work { push(a[p] + pop()); p++; }"), 1u);
    EXPECT_EQ(
        checks(
            "int[8] a; int p; work { p = (p + 1) % 8; push(a[p] + pop()); if (p == 3) p = -1; }"),
        0u);
    EXPECT_EQ(checks("int[8] a; int p; void next() { p++; } work { next(); push(a[p & 7] + pop()); "
                     "p = 0; }"),
              0u);
    EXPECT_EQ(checks("int[8] a; int p; void next() { p++; } work { p = 7; next(); push(a[p] + "
                     "pop()); p = 0; }"),
              1u);
    EXPECT_EQ(
        checks(
            "int[8] a; int p; void use() { a[p] = 1; } work { p = 8; use(); p = 0; push(pop()); }"),
        1u);
    EXPECT_EQ(checks("int[8] a; int p; void use() { a[p] = 1; } work { p = 7; use(); p = 9; p = 0; "
                     "push(pop()); }"),
              0u);
}

TEST_F(ProofsTest, PeeksAndDivisors) {
    EXPECT_EQ(
        checks("work { int s = 0; for (int i = 0; i < 5; i++) s += peek(i); push(s); pop(); }",
               "5"),
        0u);
    EXPECT_EQ(
        checks("work { int s = pop(); for (int i = 0; i < 4; i++) s += peek(i); push(s); }", "5"),
        0u);
    EXPECT_EQ(checks("work { push(peek(peek(0) & 3)); pop(); }", "4"), 0u);
    EXPECT_EQ(checks("work { push(100 / ((pop() & 7) + 1)); }"), 0u);
    EXPECT_EQ(checks("work { push(100 / (pop() & 7)); }"), 1u);
    EXPECT_EQ(checks("work { int i = pop(); push(i != 0 ? 100 % i : 0); }"),
              1u);  // no interval leaves out 0
    EXPECT_EQ(checks("work { int i = pop(); push(i > 0 ? 100 % i : 0); }"), 0u);
}

TEST_F(ProofsTest, CountersOfRounds) {
    auto store = [this](const std::string& begin, const std::string& loop,
                        const std::string& more) {
        return checks("work { int[8] a; int n = " + begin + "; int x = pop(); for (" + loop +
                      ") if ((x >> i & 1) == 0) { a[n] = i; " + more + " } push(n); }");
    };
    const std::string loop = "int i = 0; i < 8; i++";
    EXPECT_EQ(store("0", loop, "n++;"), 0u);
    EXPECT_EQ(store("0", "int i = 1; i < 9; i++", "n += 1;"), 0u);
    EXPECT_EQ(store("0", "int i = 0; i < 23; i += 3", "n++;"), 0u);
    EXPECT_EQ(store("0", "int i = 0; i < 25; i += 3", "n++;"), 1u) << "nine iterations";
    EXPECT_EQ(store("0", "int i = 0; i <= 8; i++", "n++;"), 1u) << "another comparison";
    EXPECT_EQ(store("0", "int i = 0; i < 9; i++", "n++;"), 1u);
    EXPECT_EQ(store("1", loop, "n++;"), 1u);
    EXPECT_EQ(store("0", loop, "n += 2;"), 1u);
    EXPECT_EQ(store("0", loop, "n++; n++;"), 1u);
    EXPECT_EQ(store("0", loop, "n++; i--;"), 1u);
    EXPECT_EQ(store("0", loop, "n++; } else { n++;"), 0u);
    EXPECT_EQ(store("0", loop, "n++; } else { n = n * 2;"), 1u);
    EXPECT_EQ(store("0", loop, "for (int k = 0; k < x; k++) n++;"), 1u) << "a loop inside";
    EXPECT_EQ(store("0", "int i = 2147483640; i < 2147483647; i += 9", "n++;"), 1u) << "it wraps";
    EXPECT_EQ(checks("work { int[8] a; int[8] b; int n; int x = pop(); for (int i = 0; i < 8; i++)"
                     " if ((x >> i & 1) == 0) { a[n] = i; n++; }"
                     " for (int i = 0; i < n; i++) b[i] = a[i]; push(b[0]); }"),
              0u);
}

TEST_F(ProofsTest, PushesUpToACounter) {
    auto pushes = [this](const std::string& first, const std::string& then) {
        compile(
            "void->void pipeline Main { add Count; add F; add Show; }\n"
            "void->int filter Count { int n; work push 1 { push(n++); } }\n"
            "int->int filter F { work pop 8 push 8 { int[9] a; int n; int m;"
            " for (int i = 0; i < 8; i++) { int x = pop(); if (x % 3 == 0) push(x); else { " +
            first + " } } " + then +
            " } }\n"
            "int->void filter Show { work pop 1 { println(pop()); } }\n");
        program.context.passes.disable(base::Pass::IfConversion);
        const codegen::Module made = lower();
        return std::count_if(
            made.sites().begin(), made.sites().end(),
            [](const codegen::Site& site) { return site.id == base::Diag::PushRateViolated; });
    };
    const std::string keep = "a[n] = x; n++;", give = "for (int i = 0; i < n; i++) push(a[i]);";
    EXPECT_EQ(pushes(keep, give), 0);
    EXPECT_EQ(pushes(keep, "for (int i = 2; i < n + 2; i++) push(i);"), 3) << "not a counter";
    EXPECT_EQ(pushes(keep, "n += 2; for (int i = 2; i < n; i++) push(i);"), 0);
    EXPECT_EQ(pushes(keep + "n++;", give), 3);
    EXPECT_EQ(pushes("if (x > 4) { " + keep + " }", give), 3) << "some are lost";
    EXPECT_EQ(pushes(keep, "for (int i = 1; i < n; i++) push(i);"), 3) << "may be no round";
    EXPECT_EQ(pushes(keep, "for (int i = 0; i < n; i += 2) push(i);"), 3);
    EXPECT_EQ(pushes(keep, "for (int i = 0; i < n; i++) { push(i); i += a[0]; }"), 3);
    EXPECT_EQ(pushes(keep, "for (int i = 0; i < n; i++) { push(i); if (i > 5) n--; }"), 3);
    EXPECT_EQ(pushes(keep, "for (int i = 0; i < n; i++) { if (a[i] > 9) break; push(i); }"), 3);
    EXPECT_EQ(pushes(keep, "for (int i = 0; i < n; i++) if (a[i] > 9) push(i);"), 3);
    EXPECT_EQ(pushes("n += 2000000000; n += 2000000000; n += 294967296; n++;", give), 3)
        << "it wraps";
}

TEST_F(ProofsTest, HaveASwitch) {
    const std::string text =
        "work { int[8] a; for (int i = 0; i < 8; i++) a[i] = i; push(a[7] + pop()); }";
    ASSERT_EQ(checks(text), 0u);
    program.context.passes.disable(base::Pass::BoundsCheckElimination);
    EXPECT_GT(lower().sites().size(), 0u);
    program.context.passes = {};
    program.context.passes.emitAfter(base::Pass::BoundsCheckElimination);
    lower();
    EXPECT_THAT(
        program.context.passes.emitted(),
        ::testing::HasSubstr("; bounds-check-elimination: F\nwork: 2 of 2 checks proved\n"));
}

TEST_F(ProofsTest, FaultsAreStillFound) {
    compile(
        "void->void pipeline Main { add Count; add Show; }\n"
        "void->int filter Count { int[4] a; int p; work push 1 { a[p] = p; push(a[p]); p++; } }\n"
        "int->void filter Show { work pop 1 { println(pop()); } }\n");
    EXPECT_EQ(run(iterations(10)).end, interp::End::Failed);
    EXPECT_EQ(printed, "0\n1\n2\n3\n");
    EXPECT_THAT(faults(), ::testing::ElementsAre(
                              "Main.Count: index 4 is outside of the array, whose length is 4"));
}

}  // namespace
}  // namespace strc::testing
