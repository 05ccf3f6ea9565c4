// What is said about wrong texts, and that one fault gives one message.

#include <gmock/gmock.h>

#include "support.h"

namespace strc::parser::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Case {
    const char* text;
    std::vector<std::string> faults;
};

void check(const std::vector<Case>& cases, std::string (*frame)(std::string_view)) {
    for (const auto& [text, faults] : cases) {
        const Parsed parsed = unit(frame(text));
        EXPECT_EQ(parsed.faults(), faults) << text << "\n" << parsed.rendered();
    }
}

std::string beforeFilter(std::string_view text) {
    return std::string(text) + "\nvoid->int filter Last { work push 1 { push(1); } }\n";
}

TEST(SyntaxErrors, Characters) {
    check({{"x = a @ 3;", {"illegal-character '@'"}},
           {"x = a # 3 + ;", {"illegal-character '#'"}},
           {"x = a \xC3\xA9\xC3\xA9 3;", {"illegal-character '\xC3\xA9\xC3\xA9'"}},
           {"x = a \xFF 3;", {"illegal-character '\xFF'"}},
           {"x = \"abc;", {"unterminated-string '\"abc;'"}},
           {"x = 'a;", {"unterminated-string ''a;'"}},
           {"x = \"a\\qb\\9\";", {"invalid-escape '\\q'", "invalid-escape '\\9'"}},
           {"x = 'ab';", {"malformed-character ''ab''"}},
           {"x = '';", {"malformed-character ''''"}},
           {"x = '\\q';", {"invalid-escape '\\q'"}}},
          inWork);
    check({{"/* never closed", {"unterminated-comment '/*'"}}}, beforeFilter);
    EXPECT_THAT(unit("@").rendered(), HasSubstr("illegal character '@'"));
    EXPECT_THAT(unit("\x01").rendered(), HasSubstr("illegal character '\\x01'"));
    EXPECT_THAT(unit("\xFF").rendered(), HasSubstr("illegal character '\\xFF'"));
}

TEST(SyntaxErrors, Numbers) {
    for (const char* number : {".5", "1.", "0X1F", "3fi", "3if", "12abc", "1e", "1e+", "1.5.2",
                               "0x", "0xZ", "1.e5", "5.x"}) {
        const std::string lexeme = std::string(number) == "1e+" ? "1e" : number;
        const auto faults = unit(inWork("x = " + std::string(number) + ";")).faults();
        ASSERT_FALSE(faults.empty()) << number;
        EXPECT_EQ(faults[0], "malformed-number '" + lexeme + "'");
    }
    EXPECT_EQ(unit(inWork("x = .5 + 3;")).faults().size(), 1u);
}

TEST(SyntaxErrors, BoundsAndIndices) {
    check({{"int[] a;", {"missing-array-bound '[]'"}},
           {"Foo[][3] a;", {"missing-array-bound '[]'"}},
           {"x = a[];", {"missing-array-index '[]'"}},
           {"a[][1] = 2;", {"missing-array-index '[]'"}}},
          inWork);
    check({{"int[3][] a;", {"missing-array-bound '[]'"}}}, inFilter);
    check({{"int[]->int filter F(int[] a) { work { } }",
            {"missing-array-bound '[]'", "missing-array-bound '[]'"}}},
          beforeFilter);
}

TEST(SyntaxErrors, KeywordsAsNames) {
    check({{"int loop = 3;", {"keyword-as-name 'loop'"}},
           {"Foo loop = 3;", {"keyword-as-name 'loop'"}},
           {"Foo[3] work;", {"keyword-as-name 'work'"}},
           {"int a, add;", {"keyword-as-name 'add'"}},
           {"a.push = 3;", {"keyword-as-name 'push'"}}},
          inWork);
    check({{"int loop;", {"keyword-as-name 'loop'"}},
           {"int split(int a) { return a; }", {"keyword-as-name 'split'"}},
           {"void f(int body) { }", {"keyword-as-name 'body'"}},
           {"handler init() { }", {"keyword-as-name 'init'"}}},
          inFilter);
    check({{"struct filter { int a; }", {"keyword-as-name 'filter'"}},
           {"int->int filter work { work { } }", {"keyword-as-name 'work'"}},
           {"int->int filter F(int push) { work { } }", {"keyword-as-name 'push'"}}},
          beforeFilter);
}

