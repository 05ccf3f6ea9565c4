// What must be accepted: the corners of the language reference, and the habits of old programs.

#include "fixture.h"

namespace strc::sema::test {
namespace {

using testing::ElementsAre;

constexpr const char* kEnds = R"(
void->int filter S { work push 1 { push(1); } }
int->void filter K { work pop 1 { println(pop()); } }
)";

void expectFine(const std::string& source) {
    Checked checked(source + kEnds);
    EXPECT_FALSE(checked.ctx.diags.hasErrors()) << checked.rendered();
}

TEST(Accepted, BitsAndIntegers) {
    expectFine(R"(
void->void pipeline Main { add B; add C; add K; }
static { bit[4] table = {0, 1, 1, 0}; int w = 0xFF000000; }
void->bit filter B {
    int k; bit[3] state = {1, 0, k};
    bit parity(bit a, bit b) { return a ^ b ^ 1; }
    work push 4 {
        bit b = (k & (1 << 31)) >> 31;
        bit c = k >> 1;
        push((bit)(k & 1)); push(1); push(parity(b, 0));
        boolean f = b != 0 && c == 1 || b;
        push(f ? 1 : b);
        state[0] = table[1] & c | 0;
        b = ~c; b++; c = (b);
        k++;
    }
}
bit->int filter C {
    work pop 4 push 1 {
        int c = 0;
        c = (pop() << 1) | c; c = pop() | c; c += pop();
        while (!pop()) { }
        push(c - -1);
    }
})");
}

TEST(Accepted, OldHabits) {
    expectFine(R"(
void->void pipeline Main { add S; add F(3, 2.0); add K; }
int->int filter F(int n, float unit) {
    int x; float[n] h; boolean[320][240] seen; float big = 9000000000;
    int m = 2 * n, q; int[m][011] zig;
    init { for (int i = 0; i < n; i++) h[i] = sin(2 * pi * i / n) * unit; }
    prework push m pop 1 peek m + 1 { for (int i = 0; i < m; i++) push(peek(i)); pop(); return; }
    void fill(float[n] out, int from) { for (; from < n; from++) out[from] = from; }
    int fact(int k) { if (k < 2) return 1; return k * fact(k - 1); }
    int skip(int k) pop k { while (k-- > 0) pop(); return pop(); }
    int look() peek 2 { return peek(1); }
    work pop 1 peek 2 push 1 {
        float[n] t; int r = 3, w = 4;
        fill(t, 0);
        x = (x++) % 100;
        for (int i = 0; i < 3; i = i++) { if (x > r & x < w - r & true | false) break; }
        if (1 == 0) {} else {}
        do { x = -x; } while (x > 0 && (float)x / n < 1.5);
        { }
        ;
        h = t;
        push(true ? x : (int)max(look(), abs(x)));
        pop();
    }
})");
}

TEST(Accepted, ItemsOfAnyType) {
    expectFine(R"(
struct P { int id; float[4] v; Q inner; }
struct Q { boolean b; complex[2] z; float3 f; }
static { int N = 4; P origin; float2 unit = float2(1, 0); init { origin.inner.f.x = 2; origin.v[1] = N; } }
void->void pipeline Main { add A; add B; add C; add Identity<float[N]>; add D; add K; }
void->P filter A {
    P p;
    work push 1 { P q = p; q.inner.z[1].imag = 2; q.inner = p.inner; q = origin; push(q); p.id++; }
}
P->complex filter B {
    work pop 1 push 1 { P p = peek(0); P[2] two; two[0] = pop(); complex z = 1; z = z * 2i / (1 + p.v[2]); z.real += 1; push(2); }
}
complex->float[N] filter C { work pop 1 push 1 { float[N] a; complex z = pop(); a[0] = z.real; a[1] = abs(z); if (z == 1 || z != 2i) a[2] = 1; push(a); } }
float[4]->int filter D { work pop 1 push 1 { float[4] a = pop(); float[N] b = a; push((int)b[0]); } })");
}

TEST(Accepted, Vectors) {
    expectFine(R"(
void->void pipeline Main { add T; add K; }
void->int filter T {
    float3 v = float3(1, 2.5, 3); float4 w;
    float3 turn(float3 a, float3 b) { return StreamItVectorLib.cross3(a, normalize(b)); }
    work push 1 {
        v = 2 * v + v / 3 - v * v; v = -turn(v, v); v += v; v *= 2; v = floor(v) + 1;
        boolean g = StreamItVectorLib.greaterThan3(v, v) || StreamItVectorLib.equals3(v, v);
        float d = StreamItVectorLib.dot3(v, v) + StreamItVectorLib.sqrtDist4(w, w);
        w = StreamItVectorLib.scale4(w, 2); w = StreamItVectorLib.addScalar4(w, d);
        float2 u = StreamItVectorLib.max2(float2(v.x, v.y), float2(w.w, d));
        push(g ? (int)u.x : 0);
    }
})");
}

TEST(Accepted, Composites) {
    expectFine(R"(
helper Geo { int twice(int a) { return 2 * a; } void noop() { } }
void->void pipeline Main {
    int n = Geo.twice(2), k; float[n] h; boolean done = false;
    Geo.noop();
    for (int i = 0; i < n; i++) h[i] = cos(i);
    while (!done) { k++; if (k > 3) break; else continue; }
    if (k > 2) add S; else add S;
    add Split(n, h); add Loop; add Rec(8);
    add FileWriter<int>("out" + k + ".dat");
    return;
}
int->int splitjoin Split(int n, float[n] h) {
    for (int i = 0; i < n; i++) add int->int filter { work pop 1 push 1 { push(pop() * (int)h[i]); } }
    if (n > 2) split roundrobin(n); else split duplicate;
    join roundrobin;
}
int->int feedbackloop Loop {
    enqueue 1; enqueue(2);
    for (int i = 0; i < 3; i++) enqueue i;
    join roundrobin(1, 1);
    body int->int filter { work pop 2 push 2 { push(pop()); push(pop()); } };
    loop Identity<int>();
    split roundrobin(1, 1);
}
int->int pipeline Rec(int n) { if (n > 1) { add Rec(n / 2); add Identity<int>; } else add Identity<int>; })" +
               std::string());
}

