#include <gmock/gmock.h>

#include "support.h"

namespace strc::parser::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string readStatement(std::string_view text) {
    const Parsed parsed = statement(text);
    for (const auto& fault : parsed.faults()) return fault;
    return structure(parsed.stmt);
}

TEST(Statements, DeclarationsOrNot) {
    EXPECT_EQ(readStatement("int i, j = 3;"), "int i j=3");
    EXPECT_EQ(readStatement("Foo x;"), "Foo x");
    EXPECT_EQ(readStatement("Foo[3] b;"), "[3 of Foo] b");
    EXPECT_EQ(readStatement("Foo[3] = b;"), "Foo[3] = b");
    EXPECT_EQ(readStatement("float[2][8] t;"), "[2 of [8 of float]] t");
    EXPECT_EQ(readStatement("Foo[n+1][m] a, b = c;"), "[(n + 1) of [m of Foo]] a b=c");
    EXPECT_EQ(readStatement("int[3] t = {1, 2, 3};"), "[3 of int] t={1, 2, 3}");
    EXPECT_EQ(readStatement("int[2][2] t = {{1, 2}, {}};"), "[2 of [2 of int]] t={{1, 2}, {}}");
    EXPECT_EQ(readStatement("portal<Gain> p, q;"), "portal<Gain> p q");
    EXPECT_EQ(readStatement("String s = \"a\";"), "String s=\"a\"");
    EXPECT_EQ(readStatement("void v;"), "void v");
    EXPECT_EQ(readStatement("float3 v = float3(1, 2, 3);"), "float3 v=float3(1, 2, 3)");
    EXPECT_EQ(readStatement("int iter = 0;"), "int iter=0");
    EXPECT_EQ(readStatement("tensor x;"), "tensor x");
    for (const char* type : {"boolean", "bit", "double", "complex", "float2", "float4"}) {
        EXPECT_EQ(readStatement(std::string(type) + " x;"), std::string(type) + " x");
    }
}

TEST(Statements, Assignments) {
    for (const char* op : {"=", "+=", "-=", "*=", "/=", "<<=", ">>=", "%=", "&=", "|=", "^="}) {
        const std::string o = std::string(" ") + op + " ";
        EXPECT_EQ(readStatement("a.b[i]" + o + "c + 1;"), "a.b[i]" + o + "(c + 1)");
    }
    EXPECT_EQ(readStatement("x = (x++) % 100;"), "x = (<(x++)> % 100)");
}

TEST(Statements, ExpressionsThatStandAlone) {
    EXPECT_EQ(readStatement("i++;"), "(i++)");
    EXPECT_EQ(readStatement("++i;"), "(++i)");
    EXPECT_EQ(readStatement("--a.b[2];"), "(--a.b[2])");
    EXPECT_EQ(readStatement("pop();"), "pop()");
    EXPECT_EQ(readStatement("peek(3);"), "peek(3)");
    EXPECT_EQ(readStatement("iter();"), "iter()");
    EXPECT_EQ(readStatement("println(\"a\" + x);"), "println((\"a\" + x))");
}

TEST(Statements, Messages) {
    EXPECT_EQ(readStatement("p.h();"), "p.h()");
    EXPECT_EQ(readStatement("p.h(1, x);"), "p.h(1, x)");
    EXPECT_EQ(readStatement("p.h(1) [0:0];"), "p.h(1) [0:0]");
    EXPECT_EQ(readStatement("p.h() [:b];"), "p.h() [:b]");
    EXPECT_EQ(readStatement("p.h() [a:];"), "p.h() [a:]");
    EXPECT_EQ(readStatement("p.h() [:];"), "p.h() [:]");
    EXPECT_EQ(readStatement("p.h() [*];"), "p.h() [*]");
    EXPECT_EQ(readStatement("p.h() [-4 : n * 2];"), "p.h() [(-4):(n * 2)]");
    EXPECT_EQ(readStatement("p.h() [a ? b : c : d];"), "p.h() [(a ? b : c):d]");
}