TEST(SyntaxErrors, AssignmentAsCondition) {
    check({{"if (x = 1) y = 2; else y = 3;", {"expected-token '='"}},
           {"while (x = 1) x++;", {"expected-token '='"}},
           {"do x++; while (x = y + 1);", {"expected-token '='"}}},
          inWork);
    const Parsed parsed = unit(inWork("if (x = 1) y = 2;"));
    EXPECT_THAT(parsed.rendered(), HasSubstr("expected ')' before '='"));
    EXPECT_THAT(parsed.rendered(), HasSubstr("write '==' instead of '='"));
}

TEST(SyntaxErrors, MissingSemicolons) {
    check({{"x = x + 1 push(x);", {"expected-token after ' = x + 1'"}},
           {"x = 1\ny = 2;", {"expected-token after 'x = 1'"}},
           {"f() x = 1;", {"expected-token after 'f()'"}},
           {"int a", {"expected-token after 'int a'"}},
           {"do x++ while (x);", {"expected-token after 'do x++'"}},
           {"return", {"expected-token after 'return'"}},
           {"x = a 1;", {"expected-token after 'x = a'"}}},
          inWork);
}

TEST(SyntaxErrors, CreatorsWithoutSemicolon) {
    check({{"add Foo", {"creator-without-semicolon after 'add Foo'"}},
           {"add Foo()", {"creator-without-semicolon after 'dd Foo()'"}},
           {"body A add B;", {"creator-without-semicolon after 'body A'"}},
           {"add", {"expected-token after 'add'"}},
           {"add ;", {"expected-token ';'"}}},
          inPipeline);
}

TEST(SyntaxErrors, Brackets) {
    check({{"push((1 + 2);", {"expected-token ';'"}},
           {"push(1));", {"unexpected-token ')'"}},
           {"push(1]);", {"unexpected-token ']'"}},
           {"f(a b);", {"expected-token 'b'"}},
           {"x = a[1;", {"expected-token ';'"}},
           {"x = a[;", {"expected-expression ';'"}},
           {"if x > 3) y = 2;", {"expected-token 'x'"}},
           {"if (x > 3 y = 2;", {"expected-token 'y'"}},
           {"if (x { y = 2; }", {"expected-token '{'"}},
           {"for (i = 0; i < 3; i++ { x = 2; x = 3; }", {"expected-token '{'"}},
           {"for (i = 0; i < 3, i++) { x = 2; x = 3; }", {"expected-token after '0; i < 3'"}}},
          inWork);
}

TEST(SyntaxErrors, MissingValues) {
    check({{"x = ;", {"expected-expression ';'"}},
           {"push(3 + );", {"expected-expression ')'"}},
           {"f(a, );", {"expected-expression ')'"}},
           {"f(, a);", {"expected-expression ','"}},
           {"x = a ? : b;", {"expected-expression ':'"}},
           {"x = a ? b;", {"expected-token ';'"}},
           {"x = loop + 1;", {"expected-expression 'loop'"}},
           {"x = push(3);", {"expected-expression 'push'"}},
           {"x = int(3);", {"expected-expression 'int'"}},
           {"x = {1, 2};", {"expected-expression '{'"}},
           {"int[2] a = {1, };", {"expected-expression '}'"}},
           {"x = (3 + ) * (4 + );", {"expected-expression ')'", "expected-expression ')'"}}},
          inWork);
}

TEST(SyntaxErrors, AssignmentsToOtherThanVariables) {
    check({{"a + 1 = 2;", {"not-assignable 'a + 1'"}},
           {"(x) = 3;", {"not-assignable '(x)'"}},
           {"3 = x;", {"not-assignable '3'"}},
           {"pi = 4;", {"not-assignable 'pi'"}},
           {"f(x) = 3;", {"not-assignable 'f(x)'"}},
           {"f(x)[1] += 3;", {"not-assignable 'f(x)[1]'"}},
           {"pop() = 3;", {"not-assignable 'pop()'"}},
           {"x++ = 3;", {"not-assignable 'x++'"}},
           {"++f(x);", {"not-assignable 'f(x)'"}},
           {"x = ++pop();", {"not-assignable 'pop()'"}},
           {"x = (x)++;", {"not-assignable '(x)'"}},
           {"++3;", {"expected-token '3'"}},
           {"a = b = 3;", {"expected-token after 'a = b'"}}},
          inWork);
}

TEST(SyntaxErrors, ExpressionsAsStatements) {
    check({{"x + 1;", {"expression-as-statement 'x + 1'"}},
           {"f(x) + g(2);", {"expression-as-statement 'f(x) + g(2)'"}},
           {"x;", {"expression-as-statement 'x'"}},
           {"x.y[1];", {"expression-as-statement 'x.y[1]'"}},
           {"\"abc\";", {"expression-as-statement '\"abc\"'"}},
           {"(f(x));", {"expression-as-statement '(f(x))'"}}},
          inWork);
}