TEST(Accepted, EnqueuedItemsOfALoopWithoutInput) {
    expectFine(R"(
void->void pipeline Main { add L; add K; }
void->int feedbackloop L {
    join roundrobin(0, 1); split roundrobin(1, 1); enqueue 1;
    body int->int filter { work pop 1 push 2 { int x = pop(); push(x); push(2 * x); } };
    loop Identity<int>;
})");
}

TEST(Accepted, Messages) {
    expectFine(R"(
int->int filter Rx { int g; int[2] t; work pop 1 push 1 { push(pop() + g); set(1, t, true); } handler set(int v, int[2] a, boolean b) { g = v; t = a; } handler h() { } }
int->int filter Tx(portal<Rx> p, int lat) {
    int[2] t;
    void tell(int v) { p.set(v, t, v > 1) [lat:lat]; }
    prework pop 1 push 1 { p.h(); push(pop()); }
    work pop 1 push 1 { tell(2); p.h() [*]; p.h() [:]; p.h() [lat + 1:]; p.h() [:-1]; push(pop()); }
    handler answer() { p.h() [0:0]; }
}
int->int pipeline Inner(portal<Rx> q) { add Tx(q, 2); add int->int filter { work pop 1 push 1 { q.h(); push(pop()); } }; }
void->void pipeline Main { portal<Rx> p, r; add S; add Inner(p); for (int i = 0; i < 2; i++) add Rx to p, r; add K; })");
}

TEST(Accepted, GlobalsNativesAndPackages) {
    expectFine(R"(
native Cam { int open(String name, int w); void grab(int h, float[64] row); }
static {
    int handle = Cam.open("cam", 3);
    float[64] row;
    Cam.grab(handle, row);
    int k;
    for (int i = 0; i < 64; i++) { k += (int)row[i]; }
    int[k + 1] late = {1};
    int[3] t = init_array_1D_int("t" + 1, 3);
    init { k = late[0]; Util.set(late, k); }
}
helper Util { void set(int[k + 1] a, int v) { a[0] = v; } int sum(int[3] a) { int s = 0; for (int i = 0; i < 3; i++) s += a[i]; return s; } }
void->void pipeline Main { add T; add K; }
void->int filter T { float[k] h = init_array_1D_float("h", k); int s = Util.sum(t); work push 1 { float[64] row; Cam.grab(handle, row); push(s + k + (int)row[0]); } })");
}

TEST(Accepted, DoublesAndCharacters) {
    expectFine(R"(
void->void pipeline Main { add T; add K; }
void->int filter T {
    double d = 1.5;
    work push 1 { d = d * 2 + 1; d += 0.5f; complex z = d; float f = (float)d; println("d" + d + 'c' + z); println('c'); print(sqrt(d) + f); push((int)d); }
})");
}

TEST(Accepted, TextGoesToStreams) {
    expectFine(R"(
void->void pipeline Main(String name = "a" + 1) { add Named(name + ".x", label = "k"); add K; }
void->int filter Named(String file, String label) { work push 1 { println(label + ": " + file); push(1); } })");
}

TEST(Accepted, RatesOfAllKinds) {
    expectFine(R"(
static { int N = 2; }
void->void pipeline Main { add S; add Dyn(3); add float->float filter { work pop 1 push 1 { push(pop()); } }; add Peeks; add int->void filter { work pop * { pop(); } }; }
int->float filter Dyn(int n) { int m = n + N; work pop [1, *] push [0, n, m] peek [m, 2 * m] { push(pop()); } }
float->int filter Peeks { float d = 2.5; work peek (int)ceil(d) pop N - 1 push 1 { push((int)pop()); } })");
}

/// Types that lowering reads off the tables.
TEST(Types, OfLiteralsKeepTheirOwnExtents) {
    Checked checked(
        R"(void->int filter S { int k = 2; float[k][3] a = {{1, 2, 3}, {4, 5, 6}}; work push 1 { push((int)a[0][0]); } })");
    const auto& decl = *checked.stream("S").decl;
    const auto& fields = ast::as<ast::FieldsDecl>(*decl.members[1]);
    const ast::Declarator& a = fields.variables->variables[0];
    EXPECT_EQ(types::toString(checked.program.typeOf(*a.initialiser)), "float[2][3]");
    EXPECT_EQ(types::toString(checked.program.symbolOf(a.id)->type), "float[?][3]");
}

TEST(Types, CallsSayWhatTheyMean) {
    Checked checked(R"(
void->complex filter S {
    work push 1 { complex z = exp(1i); float a = abs(z); float b = abs(-1); push(csqrt(b) + pow(a, z)); println(z); }
})");
    std::vector<CallKind> kinds;
    const auto& decl = *checked.stream("S").decl;
    const auto& body = *ast::as<ast::WorkDecl>(*decl.members[0]).body;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto& vars = ast::as<ast::VariablesStmt>(*body.statements[i]);
        kinds.push_back(checked.program.callOf(vars.variables[0].initialiser->id)->kind);
    }
    EXPECT_THAT(kinds,
                ElementsAre(CallKind::ComplexMath, CallKind::ComplexToReal, CallKind::RealMath));
}

}  // namespace
}  // namespace strc::sema::test
