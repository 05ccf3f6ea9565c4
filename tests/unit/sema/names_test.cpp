// What names mean: scopes, capture, the library's weak declarations, the main stream.

#include "fixture.h"

namespace strc::sema::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kNamedEnds = R"(
void->int filter S { work push 1 { push(1); } }
int->void filter K { work pop 1 { println(pop()); } }
)";

std::vector<std::string> namedFaults(const std::string& source) { return Checked(source).faults(); }

std::vector<std::string> names(const std::vector<const Symbol*>& symbols) {
    std::vector<std::string> found;
    for (const Symbol* each : symbols) found.push_back(each->name.str());
    return found;
}

const StreamInfo* anonymous(const Program& program, std::size_t which) {
    for (const StreamInfo& each : program.streams)
        if (each.decl && !each.name && which-- == 0) return &each;
    return nullptr;
}

TEST(Capture, TakesEveryEnclosingVariableThatIsUsedOnce) {
    Checked checked(std::string(R"(
static { int G = 2; }
void->void pipeline Main(int p = 1) {
    int a = 1, unused = 2;
    float[a] w;
    add S;
    for (int i = 0; i < 3; i++)
        add int[a]->int[a] filter {
            int[p] field;
            work pop 1 push 1 peek i + 1 { float x = w[i] + w[0] + G; push(pop()); }
        };
    add K;
})") + kNamedEnds);
    const StreamInfo* filter = anonymous(checked.program, 0);
    ASSERT_NE(filter, nullptr);
    EXPECT_THAT(names(filter->constants), ElementsAre("a", "p", "i", "w"));
    EXPECT_EQ(filter->params, 0u);
    for (const Symbol* each : filter->constants) {
        EXPECT_EQ(each->kind, SymbolKind::Captured);
        ASSERT_NE(each->origin, nullptr);
        EXPECT_EQ(each->type, each->origin->type);
    }
    EXPECT_EQ(filter->constants[1]->origin->kind, SymbolKind::StreamParam);
    EXPECT_EQ(filter->constants[2]->origin->kind, SymbolKind::Local);
}

TEST(Capture, GoesThroughAllLevels) {
    Checked checked(std::string(R"(
void->void pipeline Main {
    int n = 2;
    add S;
    add pipeline { add pipeline { int m = n; add int->int filter { work pop 1 push 1 { push(pop() + n + m); } } } }
    add K;
})") + kNamedEnds);
    ASSERT_THAT(checked.faults(), IsEmpty()) << checked.rendered();
    const StreamInfo* inner = anonymous(checked.program, 2);
    ASSERT_NE(inner, nullptr);
    EXPECT_THAT(names(inner->constants), ElementsAre("n", "m"));
    const Symbol* symbol = inner->constants[0];
    for (int level = 0; level < 3; ++level) {
        EXPECT_EQ(symbol->kind, SymbolKind::Captured) << level;
        symbol = symbol->origin;
        ASSERT_NE(symbol, nullptr);
    }
    EXPECT_EQ(symbol->kind, SymbolKind::Local);
    EXPECT_EQ(inner->enclosing->enclosing->enclosing, &checked.stream("Main"));
}

TEST(Capture, PortalsAndHiding) {
    EXPECT_THAT(namedFaults(std::string(R"(
int->int filter Rx { int g; work pop 1 push 1 { push(pop()); } handler set(int v) { g = v; } }
void->void pipeline Main {
    portal<Rx> p;
    int n = 3;
    if (n > 2) add S;
    add int->int filter { int n; work pop 1 push 1 { n++; p.set(n); push(pop()); } };
    add pipeline { add Rx to p; add Rx() to p; }
    add K;
})") + kNamedEnds),
                IsEmpty());
}

TEST(Suggestions, NeverMakeAStreamCreateItself) {
    const std::string program =
        "void->void pipeline Main { add S; add gain; add K; }\n"
        "int->int pipeline Outer { add Inner; }\n"
        "int->int pipeline Inner { if (true) { add pipeline { add Oter; } } }\n";
    const std::string said = Checked(program + kNamedEnds).rendered();
    EXPECT_THAT(said, HasSubstr("unknown stream 'gain'"));
    EXPECT_THAT(said, HasSubstr("unknown stream 'Oter'"));
    EXPECT_THAT(said, testing::Not(HasSubstr("did you mean 'Main'")));
    EXPECT_THAT(said, testing::Not(HasSubstr("did you mean 'Outer'")));
}

TEST(Suggestions, KnowPi) {
    for (const std::string name : {"PI", "M_PI"})
        EXPECT_THAT(
            Checked("float->float filter F { work pop 1 push 1 { push(pop() * " + name + "); } }")
                .rendered(),
            HasSubstr("did you mean 'pi'?"));
}

TEST(Scopes, InnerNamesHideOuterOnes) {
    Checked checked(std::string(R"(
static { float x = 1; }
void->void pipeline Main { add S2; add K; }
void->int filter S2 {
    int y = 1;
    int f(int a) { { int a = 2; boolean b = true; } int b = a; return b; }
    work push 1 {
        for (int i = 0; i < 1; i++) { int j = i; }
        for (float i = 0; i < 1; i += 0.5) { float j = i; }
        boolean x = true;
        if (x) { int x = 3; y = x; }
        push(f(y));
    }
})") + kNamedEnds);
    EXPECT_FALSE(checked.ctx.diags.hasErrors()) << checked.rendered();
}

TEST(Scopes, IterIsAlsoAName) {
    EXPECT_THAT(namedFaults(std::string(R"(
void->void pipeline Main { add T(3); add K; }
void->int filter T(int iter) { int k = iter; work push 1 { push(iter + iter() + k); } }
)") + kNamedEnds),
                IsEmpty());
}

TEST(Scopes, FunctionsHideBuiltins) {
    EXPECT_THAT(namedFaults(std::string(R"(
void->void pipeline Main { add T; add K; }
void->int filter T { int max(int a) { return a; } int print(int a) { return a; } work push 1 { push(max(print(2))); } }
helper H { int abs(int a) { return a; } int twice(int a) { return abs(a) + abs(a); } }
)") + kNamedEnds),
                IsEmpty());
}

TEST(Scopes, HandlersAreFunctionsInside) {
    EXPECT_THAT(namedFaults(std::string(R"(
void->void pipeline Main { add T; add K; }
void->int filter T { int g; work push 1 { set(2); push(g); } handler set(int v) { g = v; } }
)") + kNamedEnds),
                IsEmpty());
}

TEST(Scopes, ParametersMayUseOneAnother) {
    Checked checked(std::string(R"(
void->void pipeline Main { add S; add T({1, 2}, 2, m = 3); add K; }
int->int filter T(int[n] a, int n, int m = n + 1) { work pop 1 push 1 { push(pop() + a[m - n]); } }
float[n]->float[n] filter Window(int n) { float[2 * n] w; work pop 1 push 1 { push(pop()); } }
)") + kNamedEnds);
    EXPECT_THAT(checked.faults(), IsEmpty()) << checked.rendered();
    EXPECT_EQ(types::toString(checked.stream("Window").input), "float[?]");
    EXPECT_EQ(types::toString(checked.stream("T").constants[0]->type), "int[?]");
}

// ---------------------------------------------------------------- library

constexpr const char* kLibrary = R"(
static { int Size = 4; }
struct Sample { float v; }
void->int filter Src { work push Size { for (int i = 0; i < Size; i++) push(i); } }
void->int pipeline Both { add Src; add Identity<int>; }
int->void filter Print { work pop 1 { println(pop()); } }
)";

TEST(Library, ItsNamesGiveWay) {
    Checked checked(R"(
static { float Size = 1.5; }
struct Src { int x; }
void->void pipeline Main { add Both; add Print; }
int->void filter Print { int Both; Src s; work pop 1 { s.x = pop(); println(s.x + Size + Both); } }
)",
                    kLibrary);
    EXPECT_THAT(checked.faults(), IsEmpty()) << checked.rendered();
    EXPECT_FALSE(checked.stream("Print").isLibrary);
    EXPECT_TRUE(checked.stream("Both").isLibrary);
    EXPECT_FALSE(checked.program.streamByName.contains(checked.ctx.names.intern("Src")));
}

TEST(Library, KeepsItsOwnMeanings) {
    Checked checked(R"(
void->float filter Src(int k) { work push 1 { push(k); } }
void->void pipeline Main { add Both; add Print; }
)",
                    kLibrary);
    EXPECT_THAT(checked.faults(), IsEmpty()) << checked.rendered();
    const auto& both = *checked.stream("Both").decl;
    const auto& create = ast::as<ast::CreateStmt>(*both.body->statements[0]);
    EXPECT_TRUE(checked.program.createOf(create)->stream->isLibrary);
    EXPECT_FALSE(checked.stream("Src").isLibrary);
}

TEST(Library, IsNotWarnedAbout) {
    Checked checked(
        "void->void pipeline Main { add Src; add Print; } int->void filter Print { work pop 1 { "
        "println(pop()); } }",
        "static { int n; } void->int filter Src { int k; work push 1 { int n; float k = 1; "
        "push(1); } }");
    const StreamInfo* main = findMain(checked.ctx, checked.program, {});
    ASSERT_NE(main, nullptr);
    markReachable(checked.ctx, checked.program, *main);
    EXPECT_THAT(checked.faults(), IsEmpty());
}

// ---------------------------------------------------------------- the main stream

TEST(Main, IsTheOnlyOneWithoutSides) {
    Checked checked(
        std::string("void->void splitjoin Main { split duplicate; join roundrobin; add S; }") +
        kNamedEnds);
    const StreamInfo* main = findMain(checked.ctx, checked.program, {});
    ASSERT_NE(main, nullptr);
    EXPECT_EQ(main->name.text(), "Main");
}

TEST(Main, SeveralNeedAChoice) {
    std::string source =
        std::string(
            "void->void pipeline A { add S; add K; }\nvoid->void pipeline B { add S; add K; }") +
        kNamedEnds;
    Checked checked(source);
    EXPECT_EQ(findMain(checked.ctx, checked.program, {}), nullptr);
    EXPECT_THAT(checked.faults(), ElementsAre("2: several-main-streams"));
    EXPECT_THAT(checked.rendered(), HasSubstr("'--top A' starts from 'A'"));
    Checked chosen(source);
    const StreamInfo* main = findMain(chosen.ctx, chosen.program, "B");
    ASSERT_NE(main, nullptr);
    EXPECT_EQ(main->name.text(), "B");
    EXPECT_THAT(chosen.faults(), IsEmpty());
}

TEST(Main, MayHaveSidesIfChosen) {
    Checked checked(kNamedEnds);
    EXPECT_EQ(findMain(checked.ctx, checked.program, {}), nullptr);
    EXPECT_THAT(checked.faults(), ElementsAre("0: no-main-stream"));
    checked.ctx.diags.clear();
    EXPECT_NE(findMain(checked.ctx, checked.program, "S"), nullptr);
    EXPECT_EQ(findMain(checked.ctx, checked.program, "Identity"), nullptr);
    EXPECT_EQ(findMain(checked.ctx, checked.program, "SS"), nullptr);
    EXPECT_THAT(checked.faults(), ElementsAre("0: unknown-top-stream", "0: unknown-top-stream"));
}

TEST(Main, ProposedAreThoseThatNobodyAdds) {
    Checked checked(
        "float->void pipeline A { add F; add G; }\nfloat->void pipeline B { add G; }\n"
        "float->float filter F { work pop 1 push 1 { push(pop()); } }\n"
        "float->void filter G { work pop 1 { pop(); } }\n");
    EXPECT_EQ(findMain(checked.ctx, checked.program, {}), nullptr);
    EXPECT_THAT(checked.rendered(), HasSubstr("'--top A' starts from 'A'"));
    EXPECT_THAT(checked.rendered(), HasSubstr("'--top B' starts from 'B'"));
    EXPECT_THAT(checked.rendered(), Not(HasSubstr("'--top G'")));
}

TEST(Main, UnknownOnesAreToldWhatThereIs) {
    Checked checked("void->void pipeline One { }\nvoid->void pipeline Other { }\n");
    EXPECT_EQ(findMain(checked.ctx, checked.program, "Nope"), nullptr);
    EXPECT_THAT(checked.rendered(), HasSubstr("'--top One' starts from 'One'"));
    EXPECT_THAT(checked.rendered(), HasSubstr("'--top Other' starts from 'Other'"));
}

TEST(Main, ParametersNeedValues) {
    std::string source =
        std::string("void->void pipeline Main(int a, int b = 2) { add S; add K; }") + kNamedEnds;
    Checked checked(source);
    EXPECT_EQ(findMain(checked.ctx, checked.program, {}), nullptr);
    EXPECT_THAT(checked.faults(), ElementsAre("1: main-stream-parameter"));
    std::vector<std::string> defined{"a"};
    EXPECT_NE(findMain(checked.ctx, checked.program, {}, defined), nullptr);
}

TEST(Main, LenientErrorsWhereNobodyGoesAreWarnings) {
    std::string source = std::string(R"(void->void pipeline Main { add S; add pipeline { add K; } }
int->int filter Dead { work pop 1 push 1 { push(y); } }
int->int pipeline DeadToo { add Nope; add int->int filter { work pop 1 push 1 { push(z); } }; }
)") + kNamedEnds;
    for (bool lenient : {false, true}) {
        Checked checked(source, {}, lenient);
        const StreamInfo* main = findMain(checked.ctx, checked.program, {});
        ASSERT_NE(main, nullptr);
        markReachable(checked.ctx, checked.program, *main);
        EXPECT_EQ(checked.ctx.diags.hasErrors(), !lenient);
        EXPECT_FALSE(checked.stream("Dead").reachable);
        EXPECT_TRUE(checked.stream("K").reachable);
    }
    Checked reached(
        std::string("void->void pipeline Main { add S; add K; add pipeline { add Nope; } }") +
            kNamedEnds,
        {}, true);
    markReachable(reached.ctx, reached.program, *findMain(reached.ctx, reached.program, {}));
    EXPECT_TRUE(reached.ctx.diags.hasErrors());
}

TEST(Main, NamesDeclaredWronglyStayErrors) {
    for (std::string second :
         {"add K; }\nint->int filter Identity { work pop 1 push 1 { push(pop()); } }",
          "add K; }\nvoid->int filter S { work push 1 { push(2); } }"}) {
        bool builtin = second.find("Identity") != std::string::npos;
        std::string first = builtin ? "add S; add Identity; " : "add S; ";
        Checked checked(kNamedEnds + ("void->void pipeline Main { " + first) + second, {}, true);
        const StreamInfo* main = findMain(checked.ctx, checked.program, {});
        ASSERT_NE(main, nullptr);
        EXPECT_EQ(checked.ctx.diags.errorCount(), 1u);
        markReachable(checked.ctx, checked.program, *main);
        EXPECT_TRUE(checked.ctx.diags.hasErrors()) << second;
    }
}

TEST(Main, LenientTruncatesInitialisers) {
    std::string source = std::string(
                             "void->void pipeline Main { add T; add K; }\nvoid->int filter T { int "
                             "n = 2.5; work push 1 { int m; m = 1.5; push(n + m); } }") +
                         kNamedEnds;
    Checked strict(source);
    EXPECT_THAT(strict.faults(), ElementsAre("2: not-convertible", "2: not-convertible"));
    Checked lenient(source, {}, true);
    EXPECT_THAT(lenient.faults(),
                ElementsAre("2: truncating-initializer (w)", "2: not-convertible"));
}

}  // namespace
}  // namespace strc::sema::test