TEST(SyntaxErrors, Latencies) {
    check({{"x = p.h(1)[1:2];", {"unexpected-token ':'"}},
           {"x = a[*];", {"unexpected-token '*'"}},
           {"p.h(1)[2];", {"expected-token ']'"}},
           {"p.h(1)[];", {"expected-token ']'"}},
           {"p.h(1).x;", {"unexpected-token '.'"}},
           {"x = a[0].f(1);", {"unexpected-token '('"}}},
          inWork);
}

TEST(SyntaxErrors, OtherStatements) {
    check({{"else y = 2;", {"unexpected-token 'else'"}},
           {"if (x) else y = 2;", {"unexpected-token 'else'"}},
           {"switch (x) { case 1: y = 2; }", {"unexpected-token 'switch'"}},
           {"x->y = 3;", {"expected-token after 'x'"}},
           {"for (; ; int j = 2) { }", {"unexpected-token 'int j = 2'"}},
           {"work pop 1 { }", {"filter-part-in-composite 'work'"}},
           {"handler h() { }", {"filter-part-in-composite 'handler'"}}},
          inWork);
    check({{"split;", {"expected-token ';'"}},
           {"split foo;", {"expected-token 'foo'"}},
           {"split roundrobin(1,);", {"expected-expression ')'"}},
           {"work pop 1 { push(1); }", {"filter-part-in-composite 'work'"}},
           {"init { }", {"filter-part-in-composite 'init'"}},
           {"prework { }", {"filter-part-in-composite 'prework'"}},
           {"add Foo[3];", {"expected-token ';'"}},
           {"add Foo(1, n = 2, 3);", {"positional-after-named '3'"}},
           {"add Foo(1 = 2);", {"expected-token '1'"}},
           {"add Foo to;", {"expected-token ';'"}},
           {"add int->int { }", {"expected-token '{'"}},
           {"add int->int stateful pipeline { add A; }", {"stateful-composite 'stateful'"}},
           {"int f(int x) { return x; }", {"expected-token after 'int f'"}}},
          inPipeline);
}

TEST(SyntaxErrors, Members) {
    check(
        {{"work pop 1 pop 2 { }", {"duplicate-rate 'pop 2'"}},
         {"int f() push 1 push 2 { }", {"duplicate-rate 'push 2'"}},
         {"work pop push 1 { }", {"missing-rate 'push'"}},
         {"work peek { }", {"missing-rate '{'"}},
         {"work pop [1] { }", {"expected-token ']'"}},
         {"work pop 1;", {"expected-token ';'"}},
         {"handler () { }", {"missing-name '('"}},
         {"int handler h() { }", {"handler-result-type 'int'"}},
         {"int (int a) { }", {"missing-name '('"}},
         {"void f(int) { }", {"missing-name ')'"}},
         {"void f(int a = 3) { }", {"unexpected-token '='"}},
         {"f(int a) { }", {"expected-token 'f'"}},
         {"int = 3;", {"missing-name '='"}},
         {"int a, ;", {"missing-name ';'"}},
         {"a = 3;", {"statement-outside-function 'a ='"}},
         {"a.b = 3;", {"statement-outside-function 'a.'"}},
         {"f(3);", {"statement-outside-function 'f('"}},
         {"if (x) y = 2;", {"statement-outside-function 'if'"}},
         {"push(3);", {"statement-outside-function 'push'"}},
         {"add Foo;", {"statement-outside-function 'add'"}},
         {"int a", {"expected-token after 'int a'"}}},
        [](std::string_view text) { return "void->int filter A {\n" + std::string(text) + "\n}"; });
}

