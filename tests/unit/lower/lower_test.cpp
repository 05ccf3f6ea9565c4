// What lowering itself has to say, and properties of the code that texts do not show well.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixture.h"

namespace strc::lower::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kMain =
    "\nvoid->void pipeline Main { add F; add int->void filter { work pop 1 { println(pop()); } }; "
    "}\n";

/// "LINE: name" of each error.
std::vector<std::string> errors(const std::string& source) {
    Lowered lowered(source + kMain);
    std::vector<std::string> list;
    for (const base::Diagnostic& fault : lowered.ctx.diags.all()) {
        if (fault.severity != base::Severity::Error) continue;
        std::uint32_t line =
            lowered.ctx.sources.position(fault.range.buffer, fault.range.begin).line;
        list.push_back(std::to_string(line) + ": " + std::string(base::info(fault.id).name));
    }
    return list;
}

std::size_t count(const ir::Body& body, ir::Op op) {
    std::size_t found = 0;
    for (const ir::Block& block : body.blocks)
        found += static_cast<std::size_t>(
            std::count_if(block.instrs.begin(), block.instrs.end(),
                          [op](const ir::Instr& i) { return i.op == op; }));
    return found;
}

TEST(Lower, AStructNeedsTheGlobalsInItsBoundsWhenAStaticItemUsesIt) {
    EXPECT_THAT(errors("static { P p; int N = 3; }\nstruct P { float[N] v; }\n"
                       "void->int filter F { work push 1 { push(N); } }"),
                ElementsAre("1: bound-not-constant"));
    EXPECT_THAT(errors("static { int N = 3; P p; }\nstruct P { float[N] v; }\n"
                       "void->int filter F { work push 1 { push(N); } }"),
                IsEmpty());
}

TEST(Lower, BoundsFromGlobalsAreLiterals) {
    Lowered lowered(
        std::string("static { int N = 3; int[N] t = {1, 2, 3}; int M = Sum.of(); }\n"
                    "helper Sum { int of() { return t[0] + t[N - 1]; } }\n"
                    "struct P { float[2 * M] v; }\n"
                    "void->int filter F { P p; int[N + 1][M] a; work push 1 { push(a[0][0]); } }") +
        kMain);
    ASSERT_FALSE(lowered.ctx.diags.hasErrors()) << lowered.rendered();
    const ir::StreamCode& code = lowered.stream("F");
    EXPECT_EQ(types::sizeOf(code.fields[0].type), 4 * 8);
    EXPECT_EQ(types::toString(code.fields[1].type), "int[4][4]");
    EXPECT_EQ(lowered.module.globalValues[2].toInt(), 4);
}

TEST(Lower, PackageFunctionsSeeGlobalsAsTheyAre) {
    Lowered lowered(std::string("static { int N = 1; int A = Get.n(); init { N = 5; } }\n"
                                "helper Get { int n() { return N; } }\n"
                                "void->int filter F { work push 1 { push(A); } }") +
                    kMain);
    ASSERT_FALSE(lowered.ctx.diags.hasErrors()) << lowered.rendered();
    EXPECT_EQ(lowered.module.globalValues[1].toInt(), 1);
    EXPECT_EQ(ir::print(lowered.module.functions[0]),
              "function n() -> int {\n    %0: int = const 5\n    return %0\n}\n");
}

TEST(Lower, LengthsThatNoInstanceCanMakeEqualAreErrors) {
    EXPECT_THAT(errors("static { int N = 3; }\nvoid->int filter F { work push 1 {\nint[N] x = {1, "
                       "2}; push(x[0]); } }"),
                ElementsAre("3: array-length"));
    EXPECT_THAT(errors("static { int N = 3; }\nvoid->int filter F { int[4] y; work push 1 { int[N] "
                       "x;\nx = y; push(x[0]); } }"),
                ElementsAre("3: array-length"));
    EXPECT_THAT(errors("static { int N = 3; }\nvoid->int filter F { int[4] y; int f(int[N] v) { "
                       "return v[0]; }\n"
                       "work push 1 { push(f(y)); } }"),
                ElementsAre("3: array-length"));
}