TEST(Statements, Control) {
    EXPECT_EQ(readStatement("while (a) b();"), "while a b()");
    EXPECT_EQ(readStatement("do x++; while (x < 3);"), "do (x++) while (x < 3)");
    EXPECT_EQ(readStatement("do { } while (b);"), "do { } while b");
    EXPECT_EQ(readStatement("for (int i = 0, j; i < 3; i++) f(i);"),
              "for (int i=0 j; (i < 3); (i++)) f(i)");
    EXPECT_EQ(readStatement("for (Foo x = y; ; ) ;"), "for (Foo x=y; -; -) empty");
    EXPECT_EQ(readStatement("for (i = 1; a; i = i++) { }"), "for (i = 1; a; i = (i++)) { }");
    EXPECT_EQ(readStatement("for (;;) break;"), "for (-; -; -) break");
    EXPECT_EQ(readStatement("for (pop(); ; G.f(1)) continue;"), "for (pop(); -; G.f(1)) continue");
    EXPECT_EQ(readStatement("return;"), "return");
    EXPECT_EQ(readStatement("return x + 1;"), "return (x + 1)");
    EXPECT_EQ(readStatement("push(-1 - -1);"), "push ((-1) - (-1))");
    EXPECT_EQ(readStatement(";"), "empty");
    EXPECT_EQ(readStatement("{ ; a(); ;; { } ; }"), "{ a(); { }; }");
}

TEST(Statements, ElseBelongsToTheNearestIf) {
    EXPECT_EQ(readStatement("if (a) b();"), "if a then b()");
    EXPECT_EQ(readStatement("if (a) b(); else c();"), "if a then b() else (c())");
    EXPECT_EQ(readStatement("if (a) if (b) c(); else d();"), "if a then if b then c() else (d())");
    EXPECT_EQ(readStatement("if (a) { if (b) c(); } else d();"),
              "if a then { if b then c(); } else (d())");
    EXPECT_EQ(readStatement("if (a) b(); else if (c) d(); else e();"),
              "if a then b() else (if c then d() else (e()))");
    EXPECT_EQ(readStatement("if (a) if (b) c(); else if (d) e(); else f(); else g();"),
              "if a then if b then c() else (if d then e() else (f())) else (g())");
    EXPECT_EQ(readStatement("if (a) while (b) if (c) d(); else e();"),
              "if a then while b if c then d() else (e())");
    EXPECT_EQ(readStatement("if (a) while (b) if (c) d(); else e(); else f();"),
              "if a then while b if c then d() else (e()) else (f())");
    EXPECT_EQ(readStatement("if (1 == 0) {} else {}"), "if (1 == 0) then { } else ({ })");
    EXPECT_EQ(readStatement("if (a) ; else ;"), "if a then empty else (empty)");
    EXPECT_EQ(readStatement("if (a) b(); else for (;;) if (c) d(); else e();"),
              "if a then b() else (for (-; -; -) if c then d() else (e()))");
}

TEST(Statements, Creators) {
    EXPECT_EQ(readStatement("add Foo;"), "add Foo()");
    EXPECT_EQ(readStatement("body Foo();"), "body Foo()");
    EXPECT_EQ(readStatement("loop Identity<int>;"), "loop Identity<int>()");
    EXPECT_EQ(readStatement("add Identity<float[2]>();"), "add Identity<[2 of float]>()");
    EXPECT_EQ(readStatement("add Identity<tensor<int>>();"), "add Identity<tensor<int>>()");
    EXPECT_EQ(readStatement("add Identity< tensor /* of */ <half>>;"),
              "add Identity<tensor<half>>()");
    EXPECT_EQ(readStatement("add Identity<portal<P>>;"), "add Identity<portal<P>>()");
    EXPECT_EQ(readStatement("add FileReader<int>(\"a\" + k);"), "add FileReader<int>((\"a\" + k))");
    EXPECT_EQ(readStatement("add Foo(1, 2.5) to p, q;"), "add Foo(1, 2.5f) to p to q");
    EXPECT_EQ(readStatement("add Foo to p;"), "add Foo() to p");
    EXPECT_EQ(readStatement("add LowPass(44100, cutoff = 2000, taps = {1, {0}, {}});"),
              "add LowPass(44100, cutoff = 2000, taps = {1, {0}, {}})");
    EXPECT_EQ(readStatement("add Sum({1, 0, 0}, \"name\");"), "add Sum({1, 0, 0}, \"name\")");
}