TEST(SyntaxErrors, Declarations) {
    check({{"int->int filter { work { } }", {"missing-name '{'"}},
           {"int->int filter F;", {"missing-filter-body after 'filter F'"}},
           {"int->int pipeline P(int n);", {"missing-filter-body after 'P(int n)'"}},
           {"int->int filter F\nint n; work pop 1 push 1 { push(pop()); } }",
            {"expected-token after 'filter F'"}},
           {"int->int filter F(int n)\nwork pop 1 push 1 { push(pop()); } }",
            {"expected-token after 'F(int n)'"}},
           {"int->int pipeline P\nfor (int i = 0; i < 3; i++) { add A; } add B; }",
            {"expected-token after 'peline P'"}},
           {"int->int filter F\nint n;", {"missing-filter-body after 'filter F'"}},
           {"int->int stateful pipeline P { add A; }", {"stateful-composite 'stateful'"}},
           {"int->int foo F { }", {"expected-token 'foo'"}},
           {"int-> filter F { }", {"expected-token 'filter'"}},
           {"->int filter F { }", {"unexpected-token '->'"}},
           {"filter F { work { } }", {"unexpected-token 'filter'"}},
           {"int f(int x) { return x; }", {"expected-token 'f'"}},
           {"foo bar;", {"unexpected-token 'foo'"}},
           {"int->int filter F(int n = ) { work { } }", {"expected-expression ')'"}},
           {"struct { int x; }", {"missing-name '{'"}},
           {"struct S { int a, b; }", {"struct-field-list 'int a, b'"}},
           {"struct S { int a = 1; }", {"struct-field-initializer '1'"}},
           {"struct S { int a int b; }", {"expected-token after ' { int a'"}},
           {"struct S { a; int b; }", {"missing-name ';'"}},
           {"struct S { int ; + ; int b; }", {"missing-name ';'", "expected-token '+'"}},
           {"native N { int f(int a) { } }", {"expected-token after 'f(int a)'"}},
           {"helper H { f() { } int g() { } }", {"missing-name '('"}},
           {"helper H { int x; int g() { } }", {"expected-token ';'"}},
           {"static int x;", {"expected-token 'int'"}},
           {"} struct S { int a; }", {"unexpected-token '}'"}},
           {"template T;", {"unexpected-token 'template'"}},
           {"#include <stdio.h>", {"illegal-character '#'"}}},
          beforeFilter);
}

/// A declaration inside of another one: the brace before is missing, and all after it is read.
TEST(SyntaxErrors, MistypedKeywordsAreGuessed) {
    const std::pair<const char*, const char*> programs[] = {
        {"void->void pipline P { add A; }", "pipeline"},
        {"int->int splitjoin P { split duplicat; add A; join roundrobin; }", "duplicate"},
        {"int->int splitjoin P { split duplicate; add A; jion roundrobin; }", "join"},
        {"int->int filter P { work pop 1 push 1 { whlie (true) {} } }", "while"},
        {"int->int filter P { work pop 1 push 1 { retrun; } }", "return"},
        {"int->int filter P { wrok pop 1 push 1 { push(pop()); } }", "work"},
        {"int->int filter P { work pop 1 psuh 1 { push(pop()); } }", "push"},
        {"int->int filter P { work push 1 { fro (int i = 0; i < 3; i++) push(1); } }", "for"}};
    for (auto [text, keyword] : programs)
        EXPECT_THAT(unit(text).rendered(),
                    HasSubstr("note: did you mean '" + std::string(keyword) + "'?"))
            << text;
    for (const char* text : {"int->int filter P { work pop 1 push 1 { counter 5; } }",
                             "int->int filter P { int works = 5 int b; }",
                             "int->int filter P { work pop 1 push 1 { x = po\npush(x); } }"})
        EXPECT_THAT(unit(text).rendered(), testing::Not(HasSubstr("did you mean"))) << text;
}

TEST(SyntaxErrors, MissingBracesInTheMiddle) {
    check({{"int->int filter F { work pop 1 { pop(); }\n", {"expected-token after 'pop(); }'"}},
           {"int->int filter F { work pop 1 { if (x) { pop();\n",
            {"expected-token after '{ pop();'"}},
           {"void->void pipeline P { add A; add B;\n", {"expected-token after '; add B;'"}},
           {"struct S { int a;\n", {"expected-token after '{ int a;'"}}},
          beforeFilter);
}