TEST(Lower, BoundsAndSizesHaveLimits) {
    EXPECT_THAT(errors("static { int N = 0 - 3; }\nvoid->int filter F { work push 1 {\nint[N] x; "
                       "push(x[0]); } }"),
                ElementsAre("3: bound-negative"));
    EXPECT_THAT(errors("static { int N = 1 << 30; }\nvoid->int filter F {\nint[N][N] x; work push "
                       "1 { push(x[0][0]); } }"),
                ElementsAre("3: array-too-large"));
    EXPECT_THAT(errors("static { int N = 1 << 25; }\nstruct P {\nint[N] a; int[N] b; int[N] c; }\n"
                       "void->int filter F { work push 1 { P p; push(p.a[0]); } }"),
                ElementsAre("2: limit-exceeded"));
    EXPECT_THAT(errors("void->int filter F {\nint[1000000000] a;\nint[3] b;\nint[900000000] c;\n"
                       "work push 1 { push(a[0] + b[0] + c[0]); } }"),
                ElementsAre("2: array-too-large", "4: array-too-large"));
}

TEST(Lower, InitialisersCallFunctionsThatUseEarlierFields) {
    EXPECT_THAT(errors("void->int filter F { int n = 2; int a = f();\nint[3] b; int f() { return "
                       "b[0]; } work push 1 { push(a); } }"),
                IsEmpty());
    EXPECT_THAT(errors("void->int filter F { int n = 2;\nint a = f();\nint[n] b; int f() { return "
                       "b[0]; } work push 1 { push(a); } }"),
                ElementsAre("2: use-before-declaration"));
    EXPECT_THAT(errors("void->int filter F {\nint a = f();\nint n = 2; int f() { int[n] b; return "
                       "b[0]; } work push 1 { push(a); } }"),
                ElementsAre("2: use-before-declaration"));
}

TEST(Lower, BoundsWithFieldsInThemAreFixedBySetup) {
    Lowered lowered(
        std::string(
            "void->int filter F { int n = 2; work push 1 { n++; int[n] a; push(a[0]); } }") +
        kMain);
    const ir::StreamCode& code = lowered.stream("F");
    ASSERT_EQ(code.fields.size(), 2u);
    EXPECT_EQ(types::toString(code.fields[1].type), "bit[0][?]");
    EXPECT_EQ(count(code.setup, ir::Op::Declare), 2u);
    EXPECT_EQ(count(*code.work, ir::Op::Extent), 2u);
}

TEST(Lower, AConstantInitialiserIsOneTable) {
    std::string elements = "0";
    for (int k = 1; k < 5000; ++k) elements += "," + std::to_string(k);
    Lowered lowered("void->int filter F { int[5000] t = {" + elements +
                    "}; work push 1 { push(t[4999]); } }" + kMain);
    const ir::StreamCode& code = lowered.stream("F");
    EXPECT_EQ(count(code.setup, ir::Op::Copy), 1u);
    EXPECT_EQ(count(code.setup, ir::Op::StoreAt), 0u);
}

TEST(Lower, EveryInstructionThatCanTrapHasItsPlace) {
    std::string source =
        std::string("void->int filter F { int[3] a; int n; work push 1 { push(a[n + 1] / n); } }") +
        kMain;
    Lowered lowered(source);
    auto text = [&](ir::Op op) {
        for (const ir::Instr& i : lowered.stream("F").work->blocks[0].instrs)
            if (i.op == op) return std::string(lowered.ctx.sources.text(i.range));
        return std::string();
    };
    EXPECT_EQ(text(ir::Op::Elem), "n + 1");
    EXPECT_EQ(text(ir::Op::Div), "/");
    EXPECT_EQ(text(ir::Op::Push), "push(a[n + 1] / n);");
}

}  // namespace
}  // namespace strc::lower::test
