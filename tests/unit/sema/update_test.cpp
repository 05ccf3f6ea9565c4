#include "fixture.h"

namespace strc::sema::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A program at which somebody works.
class Session {
public:
    explicit Session(const std::string& source, const std::string& library = {})
        : checked(source, library) {}

    /// What the change brings to light.
    std::vector<std::string> change(const std::string& source) {
        checked.ctx.diags.clear();
        update(checked.ctx, checked.program, checked.parse("change.str", source, false));
        return checked.faults();
    }

    Checked checked;
};

constexpr const char* kProgram = R"(static { int N = 4; int[N] t; init { t[0] = N; } }
struct P { int x; }
void->void pipeline Main { add S(1); add K; }
void->int filter S(int k) { int n = N; work push 1 { push(k + n); } }
int->void filter K { work pop 1 { P p; p.x = pop(); println(p.x); } }
)";

TEST(Update, AnotherBodyIsCheckedAlone) {
    Session session(kProgram);
    ASSERT_THAT(session.checked.faults(), IsEmpty()) << session.checked.rendered();
    std::size_t streams = session.checked.program.streams.size();
    EXPECT_THAT(session.change("void->int filter S(int k) { work push 1 { push(k * y); } }"),
                ElementsAre("1: unknown-variable"));
    EXPECT_THAT(session.change("void->int filter S(int k) { work push 1 { push(k * 2); } }"),
                IsEmpty());
    EXPECT_EQ(session.checked.program.streams.size(), streams);
    EXPECT_EQ(session.checked.stream("S").fields.size(), 0u);
}

TEST(Update, UsersOfAStreamAreCheckedAgain) {
    Session session(kProgram);
    EXPECT_THAT(session.change("void->int filter S { work push 1 { push(1); } }"),
                ElementsAre("3: argument-count"));
    EXPECT_THAT(session.change("void->void pipeline Main { add S; add K; }"), IsEmpty());
}

TEST(Update, UsersOfAStructAreCheckedAgain) {
    Session session(kProgram);
    EXPECT_THAT(session.change("struct P { int y; }"),
                ElementsAre("5: unknown-field", "5: unknown-field"));
    EXPECT_THAT(session.change("struct P { boolean x; }"), ElementsAre("5: not-convertible"));
    EXPECT_THAT(session.change("struct P { int x; }"), IsEmpty());
}

TEST(Update, StructsInStructsCarryChangesOn) {
    Session session(R"(struct A { int x; }
struct B { A a; }
B->B filter F { work pop 1 push 1 { B b = pop(); b.a.x = 1; push(b); } }
void->int filter Other { work push 1 { push(1); } }
)");
    ASSERT_THAT(session.checked.faults(), IsEmpty());
    EXPECT_THAT(session.change("struct A { int y; }"), ElementsAre("3: unknown-field"));
    EXPECT_THAT(session.change("struct A { B b; }"),
                ElementsAre("1: recursive-struct", "3: unknown-field"));
}

TEST(Update, GlobalsKeepTheirPlace) {
    Session session(kProgram);
    EXPECT_THAT(session.change("static { int N = 8; }"), IsEmpty()) << session.checked.rendered();
    EXPECT_EQ(session.checked.program.globals.size(), 2u);
    EXPECT_EQ(session.checked.program.staticItems.size(), 3u);
    EXPECT_EQ(session.checked.program.staticItems[0]->kind, ast::DeclKind::Fields);
    const auto& first = ast::as<ast::FieldsDecl>(*session.checked.program.staticItems[0]);
    EXPECT_EQ(first.variables->variables[0].name.name.text(), "N");
    EXPECT_THAT(session.change("static { boolean N = true; }"),
                ElementsAre("1: bound-not-int", "4: not-convertible"));
}

TEST(Update, NamesThatWereMissingAreFound) {
    Session session(R"(void->void pipeline Main { add S; add K; }
void->int filter S { work push 1 { push(Lib.one()); } }
)");
    ASSERT_THAT(session.checked.faults(), ElementsAre("1: unknown-stream", "2: unknown-package"));
    EXPECT_THAT(session.change("int->void filter K { work pop 1 { println(pop()); } }"), IsEmpty());
    EXPECT_THAT(session.change("helper Lib { int one() { return 1; } }"), IsEmpty());
    EXPECT_THAT(session.change("helper Lib { int two() { return 2; } }"),
                ElementsAre("2: unknown-package-function"));
    EXPECT_EQ(session.checked.program.packageFunctions.size(), 1u);
}

TEST(Update, AnonymousStreamsGoWithTheirOwner) {
    Session session(R"(void->void pipeline Main {
    int k = 3;
    add void->int filter { work push 1 { push(k); } };
    add pipeline { add int->int filter { work pop 1 push 1 { push(pop() + k); } }; }
    add K;
}
int->void filter K { work pop 1 { println(pop()); } }
)");
    ASSERT_THAT(session.checked.faults(), IsEmpty());
    std::size_t streams = session.checked.program.streams.size();
    EXPECT_THAT(session.change("int->void filter K { work pop 1 { println(1 + pop()); } }"),
                IsEmpty());
    EXPECT_EQ(session.checked.program.streams.size(), streams);
    EXPECT_THAT(session.change("void->void pipeline Main { add void->int filter { work push 1 { "
                               "push(1); } }; add K; }"),
                IsEmpty());
    EXPECT_EQ(session.checked.program.streams.size(), streams);
    const StreamInfo* main = findMain(session.checked.ctx, session.checked.program, {});
    ASSERT_NE(main, nullptr);
    markReachable(session.checked.ctx, session.checked.program, *main);
    std::size_t reachable = 0;
    for (const StreamInfo& each : session.checked.program.streams) reachable += each.reachable;
    EXPECT_EQ(reachable, 3u);  // Main, its source, K
}

TEST(Update, TheProgramsOwnStreamReplacesOneOfTheLibrary) {
    Session session(
        "void->void pipeline Main { add Src; add Sink; } int->void filter Sink { work pop 1 { "
        "println(pop()); } }",
        "void->int filter Src { work push 1 { push(1); } } void->int pipeline Twice { add Src; }");
    ASSERT_THAT(session.checked.faults(), IsEmpty());
    EXPECT_THAT(session.change("void->int filter Src(int k) { work push 1 { push(k); } }"),
                ElementsAre("1: argument-count"));
}

}  // namespace
}  // namespace strc::sema::test