TEST(SyntaxErrors, TheEndOfTheFile) {
    const auto say = [](const char* text) { return unit(text).rendered(); };
    EXPECT_THAT(say("int->int filter F { work { } "), HasSubstr("ends inside of filter 'F'"));
    EXPECT_THAT(say("int->int pipeline P { add A;"), HasSubstr("ends inside of pipeline 'P'"));
    EXPECT_THAT(say("int->int filter F { work { if (x) {"), HasSubstr("inside of a block"));
    EXPECT_THAT(say("int->int filter F { work pop 1 { x = 1"), HasSubstr("inside of 'work'"));
    EXPECT_THAT(say("int->int filter F { int f() { "), HasSubstr("inside of function 'f'"));
    EXPECT_THAT(say("int->int filter F { handler h() { "), HasSubstr("inside of handler 'h'"));
    EXPECT_THAT(say("helper H { int f() { "), HasSubstr("inside of function 'f'"));
    EXPECT_THAT(say("static { int a;"), HasSubstr("inside of a static block"));
    EXPECT_THAT(say("struct S { int a;"), HasSubstr("inside of a struct"));
    EXPECT_THAT(say("native N { int a();"), HasSubstr("inside of a package"));
    EXPECT_THAT(say("void->void pipeline P { add splitjoin {"), HasSubstr("inside of a splitjoin"));
    EXPECT_THAT(say("int->int filter"), HasSubstr("inside of the head of a stream"));
    EXPECT_THAT(say("int->int filter F { int[2] a = {1,"), HasSubstr("inside of an array literal"));
    // One message, at the end of what is there, with the brace that is open.
    const Parsed parsed = unit("int->int filter F {\n work { } // last\n\n");
    EXPECT_THAT(parsed.faults(), ElementsAre("unexpected-end-of-file after 'work { }'"));
    ASSERT_EQ(parsed.context->diags.all()[0].notes.size(), 1u);
    EXPECT_EQ(parsed.slice(parsed.context->diags.all()[0].notes[0].range), "{");
}

TEST(SyntaxErrors, AllFaultsOfAFileInTheOrderOfTheText) {
    const Parsed parsed = unit(R"(
        int->int filter A { int[] t; work pop 1 push 1 { x = ; y = 3 @ 4; z = .5; push(2) } }
        struct S { int a, b; }
        int->int filter B { int loop; work pop { f(a b); } }
        void->void pipeline C { add D add E; work { } }
    )");
    EXPECT_THAT(
        parsed.faults(),
        ElementsAre("missing-array-bound '[]'", "expected-expression ';'", "illegal-character '@'",
                    "malformed-number '.5'", "expected-token after ' push(2)'",
                    "struct-field-list 'int a, b'", "keyword-as-name 'loop'", "missing-rate '{'",
                    "expected-token 'b'", "creator-without-semicolon after ' { add D'",
                    "filter-part-in-composite 'work'"));
    EXPECT_EQ(parsed.unit->decls.size(), 4u);
}

TEST(SyntaxErrors, TheRestOfTheTreeIsThere) {
    const Parsed parsed = unit(inWork("x = 1; y = +; z = 2; w[ = 3; v = 4;"));
    const auto& filter = ast::as<ast::StreamDecl>(*parsed.unit->decls[0]);
    const auto& work = ast::as<ast::WorkDecl>(*filter.members[1]);
    EXPECT_EQ(structure(work.body), "{ x = 1; ERROR; z = 2; ERROR; v = 4; push 7; }");
}

// ---------------------------------------------------------------- mends

/// The text with all fixes of its messages applied.
std::string mended(const Parsed& parsed) {
    std::string text(parsed.context->sources.text(parsed.buffer));
    std::vector<base::Fix> fixes;
    for (const auto& fault : parsed.context->diags.all()) {
        fixes.insert(fixes.end(), fault.fixes.begin(), fault.fixes.end());
    }
    for (std::size_t i = fixes.size(); i-- > 0;) {
        text.replace(fixes[i].range.begin, fixes[i].range.end - fixes[i].range.begin,
                     fixes[i].replacement);
    }
    return text;
}

TEST(SyntaxErrors, FixesMend) {
    for (const std::string& text :
         {inWork("x = x + 1 push(x); f() int i\n i++\n do x++ while (x)"), inFilter("int a\nint b"),
          inPipeline("add A\nadd B() add C to p\n add D(1, n = 2)"),
          std::string("int->int stateful pipeline P { add int->int stateful splitjoin { } }"),
          std::string("struct S { int a int b; }")}) {
        const Parsed broken = unit(text);
        EXPECT_FALSE(broken.faults().empty());
        const Parsed whole = unit(mended(broken));
        EXPECT_THAT(whole.faults(), testing::IsEmpty()) << mended(broken) << whole.rendered();
    }
}

TEST(SyntaxErrors, NoFixIsOfferedWhereItIsNotCertain) {
    for (const char* text : {"x = a 1;", "a = b = 3;", "x->y = 3;"}) {
        const Parsed parsed = unit(inWork(text));
        ASSERT_EQ(parsed.context->diags.all().size(), 1u) << text;
        EXPECT_TRUE(parsed.context->diags.all()[0].fixes.empty()) << text;
    }
}

}  // namespace
}  // namespace strc::parser::test
