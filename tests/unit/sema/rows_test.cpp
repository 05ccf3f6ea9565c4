// Every diagnostic of checking, from several sides: what must be reported, and next to it what must
// not be.

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "fixture.h"

namespace strc::sema::test {
namespace {

/// Top-level declarations beside a source S and a printer K.
std::string top(const std::string& text) {
    return text + R"(
void->void pipeline Main { add S; add K; }
int->void filter K { work pop 1 { println(pop()); } }
void->int filter S { work push 1 { push(1); } }
)";
}
/// Members of a source that pushes.
std::string members(const std::string& text) {
    return R"(
void->void pipeline Main { add S; add K; }
int->void filter K { work pop 1 { println(pop()); } }
void->int filter S { )" +
           text + "\n work push 1 { push(1); } }";
}
/// Statements of a work that pushes after them.
std::string work(const std::string& text, const std::string& declarations = "") {
    return declarations + R"(
void->void pipeline Main { add S; add K; }
int->void filter K { work pop 1 { println(pop()); } }
void->int filter S { work push 1 { )" +
           text + "\n push(1); } }";
}
/// Statements of a composite that adds a source and a printer after them.
std::string composite(const std::string& text, const std::string& declarations = "") {
    return declarations + R"(
int->void filter K { work pop 1 { println(pop()); } }
void->int filter S { work push 1 { push(1); } }
void->void pipeline Main { )" +
           text + "\n add S; add K; }";
}

struct Row {
    const char* name;
    std::string bad;
    std::string good;
};

const std::string kRx =
    "int->int filter Rx { int g; work pop 1 push 1 { push(pop()); } handler set(int v) { g = v; } "
    "int f() { return 1; } }\n";

// clang-format off
const std::vector<Row>& rows() {
    static const std::vector<Row> table = {
        // ---- declarations
        {"duplicate-stream", top("void->int filter S { work push 1 { push(2); } }"), top("void->int filter S2 { work push 1 { push(2); } }")},
        {"duplicate-stream", top("struct T { int x; } void->int filter T { work push 1 { push(2); } }"), top("struct T { int x; }")},
        {"duplicate-struct", top("struct P { int x; } struct P { int y; }"), top("struct P { int x; } struct Q { int y; }")},
        {"builtin-stream-redefined", top("struct FileReader { int x; }"), top("struct FileReader2 { int x; }")},
        {"duplicate-global", top("static { int n; float n; }"), top("static { int n; } static { float m; }")},
        {"duplicate-member", members("int a; int a() { return 1; }"), members("int a; int b() { return 1; }")},
        {"duplicate-member", members("int f() { return 1; } handler f() { }"), members("int f() { return 1; } handler h() { }")},
        {"duplicate-member", top("int->int filter F(int n) { int n; work pop 1 push 1 { push(pop()); } }"), top("int->int filter F(int n) { int m; work pop 1 push 1 { push(pop()); } }")},
        {"duplicate-parameter", members("int f(int a, int a) { return 1; }"), members("int f(int a, int b) { return 1; }")},
        {"duplicate-parameter", top("int->int filter F(int n, float n) { work pop 1 push 1 { push(pop()); } }"), top("int->int filter F(int n, float m) { work pop 1 push 1 { push(pop()); } }")},
        {"duplicate-struct-field", top("struct P { int x; float x; }"), top("struct P { int x; float y; }")},
        {"member-named-like-stream", members("int K;"), members("int k;")},
        {"member-named-like-stream", members("int Identity() { return 1; }"), members("int identity() { return 1; }")},
        {"member-named-like-stream", top("struct P { int x; } int->int filter F(int P) { work pop 1 push 1 { push(pop()); } }"), top("struct P { int x; } int->int filter F(int p) { work pop 1 push 1 { push(pop()); } }")},
        {"duplicate-filter-part", members("init { } init { }"), members("init { }")},
        {"duplicate-filter-part", members("prework push 1 { push(1); } prework push 1 { push(1); }"), members("prework push 1 { push(1); }")},
        {"missing-work", top("int->int filter F { int x; }"), top("int->int filter F { work pop 1 push 1 { push(pop()); } }")},
        {"duplicate-package", top("helper H { int f() { return 1; } } native H { int g(); }"), top("helper H { int f() { return 1; } } native N { int g(); }")},
        {"duplicate-package-function", top("helper H { int f() { return 1; } float f() { return 1; } }"), top("helper H { int f() { return 1; } float g() { return 1; } }")},
        {"recursive-struct", top("struct A { B b; } struct B { A[3] a; }"), top("struct A { B b; } struct B { int[3] a; }")},
        {"required-after-default", top("int->int filter F(int a = 1, int b) { work pop 1 push 1 { push(pop()); } }"), top("int->int filter F(int a, int b = 1) { work pop 1 push 1 { push(pop()); } }")},
        {"open-length", members("int[_] a;"), members("int[2] a; int[a.length] b;")},
        {"open-length", members("int[_] a = {1}, b;"), members("int[_] a = {1}, b = {1, 2};")},
        {"open-length", work("int[_] a;"), work("int[2] a; a[1] = a.length;")},
        {"open-length", members("int f(int[_] a) { return a[0]; }"), members("int f(int[2] a) { return a.length; }")},
        {"open-length", members("int[_] f() { int[2] a; return a; }"), members("int[2] f() { int[2] a; return a; }")},
        {"open-length", composite("int[_] a;"), composite("int n = 2; int[n] a; int[a.length] b;")},
        {"open-length", top("struct P { int[_] a; }"), top("static { int _ = 2; } struct P { int[_] a; }")},
        {"open-length", top("static { int[_] a; }"), top("static { int _ = 2; int[_] a; }")},
        {"open-length", top("int[_]->int filter F(int[_] a) { work pop 1 push 1 { push(pop()[0] + a[0]); } }"), top("int[a.length]->int filter F(int[_] a) { work pop 1 push 1 { push(pop()[0] + a[0]); } }")},
        {"array-length", composite("add F({1, 2});", "int->int filter F(int[3] a) { work pop 1 push 1 { push(pop() + a[0]); } }"), composite("add F({1, 2});", "int->int filter F(int[_] a) { work pop 1 push 1 { push(pop() + a[0]); } }")},
        {"not-assignable", work("int[2] a; a.length = 3;"), work("int[2] a; a[0] = a.length;")},
        {"not-assignable", work("int[2] a; a.length++;"), work("int[2] a; a[a.length - 1]++;")},
        {"field-of-non-struct", work("int[2] a; push(a.size);"), work("int[2] a; a[0] = a.length;")},
        {"constant-index", work("int[2] a; a[a.length] = 1;"), work("int[2] a; a[a.length - 1] = 1;")},
        {"anonymous-void-stream", composite("add void->void filter { work { println(1); } };"), composite("")},
        // ---- names
        {"unknown-stream", composite("add Sx;"), composite("")},
        {"unknown-variable", work("x = 1;"), work("int x; x = 1;")},
        {"unknown-variable", work("if (true) { int x = 1; } x = 2;"), work("if (true) { int x = 1; x = 2; }")},
        {"unknown-variable", work("for (int i = 0; i < 2; i++) { } i = 2;"), work("for (int i = 0; i < 2; i++) { i = 2; }")},
        {"unknown-variable", work("if (true) int x = 1; x = 2;"), work("if (true) ; int x = 1; x = 2;")},
        {"use-before-declaration", work("x = 1; int x;"), work("int x; x = 1;")},
        {"use-before-declaration", members("int a = b; int b = 1;"), members("int b = 1; int a = b;")},
        {"use-before-declaration", members("int a = a + 1;"), members("int a = 0 + 1;")},
        {"use-before-declaration", top("static { int a = b; int b; }"), top("static { int b; int a = b; }")},
        {"use-before-declaration", top("int->int filter F(int a = b, int b = 1) { work pop 1 push 1 { push(pop()); } }"), top("int->int filter F(int b = 1, int a = b) { work pop 1 push 1 { push(pop()); } }")},
        {"not-a-variable", work("K = 1;"), work("int k; k = 1;")},
        {"not-a-variable", members("int f() { return 1; } int g() { return f; }"), members("int f() { return 1; } int g() { return f(); }")},
        {"unknown-function", work("push(frob(1));"), work("push((int)abs(1));")},
        {"unknown-function", composite("int x = f(); ", "helper H { int f() { return 1; } }"), composite("int x = H.f();", "helper H { int f() { return 1; } }")},
        {"unknown-function", top("int->int filter F(int a = f()) { int f() { return 1; } work pop 1 push 1 { push(pop() + f()); } }"), top("int->int filter F(int a = (int)abs(1)) { work pop 1 push 1 { push(pop()); } }")},
        {"unknown-package", work("int x = H.f();"), work("int x = H.f();", "helper H { int f() { return 1; } }")},
        {"unknown-package", work("H.f();"), work("H.f();", "helper H { void f() { } }")},
        {"unknown-package-function", work("int x = H.g();", "helper H { int f() { return 1; } }"), work("int x = H.f();", "helper H { int f() { return 1; } }")},
        {"unknown-package-function", work("float2 v; v = StreamItVectorLib.add5(v, v);"), work("float2 v; v = StreamItVectorLib.add2(v, v);")},
        {"unknown-package-function", work("float2 v; float d = StreamItVectorLib.dot2(v, v);"), work("float3 v; float d = StreamItVectorLib.dot3(v, v);")},
        {"unknown-type", work("Pnt p;"), work("Pnt p;", "struct Pnt { int x; }")},
        {"unknown-type", top("Pnt->int filter F { work pop 1 push 1 { pop(); push(1); } }"), top("struct Pnt { int x; } Pnt->int filter F { work pop 1 push 1 { pop(); push(1); } }")},
        {"unknown-field", work("complex z; z.re = 1;"), work("complex z; z.real = 1; z.imag = 2;")},
        {"unknown-field", work("P p; p.y = 1;", "struct P { int x; }"), work("P p; p.x = 1;", "struct P { int x; }")},
        {"field-of-non-struct", work("int n; n.x = 1;"), work("P n; n.x = 1;", "struct P { int x; }")},
        {"hides-parameter", top("int->int filter F(int n) { work pop 1 push 1 { int n = pop(); push(n); } }"), top("int->int filter F(int m) { work pop 1 push 1 { int n = pop(); push(n); } }")},
        {"hides-parameter", top("int->int filter F(int n) { int f(int n) { return n; } work pop 1 push 1 { push(f(pop())); } }"), top("int->int filter F(int n) { int f(int m) { return m; } work pop 1 push 1 { push(f(pop())); } }")},
        {"hides-parameter", top("int->int pipeline F(int n) { int n; add Identity<int>; }"), top("int->int pipeline F(int n) { add int->int filter { work pop 1 push 1 { int n = pop(); push(n); } } }")},
        {"duplicate-local", work("int a; { int a; } float a;"), work("int a; { float a; } { bit a; }")},
        {"duplicate-local", members("int f(int a) { int a; return a; }"), members("int f(int a) { { int a; } return a; }")},
        {"assign-to-parameter", top("int->int filter F(int n) { work pop 1 push 1 { n++; push(pop()); } }"), top("int->int filter F(int n) { work pop 1 push 1 { int m = n; m++; push(pop()); } }")},
        {"assign-to-parameter", top("int->int filter F(int[2] n) { void set(int[2] a) { a[0] = 1; } work pop 1 push 1 { set(n); push(pop()); } }"), top("int->int filter F(int[2] n) { int get(int[2] a) { return a[0]; } work pop 1 push 1 { push(pop() + get(n)); } }")},
        {"assign-to-parameter", top("int->int filter F(int[2] n) { void g(int[2] a) { f(a, 2); } void f(int[2] a, int d) { if (d > 0) { a[0] = 1; g(a); } } work pop 1 push 1 { g(n); push(pop()); } }"), top("int->int filter F(int[2] n) { void g(int[2] a) { f(a, 2); } void f(int[2] a, int d) { if (d > 0) g(a); } work pop 1 push 1 { g(n); push(pop()); } }")},
        {"assign-to-captured", composite("int i; add int->int filter { work pop 1 push 1 { i++; push(pop()); } };"), composite("int i; add int->int filter { int i; work pop 1 push 1 { i++; push(pop()); } };")},
        {"assign-to-captured", composite("int i; add pipeline { i = 2; add Identity<int>; }"), composite("int i; i = 2; add pipeline { int j = i; j = 2; add Identity<int>; }")},
        {"assign-to-global", work("N = 3;", "static { int N; }"), work("", "static { int N; init { N = 3; } }")},
        {"assign-to-global", work("N[0]++;", "static { int[2] N; }"), work("int[2] n = N; n[0]++;", "static { int[2] N; }")},
        {"assign-to-global", work("H.set(N);", "static { int[2] N; } helper H { void set(int[2] a) { a[0] = 1; } }"), work("int[2] n; H.set(n);", "static { int[2] N; init { H.set(N); } } helper H { void set(int[2] a) { a[0] = 1; } }")},
        {"unknown-parameter", composite("add T(b = 1);", "int->int filter T(int a) { work pop 1 push 1 { push(pop()); } }"), composite("add T(a = 1);", "int->int filter T(int a) { work pop 1 push 1 { push(pop()); } }")},
        {"argument-given-twice", composite("add T(1, a = 1);", "int->int filter T(int a) { work pop 1 push 1 { push(pop()); } }"), composite("add T(b = 2, a = 1);", "int->int filter T(int a, int b) { work pop 1 push 1 { push(pop()); } }")},
        // ---- types
        {"not-convertible", work("int i; i = 1.5;"), work("float i; i = 1;")},
        {"not-convertible", work("int i = 1.5;"), work("int i = (int)1.5;")},
        {"not-convertible", work("bit b; int i; b = i;"), work("bit b; int i; b = (bit)i; bit c = i;")},
        {"not-convertible", work("bit b; b = 2;"), work("bit b; b = 1; b = 0;")},
        {"not-convertible", work("bit b; b = b + 1;"), work("bit b; b = b | 1; b = b == 1 ? 0 : 1; b += 1;")},
        {"not-convertible", work("bit b; int i; b = i & 1;"), work("bit b; bit c = 1; b = c & 1; b = ~c; b = (b ^ 1) & (c | 0);")},
        {"not-convertible", work("bit b; b = ~0;"), work("bit b; b = ~b;")},
        {"not-convertible", work("int i = true;"), work("int i = true ? 1 : 0;")},
        {"not-convertible", work("boolean b; bit c; b = c;"), work("boolean b; bit c; b = c == 1;")},
        {"not-convertible", work("float f; f = 2i;"), work("complex f; f = 2i; f = 1.5; f = 1;")},
        {"not-convertible", work("float f; double d; f = d;"), work("float f; double d; d = f; d = 1; complex z = d;")},
        {"not-convertible", work("int n; n = \"three\";"), work("println(\"three\");")},
        {"not-convertible", work("P p; Q q; p = q;", "struct P { int x; } struct Q { int x; }"), work("P p; P q; p = q;", "struct P { int x; } struct Q { int x; }")},
        {"not-convertible", work("float[3] a; int[3] b; a = b;"), work("float[3] a; float[3] b; a = b;")},
        {"not-convertible", members("int f() { return 1.5; }"), members("int f() { return (int)1.5; } float g() { return 1; }")},
        {"not-convertible", members("int f(int a) { return a; } int g() { return f(1.0); }"), members("int f(float a) { return (int)a; } int g() { return f(1); }")},
        {"not-convertible", composite("add T(1.5);", "int->int filter T(int a) { work pop 1 push 1 { push(pop()); } }"), composite("add T(1);", "int->int filter T(float a) { work pop 1 push 1 { push(pop()); } }")},
        {"not-convertible", top("int->int feedbackloop L { join roundrobin(1, 1); body B; loop Identity<int>; split duplicate; enqueue 1.5; } int->int filter B { work pop 2 push 1 { push(pop() + pop()); } }"), top("float->float feedbackloop L { join roundrobin(1, 1); body B; loop Identity<float>; split duplicate; enqueue 1; } float->float filter B { work pop 2 push 1 { push(pop() + pop()); } }")},
        {"not-convertible", composite("add FileReader<int>(3);"), composite("add FileReader<int>(\"a\" + 3);")},
        {"not-convertible", work("float x = tan(2i);"), work("float x = abs(2i) + arg(2i); complex z = sin(2i); z = pow(2, z); z = csqrt(1);")},
        {"no-common-type", work("int n = true + 1;"), work("int n = 1 + 1;")},
        {"no-common-type", work("boolean b = 1 == true;"), work("boolean b = (1 == 2) == true;")},
        {"no-common-type", work("boolean b = (1 & true) == 1;"), work("boolean b = (1 & 2) == 1; b = b & true;")},
        {"arithmetic-operand", work("P p; p = p * 2;", "struct P { int x; }"), work("P p; p.x = p.x * 2;", "struct P { int x; }")},
        {"arithmetic-operand", work("boolean b = true + false;"), work("boolean b = true | false;")},
        {"arithmetic-operand", work("int[2] a; int s = 1 + a;"), work("int[2] a; int s = 1 + a[0];")},
        {"arithmetic-operand", work("boolean b; b++;"), work("float b; b++; --b; bit c; c++;")},
        {"arithmetic-operand", work("boolean b; b = -b;"), work("boolean b; b = !b;")},
        {"integer-operand", work("float f; f = f % 2;"), work("int f; f = f % 2;")},
        {"integer-operand", work("float f; int i = 1 << f;"), work("bit f; int i = 1 << f;")},
        {"integer-operand", work("float f; int i = ~f;"), work("int f; int i = ~f;")},
        {"integer-operand", work("float f; f %= 2;"), work("int f; f %= 2; f <<= 1; f |= 4;")},
        {"integer-operand", work("complex z; z = z & z;"), work("int z; z = z & z;")},
        {"order-operand", work("complex z; boolean b = z < 1;"), work("complex z; boolean b = z.real < 1;")},
        {"order-operand", work("boolean b = true < false;"), work("boolean b = true == false;")},
        {"equality-operand", work("int[2] a; int[2] b; if (a == b) push(1);"), work("int[2] a; int[2] b; if (a[0] == b[0]) ;")},
        {"equality-operand", work("boolean b = \"a\" == 1;"), work("boolean b = \"a\" == \"b\"; complex z; b = z == 1; b = z != 2i;")},
        {"condition-type", work("int n; if (n) ;"), work("bit n; if (n) ;")},
        {"condition-type", work("while (1) break;"), work("while (true) break;")},
        {"condition-type", work("int n = 2.5 ? 1 : 2;"), work("int n = 2.5 > 1 ? 1 : 2;")},
        {"condition-type", work("do ; while (\"a\");"), work("do ; while (false);")},
        {"logical-operand", work("int n; boolean b = n && true;"), work("bit n; boolean b = n && true || !n;")},
        {"logical-operand", work("float f; boolean b = !f;"), work("float f; boolean b = !(f > 1);")},
        {"conditional-branches", work("int[2] a; int b = true ? 1 : a;"), work("int[2] a; int b = true ? 1 : a[0]; int[2] c = true ? a : a;")},
        {"index-type", work("int[2] a; a[1.5] = 1;"), work("int[2] a; bit b; a[b] = 1;")},
        {"index-type", top("int->int filter F { work pop 1 push 1 { push(peek(0.5)); pop(); } }"), top("int->int filter F { work pop 1 push 1 { push(peek(0)); pop(); } }")},
        {"index-of-non-array", work("int n; n[0] = 1;"), work("int[2] n; n[0] = 1;")},
        {"index-of-non-array", work("int[2] n; n[0][1] = 1;"), work("int[2][2] n; n[0][1] = 1; n[0] = n[1];")},
        {"array-length", work("int[3] a = {1, 2};"), work("int[3] a = {1, 2, 3};")},
        {"array-length", work("int[3] a; int[2] b; a = b;"), work("int[3] a; int[3] b; a = b;")},
        {"array-length", work("int[2][3] a; int[2][4] b; a = b;"), work("int[2][3] a; int[2][3] b; a[0] = b[1];")},
        {"array-length", members("int f(int[3] a) { return a[0]; } int g() { int[2] b; return f(b); }"), members("int f(int[3] a) { return a[0]; } int g() { int[2][3] b; return f(b[1]); }")},
        {"array-length", composite("add T({1, 2});", "int->int filter T(int[3] a) { work pop 1 push 1 { push(pop()); } }"), composite("add T({1, 2, 3});", "int->int filter T(int[3] a = {1, 2, 3}) { work pop 1 push 1 { push(pop()); } }")},
        {"array-length", members("int[4] t = init_array_1D_int(\"f\", 3);"), members("int[4] t = init_array_1D_int(\"f\", 4);")},
        {"ragged-initializer", work("int[2][2] a = {{1, 2}, {3}};"), work("int[2][2] a = {{1, 2}, {3, 4}};")},
        {"ragged-initializer", work("int[2][2] a = {{1, 2}, 3};"), work("int[2] r; int[2][2] a = {r, r};")},
        {"ragged-initializer", work("int[2][2] a = {1, {2, 3}};"), work("int[2] r; int[3][2] a = {r, {1, 2}, r};")},
        {"ragged-initializer", work("int[2] a = {1, {2}};"), work("int[2] a = {1, (2)};")},
        {"ragged-initializer", work("int[2][2][m] a = {{{1}, {2}}, {{1, 2}, {3, 4}}};", "static { int m = 1; }"), work("int[2][2][2] a = {{{1, 3}, {2, 3}}, {{1, 2}, {3, 4}}};")},
        {"bound-not-int", work("int[2.5] a;"), work("int[(int)2.5] a;")},
        {"bound-negative", work("int[1 - 3] a;"), work("int[3 - 1] a;")},
        {"bound-not-constant", work("int n = 3; int[n] a;"), composite("int n = 3; int[n] a;")},
        {"bound-not-constant", members("int n; int[n] a;"), members("int n = 3; int[n] a;")},
        {"bound-not-constant", members("int f(int n, int[n] a) { return a[0]; }"), members("int n = 2; int f(int[n] a) { return a[0]; }")},
        {"bound-not-constant", members("int f() { return 2; } int[f()] a;"), members("int[H.f()] a;") + "helper H { int f() { return 2; } }"},
        {"bound-not-constant", top("int->int filter F { work pop 1 push 1 { int[pop()] a; push(1); } }"), top("int->int filter F { work peek (int)ceil(1.5) pop 1 push 1 { int[(int)ceil(1.5)] a; push(1); pop(); } }")},
        {"argument-count", composite("add T(1, 2);", "int->int filter T(int a) { work pop 1 push 1 { push(pop()); } }"), composite("add T(1); add T;", "int->int filter T(int a = 3) { work pop 1 push 1 { push(pop()); } }")},
        {"argument-count", work("float x = sin();"), work("float x = sin(1);")},
        {"argument-count", work("print();"), work("println(); print(1);")},
        {"argument-count", work("float x = random(3);"), work("float x = random();")},
        {"argument-count", work("float x = atan2(1);"), work("float x = atan2(1, 2);")},
        {"argument-count", composite("add ImageDisplay(3);"), composite("add ImageDisplay(3, 4);")},
        {"missing-argument", composite("add T(b = 1);", "int->int filter T(int a, int b) { work pop 1 push 1 { push(pop()); } }"), composite("add T(b = 1);", "int->int filter T(int a = 1, int b = 2) { work pop 1 push 1 { push(pop()); } }")},
        {"print-type", work("P p; println(p);", "struct P { int x; }"), work("P p; println(p.x); complex z; println(z); println('c'); println(true);", "struct P { int x; }")},
        {"print-type", work("int[2] a; println(\"a\" + a);"), work("int[2] a; println(\"a\" + a[0] + 2i + true);")},
        {"print-type", work("float3 v; println(v);"), work("float3 v; println(v.z);")},
        {"void-variable", work("void v;"), work("int v;")},
        {"void-variable", members("int f(void v) { return 1; }"), members("int f() { return 1; } void g() { }")},
        {"void-variable", composite("add Identity<void>;"), composite("add Identity<int>;")},
        {"void-value", members("void f() { } int g() { return f(); }"), members("void f() { } int g() { f(); return 1; }")},
        {"void-value", work("int x = println(1);"), work("println(1);")},
        {"return-value", work("return 1;"), work("return;")},
        {"return-value", members("void f() { return 1; }"), members("void f() { return; }")},
        {"return-value", top("int->int pipeline P { add Identity<int>; return 1; }"), top("int->int pipeline P { add Identity<int>; return; }")},
        {"return-without-value", members("int f() { return; }"), members("int f() { return 1; }")},
        {"missing-return", members("int f(int x) { if (x > 0) return 1; }"), members("int f(int x) { if (x > 0) return 1; else return 2; }")},
        {"missing-return", members("int f(int x) { while (true) { if (x > 0) break; } }"), members("int f(int x) { while (true) { if (x > 0) return 1; } }")},
        {"missing-return", members("int f(int x) { for (;x < 3;) return 1; }"), members("int f(int x) { for (;;) { while (x > 1) break; } }")},
        {"missing-return", members("int f(int x) { do { if (x > 1) continue; return 1; } while (x > 0); }"), members("int f(int x) { do { return 1; } while (x > 0); }")},
        {"missing-return", top("helper H { int f() { } }"), top("helper H { int f() { return 1; } }")},
        {"invalid-cast", work("int x = (int)\"3\";"), work("int x = (int)3.0; bit b = (bit)3; complex z = (complex)2; double d = (double)1;")},
        {"invalid-cast", work("int x = (int)true;"), work("boolean x = (boolean)true;")},
        {"invalid-cast", work("float f = (float)2i;"), work("complex f = (complex)2i;")},
        {"builtin-result", work("int m = max(1, 2);"), work("int m = (int)max(1, 2); float f = max(1, 2);")},
        {"builtin-result", work("int[3] a; a[0] = floor(1.5);"), work("int[3] a; a[0] = (int)floor(1.5);")},
        {"vector-component", work("float2 v; v.z = 1;"), work("float3 v; v.z = 1; float4 w; w.w = v.x;")},
        {"vector-operation", work("float2 v; v = 1 - v;"), work("float2 v; v = v - 1; v = 2 * v; v = -v; v *= 3; v = floor(v); v = normalize(v);")},
        {"vector-operation", work("float2 v; float3 w; v = v + w;"), work("float2 v; float2 w; v = v / w;")},
        {"vector-operation", work("float2 v; boolean b = v == v;"), work("float3 v; boolean b = StreamItVectorLib.equals3(v, v);")},
        {"constant-index", work("int[4] a; a[4] = 1;"), work("int[4] a; a[3] = 1;")},
        {"constant-index", top("int->int filter F(int n, int[n] a) { work pop 1 push 1 { push(pop() + a[-1]); } }"), top("int->int filter F(int n, int[n] a) { work pop 1 push 1 { push(pop() + a[7]); } }")},
        {"negative-peek", top("int->int filter F { work pop 1 push 1 { push(peek(-1)); pop(); } }"), top("int->int filter F { work pop 1 push 1 { push(peek(1 - 1)); pop(); } }")},
        {"string-type", members("String s;"), top("int->int filter F(String s) { work pop 1 push 1 { println(s + pop()); push(1); } }")},
        {"missing-type-argument", composite("add Identity;"), composite("add Identity<int>;")},
        {"unexpected-type-argument", composite("add T<int>;", "int->int filter T { work pop 1 push 1 { push(pop()); } }"), composite("add T;", "int->int filter T { work pop 1 push 1 { push(pop()); } }")},
        // ---- placement
        {"outside-loop", work("break;"), work("while (true) break;")},
        {"outside-loop", composite("if (true) continue;"), composite("for (int i = 0; i < 2; i++) { continue; }")},
        {"tape-outside-work", members("init { push(1); }"), members("prework push 1 { push(1); }")},
        {"tape-outside-work", composite("int x = pop();"), composite("int x = 1;")},
        {"tape-outside-work", top("int->int filter F { work pop 1 push 1 { push(pop()); } handler h() { int x = peek(0); } }"), top("int->int filter F { work pop 1 push 1 { push(pop()); } handler h() { int x = 0; } }")},
        {"tape-outside-work", members("int x = pop();"), members("int x = 1;")},
        {"statement-in-composite", composite("split duplicate;"), composite("")},
        {"statement-in-composite", top("int->int pipeline P { add Identity<int>; enqueue 1; }"), top("int->int pipeline P { add Identity<int>; }")},
        {"statement-in-composite", top("int->int splitjoin P { split duplicate; add Identity<int>; loop Identity<int>; join roundrobin; }"), top("int->int splitjoin P { split duplicate; add Identity<int>; add Identity<int>; join roundrobin; }")},
        {"composite-statement-in-filter", work("add Identity<int>;"), work("")},
        {"composite-statement-in-filter", members("init { split duplicate; }"), members("init { }")},
        {"missing-part", top("int->int splitjoin P { split duplicate; add Identity<int>; }"), top("int->int splitjoin P { split duplicate; add Identity<int>; if (1 > 0) join roundrobin; }")},
        {"missing-part", top("int->int feedbackloop P { join roundrobin; body Identity<int>; split duplicate; }"), top("int->int feedbackloop P { join roundrobin; body Identity<int>; split duplicate; loop Identity<int>; }")},
        {"repeated-part", top("int->int splitjoin P { split duplicate; split roundrobin; add Identity<int>; join roundrobin; }"), top("int->int splitjoin P(int n) { if (n > 1) split duplicate; else split roundrobin; add Identity<int>; join roundrobin; }")},
        {"repeated-part", top("int->int splitjoin P { split duplicate; add Identity<int>; join roundrobin; join roundrobin; }"), top("int->int splitjoin P(int n) { split duplicate; add Identity<int>; if (n > 1) { join roundrobin; return; } join roundrobin; }")},
        {"join-duplicate", top("int->int splitjoin P { split duplicate; add Identity<int>; join duplicate; }"), top("int->int splitjoin P { split duplicate(); add Identity<int>; join roundrobin(); }")},
        {"untyped-anonymous-filter", composite("add filter { work { } };"), composite("add int->int filter { work pop 1 push 1 { push(pop()); } };")},
        {"no-children", top("int->int pipeline P { }"), top("int->int pipeline P(int n) { if (n > 1) add Identity<int>; }")},
        {"message-placement", top(kRx + "int->int filter T(portal<Rx> p) { init { p.set(1); } work pop 1 push 1 { push(pop()); } }"), top(kRx + "int->int filter T(portal<Rx> p) { prework { p.set(1); } work pop 1 push 1 { push(pop()); } handler h() { p.set(2); } }")},
        {"message-placement", top(kRx + "int->int filter T(portal<Rx> p) { void f() { g(); } void g() { p.set(1); } init { f(); } work pop 1 push 1 { push(pop()); } }"), top(kRx + "int->int filter T(portal<Rx> p) { void f() { g(); } void g() { p.set(1); } work pop 1 push 1 { f(); push(pop()); } }")},
        {"message-placement", composite("portal<Rx> p; p.set(1);", kRx), composite("portal<Rx> p; add Rx to p;", kRx)},
        {"portal-placement", top(kRx + "int->int filter T { portal<Rx> p; work pop 1 push 1 { push(pop()); } }"), top(kRx + "int->int filter T(portal<Rx> p) { work pop 1 push 1 { push(pop()); } }")},
        {"portal-placement", top(kRx + "struct P { portal<Rx> p; }"), top(kRx + "struct P { int p; }")},
        {"portal-as-value", top(kRx + "int->int filter T(portal<Rx> p) { work pop 1 push 1 { push(pop() + p); } }"), top(kRx + "int->int pipeline T(portal<Rx> p) { add T(p); }")},
        {"portal-as-value", composite("portal<Rx> p; portal<Rx> q = p;", kRx), composite("portal<Rx> p; portal<Rx> q;", kRx)},
        {"portal-class", composite("portal<Nope> p;"), composite("portal<Rx> p;", kRx)},
        {"portal-class", composite("portal<Main> p;"), composite("portal<K> p;")},
        {"not-a-portal", composite("int p; add Rx to p;", kRx), composite("portal<Rx> p, q; add Rx to p, q;", kRx)},
        {"not-a-portal", work("int p; p.set(1);"), work("")},
        {"unknown-handler", top(kRx + "int->int filter T(portal<Rx> p) { work pop 1 push 1 { p.sett(1); push(pop()); } }"), top(kRx + "int->int filter T(portal<Rx> p) { work pop 1 push 1 { p.set(1) [0:2]; push(pop()); } }")},
        {"unknown-handler", top(kRx + "int->int filter T(portal<Rx> p) { work pop 1 push 1 { p.f(); push(pop()); } }"), top(kRx + "int->int filter T(portal<Rx> p) { work pop 1 push 1 { p.set(1) [*]; push(pop()); } }")},
        {"argument-count", top(kRx + "int->int filter T(portal<Rx> p) { work pop 1 push 1 { p.set(); push(pop()); } }"), top(kRx + "int->int filter T(portal<Rx> p) { work pop 1 push 1 { p.set(pop()); push(1); } }")},
        {"index-type", top(kRx + "int->int filter T(portal<Rx> p) { work pop 1 push 1 { p.set(1) [0:1.5]; push(pop()); } }"), top(kRx + "int->int filter T(portal<Rx> p, int k) { work pop 1 push 1 { p.set(1) [k:]; push(pop()); } }")},
        {"receiver-not-filter", composite("portal<Rx> p; add Sub to p;", kRx + "int->int pipeline Sub { add Identity<int>; }"), composite("portal<Rx> p; add Rx to p;", kRx)},
        {"receiver-class", composite("portal<Rx> p; add Other to p;", kRx + "int->int filter Other { work pop 1 push 1 { push(pop()); } }"), composite("portal<Rx> p; add int->int filter { work pop 1 push 1 { push(pop()); } handler set(int v) { } } to p;", kRx)},
        {"io-function-placement", members("void f() push 1 { push(1); } init { f(); }"), members("void f() push 1 { push(1); } prework push 1 { f(); }")},
        {"io-function-placement", members("void f() push 1 { push(1); } void g() { f(); }"), members("void f() push 1 { push(1); } void g() push 1 { f(); }")},
        {"tape-use-without-rates", members("void f() { push(1); }"), members("void f() push 1 { push(1); }")},
        {"iter-placement", members("init { int k = iter(); }"), members("int f() { return iter(); }")},
        {"array-file-placement", work("int[3] a; a = init_array_1D_int(\"f\", 3);"), work("int[3] a = init_array_1D_int(\"f\", 3);")},
        {"latency-on-call", work("H.f() [0:0];", "helper H { void f() { } }"), work("H.f();", "helper H { void f() { } }")},
        // ---- rates
        {"rate-on-void", top("void->int filter F { work pop 1 push 1 { push(1); } }"), top("void->int filter F { work pop 0 peek 0 push 1 { push(1); } }")},
        {"rate-on-void", top("int->void filter F { work pop 1 push * { pop(); } }"), top("int->void filter F(int n) { work pop 1 push n { pop(); } }")},
        {"zero-rate", top("int->int filter F { work pop 1 { pop(); } }"), top("int->int filter F { prework pop 1 { pop(); } work pop 1 push 1 { push(pop()); } }")},
        {"zero-rate", top("int->int filter F { work pop 0 push 1 { push(1); } }"), top("int->int filter F { work pop * push 1 { push(1); } }")},
        {"peek-without-pop", top("int->int filter F { work peek 2 push 1 { push(peek(0)); } }"), top("int->int filter F { prework peek 2 push 1 { push(peek(0)); } work pop 1 push 1 { push(pop()); } }")},
        {"undeclared-rate", top("int->int filter F { prework pop 1 { push(pop()); } work pop 1 push 1 { push(pop()); } }"), top("int->int filter F { prework pop 1 push 1 { push(pop()); } work pop 1 push 1 { push(pop()); } }")},
        {"undeclared-rate", top("int->int filter F { void f() pop 1 { push(pop()); } work pop 1 push 1 { f(); } }"), top("int->int filter F { void f() pop 1 push 1 { push(pop()); } work pop 1 push 1 { f(); } }")},
        {"undeclared-rate", top("int->int filter F { int f() peek 1 { return pop(); } work pop 1 push 1 { push(f()); } }"), top("int->int filter F { int f() pop 1 { return peek(0) + pop(); } work pop 1 push 1 { push(f()); } }")},
        {"tape-on-void", work("int x = peek(0);"), work("")},
        {"tape-on-void", top("void->int filter F { work pop 0 push 1 { push(pop()); } }"), top("void->int filter F { work pop 0 push 1 { push(1); } }")},
        {"rate-not-int", top("int->int filter F { work pop 1.5 push 1 { push(pop()); } }"), top("int->int filter F { work pop (int)1.5 push 1 { push(pop()); } }")},
        {"rate-negative", top("int->int filter F { work pop 0 - 1 push 1 { push(pop()); } }"), top("int->int filter F { work pop 2 - 1 push 1 { push(pop()); } }")},
        {"rate-not-constant", top("int->int filter F { int n; init { n = 3; } work pop n push 1 { push(pop()); } }"), top("int->int filter F { int n = 3; work pop n push 1 { push(pop()); } }")},
        {"rate-not-constant", top("int->int filter F { int f() { return 1; } work pop f() push 1 { push(pop()); } }"), top("int->int filter F(int n) { work pop 2 * n + 1 push 1 { push(pop()); } }")},
        {"rate-range", top("int->int filter F { work pop [5, 2] push 1 { push(pop()); } }"), top("int->int filter F { work pop [2, 5] push 1 { push(pop()); } }")},
        {"weight-not-int", top("int->int splitjoin P { split roundrobin(1.5); add Identity<int>; join roundrobin; }"), top("int->int splitjoin P(int n) { split roundrobin(n); add Identity<int>; join roundrobin(2 * n); }")},
        {"weight-negative", top("int->int splitjoin P { split duplicate; add Identity<int>; join roundrobin(1, -1); }"), top("int->int splitjoin P { split duplicate; add Identity<int>; join roundrobin(1, 0); }")},
        // ---- warnings
        {"truncating-assignment", work("int i; i += 1.5;"), work("int i; float f; i += 1; f += 1.5; f -= 1;")},
        {"large-integer", work("float f = 9000000000; println(f);"), work("float f = 9.0e9; println(f + 2147483647);")},
        {"large-real", work("float f = 1.0e50; println(f);"), work("float f = 1.0e30; println(f);")},
        {"unused-variable", work("int n;"), work("int n; n++;")},
        {"unused-variable", work("int n = 2; n = 3;"), work("int n = 2; n = n + 3;")},
        {"unused-variable", work("for (int i = 0;;) { int k = i; }"), work("for (int i = 0;;) { int k = (int)random() + i; }")},
        {"hides-outer", members("int a; int f() { int a = 1; return a; }"), members("int a; int f() { int b = 1; return b; }")},
        {"hides-outer", work("int N = 1;", "static { int N = 2; }"), work("int M = 1;", "static { int N = 2; }")},
        {"list-in-brackets", members("int[2][3] a; init { a[1, 2] = 1; }"), members("int[2][3] a; init { a[1][2] = 1; }")},
        {"tensor-element", members("tensor<complex>[2] x;"), members("tensor<half>[2] x;")},
        {"tensor-place", members("tensor[2] x;"), members("tensor<int>[2] x;")},
        {"tensor-place", top("helper p { float f() { return item(sum(ones(2))); } }"), top("helper p { float f() { return 1; } }")},
        {"tensor-place", composite("tensor x = ones(2); println(item(sum(x)));"), composite("println(item(sum(ones(2))));")},
        {"tensor-place", top("native P { tensor<float> f(int n); }"), top("native P { tensor<float>[2, 3] f(int n); }")},
        {"tensor-place", top("native P { tensor<float>[2, _] f(); }"), top("native P { void f(tensor<float>[2, _] x); }")},
        {"tensor-place", top("native P { void f(tensor[2] x); }"), top("native P { void f(tensor x); }")},
        {"tensor-place", top("static { tensor y = ones(2); } helper H { float f() { return y[0]; } }"), top("static { tensor y = ones(2); float f = y[0]; }")},
        {"tensor-place", top("static { tensor y = ones(2); } float->void filter F(float f = y[0]) { work pop 1 { println(pop() + f); } }"), work("println(y[0]);", "static { tensor y = ones(2); }")},
        {"tensor-place", work("H.f();", "native P { int f(tensor x); } helper H { int f() { return P.f(1.0); } }"), work("P.f(1.0);", "native P { int f(tensor x); }")},
        {"tensor-index", members("tensor<int>[2, 2] x; int f() { return x[1]; }"), members("tensor<int>[2, 2] x; int f() { return x[1, 0]; }")},
        {"tensor-immutable", members("tensor<int>[2] x; init { x[1] = 3; }"), members("tensor<int>[2] x; init { x = 3 * x; }")},
        {"print-in-composite", composite("println(1);"), composite("")},
        {"needless-stateful", top("int->int stateful filter F { int[2] a; work pop 1 push 1 { int[2] b = a; b[0] = 1; push(pop()); } }"), top("int->int stateful filter F { int a; void f() { a++; } work pop 1 push 1 { f(); push(pop()); } }")},
        {"missing-stateful", top("int->int filter F { int[2] a; void f(int[2] b) { b[0]++; } work pop 1 push 1 { f(a); push(pop()); } }"), top("int->int filter F { int a; void f() { a++; } init { f(); } work pop 1 push 1 { push(pop()); } }")},
        {"unused-stream", top("int->int filter F { work pop 1 push 1 { push(pop()); } }"), top("")},
        {"unused-parameter", composite("add T(1);", "int->int filter T(int a) { work pop 1 push 1 { push(pop()); } }"), composite("add T(1);", "int->int filter T(int a) { work pop 1 push 1 { push(pop() + a); } }")},
        {"integer-division", members("float f(int n) { return 1 / n; } init { println(f(2)); }"), members("float f(int n) { return (float)1 / n; } init { println(f(2)); }")},
        {"integer-division", members("int n; init { float x = 2.0 * (3 + -(n / 3)); println(x); }"), members("int n; init { float x = 2.0 * (6 / 3); println(x); }")},
        {"integer-division", members("int n; init { double x; x = n / 2; println(x); }"), members("int n; init { int x; x = n / 2; println(x); }")},
        {"integer-division", members("int n; init { println(sqrt(n / 2)); }"), members("int n; init { println(sqrt((float)(n / 2))); }")},
        {"file-placement", work("float x = text(\"t.txt\")[0]; println(x);"), members("init { float x = text(\"t.txt\")[0]; println(x); }")},
        {"unused-function", members("int f() { return 1; }"), members("int f() { return 1; } init { println(f()); }")},
    };
    return table;
}
// clang-format on

struct RowOutcome {
    std::vector<std::string> errors;
    std::set<std::string> names;
    std::string text;
};

RowOutcome run(const std::string& source) {
    Checked checked(source, {}, false, true);
    if (const StreamInfo* main = findMain(checked.ctx, checked.program, {}))
        markReachable(checked.ctx, checked.program, *main);
    RowOutcome outcome;
    for (const base::Diagnostic& each : checked.ctx.diags.all()) {
        std::string name(base::info(each.id).name);
        outcome.names.insert(name);
        if (each.severity == base::Severity::Error) outcome.errors.push_back(name);
        // Follow-on text must be complete.
        base::message(each.id, each.args);
    }
    outcome.text = source + "\n" + checked.rendered();
    return outcome;
}

TEST(Rows, EachFaultIsReportedOnceAndItsNeighbourIsNot) {
    for (const Row& row : rows()) {
        SCOPED_TRACE(row.name);
        RowOutcome wrong = run(row.bad);
        bool isWarning = base::info(base::findDiag(row.name)).severity == base::Severity::Warning;
        EXPECT_TRUE(wrong.names.contains(row.name)) << wrong.text;
        std::vector<std::string> expected;
        if (!isWarning) expected.push_back(row.name);
        EXPECT_EQ(wrong.errors, expected) << wrong.text;
        RowOutcome right = run(row.good);
        EXPECT_TRUE(right.errors.empty()) << right.text;
        EXPECT_FALSE(right.names.contains(row.name)) << right.text;
    }
}

/// Rows that have tests of their own elsewhere.
bool isTestedElsewhere(const std::string& id) {
    static const std::set<std::string> others = {"NoMainStream",        "SeveralMainStreams",
                                                 "MainStreamParameter", "UnknownTopStream",
                                                 "RequirePlace",        "TruncatingInitializer"};
    return others.contains(id);
}

TEST(Rows, CoverEveryDiagnosticOfTheChecker) {
    std::set<std::string> tested;
    for (const Row& row : rows())
        tested.insert(std::string(base::info(base::findDiag(row.name)).id));
    std::regex use("Diag::([A-Za-z]+)");
    std::filesystem::path folder = std::string(STRC_SOURCE_DIR) + "/src/sema";
    for (auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream in(entry.path());
        std::stringstream buffer;
        buffer << in.rdbuf();
        std::string text = buffer.str();
        for (std::sregex_iterator at(text.begin(), text.end(), use), end; at != end; ++at) {
            std::string id = (*at)[1];
            bool isNote = false;
            for (int k = 0; k < static_cast<int>(base::Diag::Count); ++k)
                if (base::info(static_cast<base::Diag>(k)).id == id)
                    isNote =
                        base::info(static_cast<base::Diag>(k)).severity == base::Severity::Note;
            if (id == "Count" || isNote) continue;
            EXPECT_TRUE(tested.contains(id) || isTestedElsewhere(id)) << id;
        }
    }
}

}  // namespace
}  // namespace strc::sema::test
