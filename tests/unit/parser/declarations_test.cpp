#include <gmock/gmock.h>

#include "support.h"

namespace strc::parser::test {
namespace {

using namespace ast;
using testing::ElementsAre;
using testing::IsEmpty;

/// Keeps the tree alive next to the declaration.
struct One {
    Parsed parsed;
    const Decl* decl;
};

One read(std::string_view text) {
    Parsed parsed = unit(text);
    EXPECT_THAT(parsed.faults(), IsEmpty()) << parsed.rendered();
    EXPECT_EQ(parsed.unit->decls.size(), 1u);
    const Decl* decl = parsed.unit->decls[0];
    return {std::move(parsed), decl};
}

TEST(Declarations, Structs) {
    const One one = read("struct P { int id; float[4] v; Q inner; }");
    const auto& node = as<StructDecl>(*one.decl);
    EXPECT_EQ(node.name.name.text(), "P");
    ASSERT_EQ(node.fields.size(), 3u);
    EXPECT_EQ(node.fields[1].name.name.text(), "v");
    EXPECT_EQ(structure(node.fields[1].type), "[4 of float]");
    EXPECT_EQ(structure(node.fields[2].type), "Q");
}

TEST(Declarations, FilterHeads) {
    const One one =
        read("float[n]->Foo stateful filter F(int n, float[n] h, String s) { work { } }");
    const auto& node = as<StreamDecl>(*one.decl);
    EXPECT_EQ(node.stream, StreamKind::Filter);
    EXPECT_TRUE(node.stateful);
    EXPECT_EQ(structure(node.input), "[n of float]");
    EXPECT_EQ(structure(node.output), "Foo");
    EXPECT_EQ(node.name.name.text(), "F");
    EXPECT_EQ(one.parsed.slice(node.header),
              "float[n]->Foo stateful filter F(int n, float[n] h, String s)");
    ASSERT_EQ(node.params.size(), 3u);
    EXPECT_EQ(structure(node.params[1].type), "[n of float]");
    EXPECT_EQ(structure(node.params[2].type), "String");
    EXPECT_EQ(node.params[0].defaultValue, nullptr);
    EXPECT_EQ(node.body, nullptr);
}

TEST(Declarations, DefaultValues) {
    const One one = read("int->int filter F(int taps = 64, float[2] w = {1, 2 + 3}) { work { } }");
    const auto& node = as<StreamDecl>(*one.decl);
    EXPECT_EQ(structure(node.params[0].defaultValue), "64");
    EXPECT_EQ(structure(node.params[1].defaultValue), "{1, (2 + 3)}");
}

TEST(Declarations, Composites) {
    for (const auto& [word, kind] : {std::pair("pipeline", StreamKind::Pipeline),
                                     std::pair("splitjoin", StreamKind::SplitJoin),
                                     std::pair("feedbackloop", StreamKind::FeedbackLoop)}) {
        const One one = read("void->void " + std::string(word) + " C { add A; add B(); }");
        const auto& node = as<StreamDecl>(*one.decl);
        EXPECT_EQ(node.stream, kind);
        EXPECT_FALSE(node.stateful);
        EXPECT_EQ(one.parsed.slice(node.header), "void->void " + std::string(word) + " C");
        EXPECT_EQ(structure(node.body), "{ add A(); add B(); }");
        EXPECT_TRUE(node.members.empty());
    }
}

TEST(Declarations, MembersStandInTextualOrder) {
    const One one = read(R"(int->int filter F {
        int a, b = 2; Foo[3] c; ;
        work pop 1 push 1 { push(pop()); }
        void skip(int n) pop n { pop(); }
        init { a = 1; }
        prework push 2 { }
        handler set(int v, Foo w) { a = v; }
        Foo make() { return c[0]; }
        float[2] d = {1, 2}, e;
    })");
    const auto& node = as<StreamDecl>(*one.decl);
    std::vector<DeclKind> kinds;
    for (const Decl* member : node.members) kinds.push_back(member->kind);
    EXPECT_THAT(kinds, ElementsAre(DeclKind::Fields, DeclKind::Fields, DeclKind::Work,
                                   DeclKind::Function, DeclKind::Init, DeclKind::Work,
                                   DeclKind::Handler, DeclKind::Function, DeclKind::Fields));
    EXPECT_EQ(structure(as<FieldsDecl>(*node.members[0]).variables), "int a b=2");
    EXPECT_EQ(structure(as<FieldsDecl>(*node.members[8]).variables), "[2 of float] d={1, 2} e");
    const auto& function = as<FunctionDecl>(*node.members[3]);
    EXPECT_EQ(function.name.name.text(), "skip");
    EXPECT_EQ(function.params.size(), 1u);
    EXPECT_EQ(function.rates.size(), 1u);
    EXPECT_FALSE(as<WorkDecl>(*node.members[2]).prework);
    EXPECT_TRUE(as<WorkDecl>(*node.members[5]).prework);
    EXPECT_EQ(one.parsed.slice(as<WorkDecl>(*node.members[2]).header), "work pop 1 push 1");
    EXPECT_EQ(as<HandlerDecl>(*node.members[6]).params.size(), 2u);
}

std::string rate(const RateClause& clause) {
    constexpr const char* words[] = {"push", "pop", "peek"};
    const auto bound = [](const Expr* e) { return e ? structure(e) : std::string("*"); };
    std::string text = words[int(clause.kind)];
    if (!clause.dynamic) return text + " " + structure(clause.value);
    text += " " + bound(clause.min) + ".." + bound(clause.max);
    return clause.average ? text + " ~" + structure(clause.average) : text;
}

TEST(Declarations, Rates) {
    const One one = read(R"(int->int filter F {
        work push * pop [1,*] peek [1, 2 * n, *] { }
        prework peek (2*n) push n*3 pop peek(1 + 2) { }
    })");
    const auto& members = as<StreamDecl>(*one.decl).members;
    const auto& work = as<WorkDecl>(*members[0]);
    EXPECT_EQ(rate(work.rates[0]), "push *..*");
    EXPECT_EQ(rate(work.rates[1]), "pop 1..*");
    EXPECT_EQ(rate(work.rates[2]), "peek 1..* ~(2 * n)");
    EXPECT_EQ(one.parsed.slice(work.rates[2].range), "peek [1, 2 * n, *]");
}