TEST(Statements, KeywordsBeforeAParenthesisNameStreams) {
    for (const char* word : {"add", "split", "filter", "pipeline", "stateful", "int", "float3",
                             "portal", "void", "pi", "if", "work", "body", "static", "template"}) {
        EXPECT_EQ(readStatement(std::string("add ") + word + "(1);"),
                  std::string("add ") + word + "(1)");
    }
    EXPECT_THAT(statement("add split;").faults(), ElementsAre("keyword-as-name 'split'"));
    EXPECT_THAT(statement("add filter;").faults(), ElementsAre("keyword-as-name 'filter'"));
}

TEST(Statements, AnonymousStreams) {
    EXPECT_EQ(readStatement("add int->int filter { work { } } to p;"), "add anonymous() to p");
    for (const char* text :
         {"add int->int filter { work pop 1 push 1 { } }", "body Foo[3]->int filter { work { } }",
          "loop pipeline { add A; }", "add splitjoin { split duplicate; add B; join roundrobin; }",
          "add feedbackloop { }", "add void->int[2] feedbackloop { }", "add filter { work { } }",
          "add stateful filter { work { } }"}) {
        EXPECT_THAT(statement(text).faults(), IsEmpty()) << text;
        EXPECT_THAT(statement(text + std::string(";")).faults(), IsEmpty()) << text;
    }
}

/// The `;` after an anonymous stream is optional, also before `else` and `}`.
TEST(Statements, SemicolonsAfterAnonymousStreams) {
    EXPECT_EQ(readStatement("if (a) add pipeline { } else add pipeline { }"),
              "if a then add anonymous() else (add anonymous())");
    EXPECT_EQ(readStatement("if (a) add pipeline { }; else add pipeline { };"),
              "if a then add anonymous() else (add anonymous())");
    EXPECT_EQ(readStatement("{ add pipeline { } add pipeline { }; ; add A; }"),
              "{ add anonymous(); add anonymous(); add A(); }");
    EXPECT_EQ(readStatement("do add pipeline { }; while (a);"), "do add anonymous() while a");
    EXPECT_THAT(statement("if (a) add pipeline { };; else b();").faults(),
                ElementsAre("unexpected-token 'else'"));
    EXPECT_THAT(statement("if (a) add pipeline { } to p;; else b();").faults(),
                ElementsAre("unexpected-token 'else'"));
}

TEST(Statements, SplittersAndJoiners) {
    EXPECT_EQ(readStatement("split duplicate;"), "split duplicate");
    EXPECT_EQ(readStatement("split duplicate();"), "split duplicate");
    EXPECT_EQ(readStatement("join roundrobin;"), "join roundrobin");
    EXPECT_EQ(readStatement("join roundrobin();"), "join roundrobin");
    EXPECT_EQ(readStatement("split roundrobin(1, n * 2);"), "split roundrobin(1, (n * 2))");
    EXPECT_EQ(readStatement("join duplicate;"), "join duplicate");
    EXPECT_EQ(readStatement("enqueue 1 + 2;"), "enqueue (1 + 2)");
    EXPECT_EQ(readStatement("enqueue(5);"), "enqueue <5>");
}

TEST(Statements, ElseAfterTooManySemicolons) {
    EXPECT_THAT(statement("if (a) b();; else c();").faults(),
                ElementsAre("unexpected-token 'else'"));
    EXPECT_THAT(statement("if (a) ;; else c();").faults(), ElementsAre("unexpected-token 'else'"));
    EXPECT_THAT(statement("if (a) { }; else c();").faults(),
                ElementsAre("unexpected-token 'else'"));
    EXPECT_THAT(statement("if (a) while (b) c();; else d();").faults(),
                ElementsAre("unexpected-token 'else'"));
    EXPECT_THAT(statement("if (a) if (b) c(); else d();; else e();").faults(),
                ElementsAre("unexpected-token 'else'"));
    EXPECT_THAT(statement("if (a) if (b) c(); else if (d) e();; else f();").faults(),
                ElementsAre("unexpected-token 'else'"));
}

}  // namespace
}  // namespace strc::parser::test
