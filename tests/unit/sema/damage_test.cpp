// What is reported of a program beside its syntax errors.

#include "fixture.h"

namespace strc::sema::test {
namespace {

using testing::ElementsAre;

std::vector<std::string> faults(const std::string& source, const std::string& library = {}) {
    return Checked(source, library).faults();
}

constexpr const char* kBroken = "int->int filter F(int n) { work pop 1 push 1 { push(pop() } }\n";

TEST(Damage, OtherDeclarationsAreChecked) {
    EXPECT_THAT(faults(std::string(kBroken) +
                       "int->int filter G { work pop 1 push 1 { push(unknown + pop()); } }\n"
                       "struct A { B b; }\n"
                       "static { int n = true; }\n"
                       "helper P { int f() { return nothing; } }\n"),
                ElementsAre("1: expected-token", "2: unknown-variable", "3: unknown-type",
                            "4: not-convertible", "5: unknown-variable"));
}

TEST(Damage, TheDeclarationItselfIsNotChecked) {
    EXPECT_THAT(faults("int->int filter F { work pop 1 push 1 { push(unknown } }\n"),
                ElementsAre("1: expected-token"));
}

TEST(Damage, ItsHeaderHolds) {
    EXPECT_THAT(faults(std::string(kBroken) + "int->int pipeline P { add F; add F(1); }\n"),
                ElementsAre("1: expected-token", "2: argument-count"));
}

TEST(Damage, ABrokenHeaderIsNotReliedOn) {
    EXPECT_THAT(faults("int->int filter F(int, int m) { work pop 1 push 1 { push(pop()); } }\n"
                       "int->int pipeline P { add F(1, 2, 3); add G; }\n"),
                ElementsAre("1: missing-name"));
}

TEST(Damage, NamesThatMayStandInItAreNotMissed) {
    EXPECT_THAT(faults("struct A { int x int y; }\n"
                       "static { int n = ; int m; }\n"
                       "helper P { int f() { return 1 } }\n"
                       "int->int filter G { A a; work pop 1 push 1 {\n"
                       "  push(pop() + a.z + n + m + P.f(1)); boolean b = 1; } }\n"),
                ElementsAre("1: expected-token", "2: expected-expression", "3: expected-token",
                            "5: not-convertible"));
}

/// Its name may be any that is missed.
TEST(Damage, ADeclarationWithoutANameMayBeTheMissingOne) {
    EXPECT_THAT(faults("int->int filter { work pop 1 push 1 { push(pop()); } }\n"
                       "int->int pipeline P { add F; boolean b = 1; }\n"),
                ElementsAre("1: missing-name", "2: not-convertible"));
}

TEST(Damage, HandlersOfABrokenFilterAreNotMissed) {
    EXPECT_THAT(
        faults("int->int filter F { handler h(int { } work pop 1 push 1 { push(pop()); } }\n"
               "int->int filter G(portal<F> p) { work pop 1 push 1 {\n"
               "  p.h(1); push(pop()); } }\n"
               "int->int pipeline P { portal<F> p; add G(p);\n"
               "  add int->int filter { work pop 1 push 1 { push(pop()); } } to p; }\n"),
        ElementsAre("1: missing-name"));
}

/// The rest of F is not part of it to the parser.
TEST(Damage, ABraceTooManyDamagesWhatItEnds) {
    EXPECT_THAT(faults("int->int filter F { int n; } }\n"
                       "int->int filter G { work pop 1 push 1 { push(unknown); } }\n"),
                ElementsAre("1: unexpected-token", "2: unknown-variable"));
}

TEST(Damage, TheLibraryDoesNotStandIn) {
    const std::string library = "int->int filter F { work pop 1 push 1 { push(pop()); } }\n";
    EXPECT_THAT(faults("int->int filter F(int) { work pop 1 push 1 { push(pop()); } }\n"
                       "int->int pipeline P { add F(1); }\n",
                       library),
                ElementsAre("1: missing-name"));
}

TEST(Damage, WarningsWait) {
    EXPECT_THAT(faults(std::string(kBroken) +
                       "int->int filter G { work pop 1 push 1 { int x; push(pop()); } }\n"),
                ElementsAre("1: expected-token"));
}

TEST(Damage, OtherFilesAreChecked) {
    base::Context context;
    std::vector<const ast::Unit*> units;
    for (const char* text :
         {kBroken, "int->int filter G { work pop 1 push 1 { push(unknown); } }\n"})
        units.push_back(&parser::parse(context, context.sources.add("each.str", text)));
    check(context, units);
    ASSERT_EQ(context.diags.all().size(), 2u);
    EXPECT_EQ(context.diags.all()[1].id, base::Diag::UnknownVariable);
}

}  // namespace
}  // namespace strc::sema::test