TEST(Declarations, StaticRatesAreExpressions) {
    const One one = read("int->int filter F { work peek (int)ceil(d) pop n*3 push (2*n) { } }");
    const auto& work = as<WorkDecl>(*as<StreamDecl>(*one.decl).members[0]);
    EXPECT_EQ(rate(work.rates[0]), "peek ((int)ceil(d))");
    EXPECT_EQ(rate(work.rates[1]), "pop (n * 3)");
    EXPECT_EQ(rate(work.rates[2]), "push <(2 * n)>");
}

TEST(Declarations, StaticBlocksMixDeclarationsAndStatements) {
    for (const char* word : {"static", "global"}) {
        const One one = read(std::string(word) + R"( {
            int N = 8; float[N] w;
            N = N + 1;
            init { w[0] = 1; }
            Cam.open("x", 1); { N++; }
        })");
        const auto& node = as<StaticDecl>(*one.decl);
        std::vector<DeclKind> kinds;
        for (const Decl* member : node.members) kinds.push_back(member->kind);
        EXPECT_THAT(kinds, ElementsAre(DeclKind::Fields, DeclKind::Fields, DeclKind::Init,
                                       DeclKind::Init, DeclKind::Init, DeclKind::Init));
        // A stray statement is an `init` without the word: both have the same range.
        const auto& stray = as<InitDecl>(*node.members[2]);
        EXPECT_EQ(stray.range, stray.body->range);
        EXPECT_EQ(structure(stray.body), "{ N = (N + 1); }");
        const auto& init = as<InitDecl>(*node.members[3]);
        EXPECT_EQ(one.parsed.slice(init.range), "init { w[0] = 1; }");
        EXPECT_EQ(one.parsed.slice(init.body->range), "{ w[0] = 1; }");
        EXPECT_EQ(structure(as<InitDecl>(*node.members[5]).body), "{ { (N++); }; }");
    }
}

TEST(Declarations, GlobalIsANameElsewhere) {
    EXPECT_THAT(
        unit("global->int filter global(int global) { work { global = global; } }").faults(),
        IsEmpty());
    EXPECT_THAT(unit("other { int x; }").faults(), ElementsAre("unexpected-token 'other'"));
}

