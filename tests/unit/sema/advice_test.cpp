// Ranges, notes and fixes of what is reported, and that follow-on faults are not.

#include "fixture.h"

namespace strc::sema::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kMain = R"(
void->void pipeline Main { add S; add K; }
int->void filter K { work pop 1 { println(pop()); } }
)";

/// Source after the only diagnostic's fixes.
std::string mended(const std::string& source) {
    Checked checked(source);
    EXPECT_EQ(checked.ctx.diags.all().size(), 1u) << checked.rendered();
    std::vector<base::Fix> fixes = checked.ctx.diags.all().front().fixes;
    std::stable_sort(fixes.begin(), fixes.end(),
                     [](auto& a, auto& b) { return a.range.begin > b.range.begin; });
    std::string text = source;
    for (const base::Fix& fix : fixes)
        text.replace(fix.range.begin, fix.range.end - fix.range.begin, fix.replacement);
    EXPECT_THAT(Checked(text).faults(), IsEmpty()) << text;
    return text;
}

std::string filter(const std::string& body) {
    return "void->int filter S { int n; float f = 1; work push 1 { " + body + " } }" + kMain;
}

void expectMended(const std::string& bad, const std::string& good) {
    EXPECT_EQ(mended(filter(bad)), filter(good));
}

TEST(Fixes, MendWhatTheyPromise) {
    expectMended("n = f; push(n);", "n = (int)f; push(n);");
    expectMended("n = f * 2; push(n);", "n = (int)(f * 2); push(n);");
    expectMended("push(f > 1 ? f : 2);", "push((int)(f > 1 ? f : 2));");
    expectMended("n = max(n, 2); push(n);", "n = (int)max(n, 2); push(n);");
    expectMended("push(f > 1);", "push((f > 1) ? 1 : 0);");
    expectMended("if (n) push(1); else push(2);", "if (n != 0) push(1); else push(2);");
    expectMended("if (n + 1 && true) push(1); else push(2);",
                 "if ((n + 1) != 0 && true) push(1); else push(2);");
    expectMended("int[3] a; push(a[f]);", "int[3] a; push(a[(int)f]);");
    expectMended("int[2.5] a; push(a[0]);", "int[(int)2.5] a; push(a[0]);");
    expectMended("int number = 2; push(nunber);", "int number = 2; push(number);");
    expectMended("push((int)squrt(2));", "push((int)sqrt(2));");
    expectMended("complex z = 1; push((int)z.reel);", "complex z = 1; push((int)z.real);");
}

TEST(Fixes, StreamsAndStructs) {
    std::string good = filter("push(1);");
    std::string bad = good;
    bad.replace(bad.find("add K;"), 6, "add k;");
    EXPECT_EQ(mended(bad), good);
}

/// The text under the carets.
std::string marked(const std::string& source) {
    Checked checked(source);
    EXPECT_EQ(checked.ctx.diags.all().size(), 1u) << checked.rendered();
    return std::string(checked.ctx.sources.text(checked.ctx.diags.all().front().range));
}

TEST(Ranges, AreExact) {
    EXPECT_EQ(marked(filter("n = 1 + (2 * f); push(n);")), "1 + (2 * f)");
    EXPECT_EQ(marked(filter("push(n + f % 2);")), "f");
    EXPECT_EQ(marked(filter("push(n.x);")), "x");
    EXPECT_EQ(marked(filter("push(n[1]);")), "n[1]");
    EXPECT_EQ(marked(filter("int[2] a; push(a[1 + 1]);")), "1 + 1");
    EXPECT_EQ(marked(filter("push((int)pow(2));")), "pow");
    EXPECT_EQ(marked(filter("break; push(1);")), "break;");
    EXPECT_EQ(
        marked("int->int splitjoin P { add Identity<int>; join roundrobin; }" + filter("push(1);")),
        "int->int splitjoin P");
}

TEST(Notes, PointAtTheFirstDeclaration) {
    Checked checked("void->int filter S { int a;\nfloat a; work push 1 { push(a); } }" +
                    std::string(kMain));
    ASSERT_EQ(checked.ctx.diags.all().size(), 1u);
    const base::Diagnostic& diag = checked.ctx.diags.all().front();
    ASSERT_EQ(diag.notes.size(), 1u);
    EXPECT_EQ(diag.notes[0].id, base::Diag::DeclaredHere);
    EXPECT_EQ(checked.ctx.sources.position(diag.range.buffer, diag.range.begin).line, 2u);
    EXPECT_EQ(checked.ctx.sources.position(diag.range.buffer, diag.notes[0].range.begin).line, 1u);
}

TEST(Follow, OneFaultIsOneMessage) {
    auto faults = [](const std::string& body) { return Checked(filter(body)).faults(); };
    EXPECT_THAT(faults("int[2] a; a = y + 1; push(a[y * 2] + z.x[3](1));"),
                testing::SizeIs(testing::Ge(1u)));
    EXPECT_THAT(faults("float g = y; if (y) push((int)(g + y[2].z)); else push(n);"),
                ElementsAre("1: unknown-variable", "1: unknown-variable", "1: unknown-variable"));
    EXPECT_THAT(faults("Pnt p; p.x = 1; p = n; push(p.y + 1);"), ElementsAre("1: unknown-type"));
    EXPECT_THAT(faults("boolean b = !(1 % f) && (f & 2) == 3; if (b) push(1); else push(2);"),
                ElementsAre("1: integer-operand", "1: integer-operand"));
    EXPECT_THAT(faults("int[x] a; a[3] = 1; int[2] b = a; push(a[0] + b[1]);"),
                ElementsAre("1: unknown-variable"));
    EXPECT_THAT(faults("void v; v = 1; push(v);"), ElementsAre("1: void-variable"));
    EXPECT_THAT(faults("push(frob(1, y));"),
                ElementsAre("1: unknown-function", "1: unknown-variable"));
}

TEST(Follow, AllFaultsOfAProgramAreReported) {
    EXPECT_THAT(Checked(R"(struct A { A a; Nope b; }
static { int g = 1.5; }
void->void pipeline Main { add S(1); add Sx; split duplicate; add K; }
void->int filter S { work push 1 { push(y); push(true); } }
int->void filter K { init { g = 2; pop(); } }
)")
                    .faults(),
                ElementsAre("1: recursive-struct", "1: unknown-type", "2: not-convertible",
                            "3: argument-count", "3: unknown-stream", "3: statement-in-composite",
                            "4: unknown-variable", "4: not-convertible", "5: missing-work",
                            "5: assign-to-global", "5: tape-outside-work"));
}

TEST(Large, ProgramsAreCheckedInLinearTime) {
    std::string text = "void->int filter S { int[100] a; int x; work push 1 {\n";
    std::string table = "int[20000] t = {0";
    for (int i = 0; i < 20000; ++i) {
        std::string k = std::to_string(i);
        text += "x = x * " + k + " + a[" + std::to_string(i % 100) + "]; int v" + k + " = x; y" +
                k + " = v" + k + ";\n";
        if (i && i < 20000) table += "," + k;
    }
    Checked checked(text + "push(x); } " + table + "}; }" + kMain);
    EXPECT_EQ(checked.ctx.diags.errorCount(), 20000u);
}

}  // namespace
}  // namespace strc::sema::test