TEST(Declarations, Packages) {
    const One native =
        read("native Cam { int open(String name, int w); void grab(int h, float[64] r); }");
    const auto& prototypes = as<NativeDecl>(*native.decl).functions;
    ASSERT_EQ(prototypes.size(), 2u);
    EXPECT_EQ(prototypes[0]->body, nullptr);
    EXPECT_EQ(structure(prototypes[0]->params[0].type), "String");
    EXPECT_EQ(native.parsed.slice(prototypes[1]->range), "void grab(int h, float[64] r)");

    const One helper =
        read("helper Geo { float f(float a) { return a; } ; int g() { return 1; } }");
    const auto& functions = as<HelperDecl>(*helper.decl).functions;
    ASSERT_EQ(functions.size(), 2u);
    EXPECT_EQ(structure(functions[0]->body), "{ return a; }");
}

TEST(Declarations, StraySemicolonsAreIgnored) {
    const Parsed parsed = unit("; struct S { int a; ; } ;; int->int filter F { ; work { } ; } ;");
    EXPECT_THAT(parsed.faults(), IsEmpty());
    EXPECT_EQ(parsed.unit->decls.size(), 2u);
}

TEST(Declarations, AnonymousStreams) {
    const Parsed parsed =
        statement("add Foo[3]->int stateful filter { int a; work pop 1 { } } to p;");
    const auto& create = as<CreateStmt>(*parsed.stmt);
    ASSERT_NE(create.anonymous, nullptr);
    EXPECT_FALSE(create.target.name);
    EXPECT_FALSE(create.anonymous->name.name);
    EXPECT_TRUE(create.anonymous->stateful);
    EXPECT_EQ(structure(create.anonymous->input), "[3 of Foo]");
    EXPECT_EQ(parsed.slice(create.anonymous->header), "Foo[3]->int stateful filter");
    EXPECT_EQ(parsed.slice(create.anonymous->range),
              "Foo[3]->int stateful filter { int a; work pop 1 { } }");
    EXPECT_EQ(create.anonymous->members.size(), 2u);

    const Parsed untyped = statement("add pipeline { add A; }");
    const auto& stream = *as<CreateStmt>(*untyped.stmt).anonymous;
    EXPECT_EQ(stream.input, nullptr);
    EXPECT_EQ(untyped.slice(stream.header), "pipeline");
    EXPECT_EQ(structure(stream.body), "{ add A(); }");
}

TEST(Declarations, LibraryStreamsMayBeNamedByKeywords) {
    const std::string text = "int->int filter join(int n) { work { } }";
    EXPECT_THAT(unit(text).faults(), ElementsAre("keyword-as-name 'join'"));
    Parsed library(text, true);
    library.unit = &parse(*library.context, library.buffer);
    EXPECT_THAT(library.faults(), IsEmpty());
    EXPECT_EQ(as<StreamDecl>(*library.unit->decls[0]).name.name.text(), "join");
}

TEST(Declarations, ProgramsMayDeclareAddAndSplit) {
    for (const char* name : {"add", "split"}) {
        const Parsed parsed =
            unit(std::string("int->int filter ") + name + "(int n = 1) { work { } }");
        EXPECT_THAT(parsed.faults(), IsEmpty());
        EXPECT_EQ(as<StreamDecl>(*parsed.unit->decls[0]).name.name.text(), name);
        EXPECT_THAT(unit(std::string("struct ") + name + " { int a; }").faults(),
                    ElementsAre(std::string("keyword-as-name '") + name + "'"));
    }
}

TEST(Declarations, LineEndsAndBlanks) {
    const Parsed parsed = unit("void->int\r\n\tfilter\fF\r\n{ work push\t1 { push(1); } }\r\n");
    EXPECT_THAT(parsed.faults(), IsEmpty());
    EXPECT_THAT(unit("\xEF\xBB\xBFstruct S { int a; }").faults(), IsEmpty());
    EXPECT_THAT(unit("").faults(), IsEmpty());
    EXPECT_THAT(unit("// only a comment, without a line end").faults(), IsEmpty());
}

TEST(Declarations, CommentsAreKept) {
    const Parsed parsed = unit("/* a /* b */ struct /**/ S { int /***/ x; // c\n} // d");
    std::vector<std::string> comments;
    for (const auto& c : parsed.unit->comments) {
        comments.push_back((c.block ? "B" : "L") + std::string(parsed.slice(c.range)));
    }
    EXPECT_THAT(comments, ElementsAre("B/* a /* b */", "B/**/", "B/***/", "L// c", "L// d"));
}

}  // namespace
}  // namespace strc::parser::test
