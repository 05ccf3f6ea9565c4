"""Programs of one filter for emit_c_test.py, each for one part of the language."""

import struct
from typing import NamedTuple


class Program(NamedTuple):
    name: str
    text: str
    data: str  # formats (struct) of an item of the input and of the output; empty: there is none
    out: str
    options: tuple = ()
    sets: tuple = ()  # parameters by number, and the bytes that they are set to
    later: tuple = ()  # those that are set while it runs
    says: tuple = ()  # what messages or numbers somewhere in the results contain


def work(kind, rates, body, before="", out=None):
    return f"{kind}->{out or kind} filter P {{ {before} work {rates} {{ {body} }} }}"


PROGRAMS = [
    Program("ints_wrap", work("int", "pop 1 push 4", "int x = pop() * 65537 * 4097; push(x + 2147483647); push(x * x - 7); push(-x); push(x << (x & 63));"), "i", "i"),
    Program("ints_divide", work("int", "pop 1 push 4", "int x = pop(); int y = x == 0 ? -1 : x; push(y / 7); push(-2147483647 / y); push(y % -3); push((-2147483647 - 1) / (y > 10 ? -1 : y));"), "i", "i"),
    Program("ints_bits", work("int", "pop 2 push 6", "int x = pop(); int y = pop(); push(x & y); push(x | y ^ 5); push(~x); push(x >> (y & 31)); push(x >> 35); push((x ^ y) << 3);"), "i", "i"),
    Program("ints_compare", work("int", "pop 2 push 1", "int x = pop(); int y = pop(); int n = 0; if (x < y && y > 3 || x == 7) n += 1; if (!(x >= y) && (x != 2 || y <= 1)) n += 2; push(n + (x > y ? 10 : x == y ? 20 : 30));"), "i", "i"),
    Program("booleans", work("int", "pop 1 push 2", "boolean b = pop() > 0; flag = flag ^ b; boolean c = b & flag | !b; push(c); push(flag && b || c);", "boolean flag;", "boolean"), "i", "B"),
    Program("bits", work("bit", "pop 2 push 3", "bit x = pop(); bit y = pop(); push(x ^ y); push(~x & last); last = x | y; push(last);", "bit last;"), "B", "B"),
    Program("bits_and_ints", work("bit", "pop 1 push 2", "n = n * 2 + pop(); push(n); push(n & 3);", "int n;", "int"), "B", "i"),
    Program("floats", work("float", "pop 2 push 5", "float x = pop(); float y = pop(); push(x * y + 0.1 - y / x); push(-x); push(x * x - y * y); push(x > y ? 1.0e-30 * x : 3); push((x + y) * (x - y) / (1 + x * x));"), "f", "f"),
    Program("floats_and_ints", work("float", "pop 1 push 3", "float x = pop() * 1.0e9; push((int) x); push((int) (x * 1.0e3)); push((int) (x / 0));", out="int"), "f", "i"),
    Program("ints_and_floats", work("int", "pop 1 push 2", "int x = pop() * 123456789; push(x); push((float) x / 3);", out="float"), "i", "f"),
    Program("doubles", work("double", "pop 1 push 3", "double x = pop(); push(sin(x) * 3.5); push(x * x - 0.1); push((float) x);"), "d", "d"),
    Program("constants", work("float", "pop 1 push 5", "float x = pop(); push(x / 0); push(0 * (x / 0)); push(1.0e-45 * x); push(16777216.0 + x); push(0.333333333333);"), "f", "f"),
    Program("mathematics", work("float", "pop 1 push 13", "float x = pop(); push(sin(x)); push(cos(x) * tan(x)); push(exp(x)); push(log(abs(x))); push(sqrt(x * x)); push(pow(abs(x), 1.7)); push(atan2(x, 0.3)); push(floor(x) + ceil(x)); push(round(x)); push(rint(x)); push(min(x, 0.5)); push(max(x, -0.5)); push(asin(x / 5) + acos(x / 5) + atan(x) + sinh(x) + cosh(x) + tanh(x) + log10(abs(x)) + erf(x));"), "f", "f"),
    Program("complex_numbers", work("complex", "pop 2 push 6", "complex z = pop(); complex w = pop(); push(z * w + z / w); push(z - w); push(exp(z)); push(sqrt(w) * sin(z)); push(log(z) + cos(w)); push(z == w ? z : -w);"), "ff", "ff"),
    Program("complex_parts", work("float", "pop 2 push 4", "complex z; z.real = pop(); z.imag = pop(); push(abs(z)); push(arg(z)); complex w = z * z; w.imag = 1; push(w.real); push(w.imag * (pow(w, z)).real);"), "f", "f"),
    Program("float4", work("float4", "pop 1 push 2", "float4 v = pop(); float4 w = v * 2 + sum; sum = w - v / 3; w.x = 5; push(w); push(v * sum);", "float4 sum;"), "ffff", "ffff"),
    Program("float2", work("float", "pop 2 push 2", "float2 v; v.x = pop(); v.y = pop(); float2 w = -v * v; push(w.x); push(w.y);"), "f", "f"),
    Program("structs", "struct Point { float x; int[3] k; } Point->Point filter P { Point last; float f(Point p) { p.x += 1; return p.x; } work pop 1 push 1 { Point p = pop(); Point q = last; q.x += f(p); q.k[1] = p.k[0] + q.k[2]; last = p; push(q); } }", "fiii", "fiii"),
    Program("structs_of_truths", "struct Two { boolean a; bit b; } Two->Two filter P { work pop 1 push 1 { Two x = pop(); Two y; y.a = !x.a; y.b = x.b ^ 1; push(y); } }", "BB", "BB"),
    Program("struct_copies", "struct Pair { int a; int b; } int->int filter P { Pair[4] all; int at; work pop 1 push 2 { Pair p; p.a = pop(); p.b = p.a * 2; all[at] = p; at = (at + 1) % 4; Pair q = all[at]; push(q.a + q.b); push(all[(at + 2) & 3].b); } }", "i", "i"),
    Program("array_items", "float[4]->float[2] filter P { work pop 1 push 1 { float[4] x = pop(); float[2] y; y[0] = x[0] + x[1]; y[1] = x[2] * x[3]; push(y); } }", "ffff", "ff"),
    Program("array_peeks", "int[2][2]->int filter P { work pop 1 peek 2 push 1 { int[2][2] x = peek(1); int[2][2] y = pop(); int s = 0; for (int i = 0; i < 2; i++) for (int k = 0; k < 2; k++) s = s * 10 + x[i][k] + y[k][i]; push(s); } }", "iiii", "i"),
    Program("arrays", work("int", "pop 4 push 4", "int[2][3] a; int[4] b; for (int i = 0; i < 4; i++) b[i] = pop(); for (int i = 0; i < 2; i++) for (int k = 0; k < 3; k++) a[i][k] = b[i + k] * grid[k][i]; grid[1] = a[0]; for (int i = 0; i < 4; i++) push(a[i & 1][i % 3] + grid[1][i / 2]);", "int[3][3] grid = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};"), "i", "i"),
    Program("tables", work("int", "pop 1 push 1", "push(primes[pop() & 7] + squares[n++ % 10]);", "int[8] primes = {2, 3, 5, 7, 11, 13, 17, 19}; int[10] squares; int n; init { for (int i = 0; i < 10; i++) squares[i] = i * i; }"), "i", "i"),
    Program("peeking", work("float", "pop 1 push 1 peek 9", "float s = 0; for (int i = 0; i < 9; i++) s += peek(i) * h[8 - i]; pop(); push(s);", "float[9] h; init { for (int i = 0; i < 9; i++) h[i] = 1.0 / (i + 1); }"), "f", "f"),
    Program("peeking_behind_pops", work("int", "pop 3 push 3 peek 7", "push(peek(6)); int x = pop(); push(peek(5) - x); for (int i = 0; i < 2; i++) x = x * 3 + pop(); push(x + peek(3));"), "i", "i"),
    Program("decimation", work("int", "pop 5 push 1", "push(peek(4) - pop()); for (int i = 0; i < 4; i++) pop();"), "i", "i"),
    Program("expansion", work("int", "pop 1 push 5", "int x = pop(); for (int i = 0; i < 5; i++) push(x * i);"), "i", "i"),
    Program("prework", "int->int filter P { int sum; prework pop 3 push 2 { for (int i = 0; i < 3; i++) sum += pop(); push(sum); push(-1); } work pop 2 push 1 peek 3 { push(peek(2) + sum); sum += pop(); pop(); } }", "i", "i"),
    Program("prework_that_peeks", "int->int filter P { int n; prework push 1 peek 3 { push(peek(2)); } work pop 2 peek 5 push 1 { push(pop() - pop() + n); n++; } }", "i", "i"),
    Program("prework_that_delays", "int->int filter P { prework push 3 { for (int i = 0; i < 3; i++) push(i); } work pop 1 push 1 { push(pop()); } }", "i", "i"),
    Program("prework_before_a_window", "int->int filter P { prework pop 1 push 1 { push(pop()); } work pop 1 push 1 peek 6 { push(peek(5) + pop()); } }", "i", "i"),
    Program("functions", "int->int filter P { int n; int twice(int x) { n++; return x * 2; } void fill(int[3] a, int v) { for (int i = 0; i < 3; i++) a[i] = v + i; } int sum(int[3] a) { int s = 0; for (int i = 0; i < 3; i++) s += a[i]; return s; } work pop 1 push 3 { int[3] a; fill(a, twice(pop())); push(sum(a)); push(n); push(twice(n) + n); } }", "i", "i"),
    Program("functions_on_tapes", "int->int filter P { int next(int k) pop 1 { return pop() * k; } void give(int x) push 1 { push(x); } int ahead() peek 2 { return peek(1); } work pop 2 push 3 peek 3 { int a = ahead(); give(next(2) + a); give(ahead()); give(next(3)); } }", "i", "i"),
    Program("functions_that_return_arrays", "int->int filter P { int[3] three(int x) { int[3] a = {x, x + 1, x * 2}; return a; } work pop 1 push 1 { int[3] a = three(pop()); push(a[0] * a[1] + a[2]); } }", "i", "i"),
    Program("recursion", "int->int filter P { int fib(int n) { if (n < 2) return n; return fib(n - 1) + fib(n - 2); } work pop 1 push 1 { push(fib(pop() & 15)); } }", "i", "i"),
    Program("loops", work("int", "pop 1 push 4", "int x = pop(); int n = 0; while (x > 0) { x = x / 2; n++; if (n > 20) break; } push(n); do { n += 3; if (n % 2 == 0) continue; x++; } while (n < 10); push(n * 100 + x); for (int i = 10; i > 0; i -= 3) { if (i == 4) continue; n += i; } push(n); int k = 0; for (;;) { k += 2; if (k > 9) break; } push(k);"), "i", "i"),
    Program("loops_with_steps", work("int", "pop 1 push 2", "int x = pop(); int s = 0; int[3] a; for (int i = 0; i < 12; i += a[i % 3] + 1) { if (i == x) continue; s += i; a[1] = 1; } push(s); int k = 9; for (int i = 0; i < k; i++) { k--; if ((x & i) == 1) continue; s = s * 3 + k; } int j = 0; while (j < 5) { j++; if (j == x) continue; s -= j; } push(s);"), "i", "i"),
    Program("chains_of_ifs", work("int", "pop 1 push 1", "int x = pop(); if (x < -10) { push(1); } else if (x < 0) { push(2); } else if (x == 7) push(3); else { int y = x * x; if (y > 100) push(y); else push(-y); }"), "i", "i"),
    Program("early_return", "int->int filter P { work pop 1 push 1 { int x = pop(); if (x > 3) { push(x); return; } push(-x); } }", "i", "i"),
    Program("random_numbers", work("float", "pop 1 push 2", "push(random() * pop()); float x = random(); push(x - random());"), "f", "f"),
    Program("a_source", "void->int filter P { int n = 5; work push 3 { push(n++); push(n * n); push(-n); } }", "", "i"),
    Program("a_source_with_prework", "void->float filter P { float x; prework push 1 { push(-1); } work push 2 { push(x); x += 0.5; push(x); } }", "", "f"),
    Program("a_sink", "int->void filter P { int n; work pop 2 { n += pop() * pop(); int k = 100 / (n == 13 ? 0 : 1); n += k - 100; } }", "i", ""),
    Program("state", work("int", "pop 1 push 1", "fields[at] = pop(); at = (at + 1) % 5; int s = 0; for (int i = 0; i < 5; i++) s += fields[i] * (i + start); push(s);", "int[5] fields = {9, 8, 7, 6, 5}; int at; int start = 3;"), "i", "i"),
    Program("iterations", work("int", "pop 1 push 1", "push(iter() * 100 + pop());"), "i", "i"),
    Program("names_of_c", "struct in { int register; float out; } int->int filter P { int self; int register; int sin; int default_(int memcpy) { return memcpy + 1; } work pop 1 push 2 { int window = pop(); int char = window; in item; item.register = char; int INFINITY = default_(item.register); register += INFINITY; self++; push(register + self); int exp = 3; push((int) sin(exp * 0.1)); } }", "i", "i"),
    Program("parameters", "float->float filter P(float gain = 0.5, int shift = 3, boolean on = true, double wide = 0.1) { work pop 1 push 2 { push(on ? gain * pop() : pop()); push((float) (shift * wide)); } }", "f", "f", ("--keep-param=gain", "--keep-param=shift", "--keep-param=on", "--keep-param=wide")),
    Program("parameters_that_are_set", "float->float filter P(float gain = 0.5, int shift = 3, boolean on = true, double wide = 0.1) { work pop 1 push 2 { push(on ? gain * pop() : pop()); push((float) (shift * wide)); } }", "f", "f",
            ("--keep-param=gain", "--keep-param=shift", "--keep-param=on", "--keep-param=wide"), ((0, struct.pack("f", 3.25)), (1, struct.pack("i", -7)), (2, b"\0"), (3, struct.pack("d", 1e-3)), (4, b"x"), (-1, b"x"), (0, b"12345"))),
    Program("parameters_that_are_indices", "int->int filter P(int k = 1) { int[4] a = {1, 2, 3, 4}; work pop 1 push 1 { push(a[k] * pop()); } }", "i", "i", ("--keep-param=k",), ((0, struct.pack("i", 9)),), says=("index 9 is outside of the array",)),
    Program("parameters_that_init_computes_with", "float->float filter P(float g = 1, int n = 2, float plain = 3) { float h; float state; float[3] w = {g, 2, 3}; init { h = sin(g); for (int i = 1; i < 3; i++) w[i] = w[i - 1] * g + n; } work pop 1 push 1 peek 3 { state += h * peek(2); pop(); push(state * w[1] + w[2] * plain); } }", "f", "f",
            ("--keep-param=g", "--keep-param=n", "--keep-param=plain"), ((0, struct.pack("f", 0.5)),), ((1, struct.pack("i", 40)), (2, struct.pack("f", 9)), (0, struct.pack("f", -2)))),
    Program("parameters_with_demands", "float->float filter P(float g = 1, int k = 1) { float h; int[3] t = {4, 5, 6}; init { require(g > 0, \"the gain is positive\"); h = 1 / g + t[k]; } prework push 1 { push(h); } work pop 1 push 1 { push(h * pop()); } }", "f", "f",
            ("--keep-param=g", "--keep-param=k"), ((0, struct.pack("f", -3)), (0, struct.pack("f", 4))), ((0, struct.pack("f", 0)), (1, struct.pack("i", 3)), (1, struct.pack("i", 2)), (0, struct.pack("f", 8))), ("the gain is positive", "index 3 is outside")),
    Program("parameters_of_a_source", "void->float filter P(float g = 1) { float h; float x; init { h = g * 2 ; } work push 2 { push(h); x += h; push(x + random()); } }", "", "f", ("--keep-param=g",), ((0, struct.pack("f", 4)),), ((0, struct.pack("f", 0.5)),)),
    Program("index_fault", work("int", "pop 1 push 1", "int x = pop(); a[x & 15] = x; push(a[(x + 1) & 7]);", "int[12] a;"), "i", "i", says=("[index-out-of-range] in P",)),
    Program("index_fault_in_a_function", "int->int filter P { int[12] a; int at(int[12] b, int k) { return b[k]; } void note(int k) { a[k] = k; } work pop 1 push 1 { int x = pop(); note(x & 15); push(at(a, x & 7)); } }", "i", "i", says=("[index-out-of-range]",)),
    Program("division_fault", work("int", "pop 2 push 1", "int x = pop(); push(x / (pop() / 9));"), "i", "i", says=("[division-by-zero]",)),
    Program("remainder_fault", work("int", "pop 1 push 1", "int x = pop(); push(100 % x + 7 / (x - 40));"), "i", "i"),
    Program("peek_fault", work("int", "pop 1 push 1 peek 4", "int x = peek(0); push(peek((x & 7) / 2 * 2)); pop();"), "i", "i", says=("[peek-rate-violated]",)),
    Program("negative_peek_fault", work("int", "pop 1 push 1 peek 4", "int x = peek(0); push(peek(x > 30 ? -1 : 2)); pop();"), "i", "i", says=("[negative-peek]",)),
    Program("push_rate_fault", work("int", "pop 1 push 2", "int x = pop(); push(x); if (x < 20) push(x + 1);"), "i", "i", says=("[push-rate-violated]",)),
    Program("too_many_pushes", work("int", "pop 1 push 2", "int x = pop(); push(x); push(x); if (x > 20) push(x + 1);"), "i", "i", says=("[push-rate-violated]",)),
    Program("pop_rate_fault", work("int", "pop 2 push 1", "int x = pop(); push(x); if (x < 20) pop();"), "i", "i", says=("[pop-rate-violated]",)),
    Program("too_many_pops", work("int", "pop 2 push 1", "int x = pop(); pop(); push(x); if (x > 20) pop();"), "i", "i", says=("[pop-rate-violated]",)),
    Program("rate_fault_in_a_function", "int->int filter P { void give(int n) push 3 { for (int i = 0; i < n; i++) push(i); } int take() pop 1 { return pop(); } work pop 1 push 3 { give(take() > 30 ? 4 : 3); } }", "i", "i", says=("[push-rate-violated]",)),
    Program("fault_in_prework", "int->int filter P { int[3] a; prework pop 4 push 1 { int s = 0; for (int i = 0; i < 4; i++) s += pop(); push(a[s]); } work pop 1 push 1 { push(pop()); } }", "i", "i", says=("[index-out-of-range]",)),
    Program("library_filters", "float->float filter P { float y; float follow(float x) { y += 0.1 * (x - y); return y; } work pop 1 push 1 { push(follow(pop())); } }", "f", "f"),
    Program("unused_things", "int->int filter P { int unused; int[3] more; int f(int a, int b, int[2] c) { int d = a * 2; int e = d; return a; } work pop 1 push 1 { int x = pop(); int y = x * 2; int z; z = y; int[4] w; w[0] = z; int[2] c; boolean never = false; if (never) push(1); push(f(x, 2, c)); } }", "i", "i"),
    Program("order_of_effects", "int->int filter P { int n; int next() { n = n * 3 + 1; return n; } work pop 3 push 5 { push(n + next()); push(next() - next() * n); int[4] a; a[next() & 3] = next(); push(a[0] + a[1] * 2 + a[2] * 3 + a[3] * 4); push(pop() - pop() * 2); int k = n; n = 7; push(k + n + pop()); } }", "i", "i"),
    Program("aliases", "int->int filter P { int[4] a; void swap(int[4] x, int i, int k) { int t = x[i]; x[i] = x[k]; x[k] = t; } work pop 2 push 2 { a[0] = pop(); a[1] = pop(); swap(a, 0, 1); int before = a[0]; a[0] = 5; swap(a, 0, 3); push(before); push(a[3] + a[0]); } }", "i", "i"),
    Program("short_circuits", "int->int filter P { int n; boolean odd(int x) { n++; return (x & 1) == 1; } work pop 2 push 2 { int x = pop(); int y = pop(); boolean b = odd(x) && odd(y) || odd(x + y); push(b ? n : -n); push(x != 0 && 100 / x > 3 ? 1 : 0); } }", "i", "i"),
    # Several filters, which become one.
    Program("a_pipeline", "float->float pipeline P { add Block(4); add Sum(2); add Gain(3); } float->float filter Block(int n) { work pop n push n { for (int k = 0; k < n; k++) push(pop()); } } float->float filter Sum(int n) { work pop 1 peek n push 1 { float sum = 0; for (int k = 0; k < n; k++) sum += peek(k); pop(); push(sum); } } float->float filter Gain(float g) { work pop 1 push 1 { push(pop() * g); } }", "f", "f"),
    Program("splitjoins", "int->int splitjoin P { split roundrobin(2, 1); add Identity<int>; add splitjoin { split duplicate; add A(1); add A(2); join roundrobin(1, 2); }; join roundrobin(2, 3); } int->int filter A(int n) { int sum = n; work pop 1 push n { sum += pop(); for (int k = 0; k < n; k++) push(sum + k + iter()); } }", "i", "i"),
    Program("a_feedback_loop", "int->int feedbackloop P { join roundrobin(1, 1); body Mix; loop Delay; split duplicate; for (int k = 0; k < 6; k++) enqueue k; } int->int filter Mix { work pop 2 push 1 { push(pop() + pop() % 100); } } int->int filter Delay { work pop 1 push 1 peek 3 { push(peek(2) - peek(0)); pop(); } }", "i", "i"),
    Program("preworks_of_several", "int->int pipeline P { add First; add Second; add First; } int->int filter First { prework push 5 pop 2 { int x = pop() + pop(); for (int k = 0; k < 5; k++) push(x + k); } work pop 3 push 2 { push(pop() + pop()); push(pop()); } } int->int filter Second { work pop 2 push 3 peek 5 { push(peek(4)); push(pop()); push(pop()); } }", "i", "i"),
    Program("items_of_several", "struct Pair { int a; float b; } int->float pipeline P { add Make; add Turn; add Sum; } int->Pair filter Make { work pop 2 push 1 { Pair p; p.a = pop(); p.b = pop() * 0.5; push(p); } } Pair->float[3] filter Turn { work pop 1 push 1 peek 2 { Pair p = peek(1); Pair q = pop(); float[3] v; v[0] = p.a; v[1] = q.b; v[2] = p.b * q.a; push(v); } } float[3]->float filter Sum { work pop 1 push 1 { float[3] v = pop(); push(v[0] + v[1] - v[2]); } }", "i", "f"),
    Program("functions_on_tapes_of_several", "int->int pipeline P { add F(2); add F(3); } int->int filter F(int n) { int all; int take() pop 1 { all++; return pop(); } void give(int x) push 1 { push(x + all); } work pop n push n peek n + 1 { int next = peek(n); for (int k = 0; k < n; k++) give(take() * next); } }", "i", "i"),
    Program("parameters_of_several", "float->float pipeline P(float g = 1, int n = 2) { add Scale(g); add Table(g, n); add Scale(n); } float->float filter Scale(float g) { work pop 1 push 1 { push(pop() * g); } } float->float filter Table(float g, int n) { float[3] w; float state; init { for (int i = 0; i < 3; i++) w[i] = g * i + n; } work pop 1 push 1 { state += pop(); push(state * w[1] + w[2]); } }", "f", "f",
            ("--keep-param=g", "--keep-param=n"), ((0, struct.pack("f", 0.5)),), ((1, struct.pack("i", 40)), (0, struct.pack("f", -2)))),
    Program("parameters_of_several_that_draw", "float->float pipeline P(float g = 1) { add Noise(g); add Noise(2 * g); } float->float filter Noise(float g) { float h; float x; init { x = random(); h = g * 2; } work pop 1 push 1 { push(h * pop() + x * random()); } }", "f", "f",
            ("--keep-param=g",), ((0, struct.pack("f", 0.5)),), ((0, struct.pack("f", 3)), (0, struct.pack("f", -2)))),
    Program("demands_of_several", "float->float pipeline P(float g = 1, int k = 1) { add Safe(g); add Pick(k); } float->float filter Safe(float g) { float h; init { require(g > 0, \"the gain is positive\"); h = 1 / g; } work pop 1 push 1 { push(h * pop()); } } float->float filter Pick(int k) { float[3] t = {4, 5, 6}; float h; init { h = t[k]; } work pop 1 push 1 { push(h + pop()); } }", "f", "f",
            ("--keep-param=g", "--keep-param=k"), ((0, struct.pack("f", -3)), (0, struct.pack("f", 4))), ((0, struct.pack("f", 0)), (1, struct.pack("i", 3)), (1, struct.pack("i", 2)), (0, struct.pack("f", 8))), ("the gain is positive", "index 3 is outside")),
    Program("rates_of_several", "int->int pipeline P { add F; add F; } int->int filter F { work pop 1 push 2 peek 4 { int x = pop(); for (int i = 0; i < (x > 0 ? 2 : 1); i++) push(x + i); if (x <= 0) push(peek(x & 1)); } }", "i", "i"),
    Program("rates_of_several_broken", "int->int pipeline P { add F; add F; } int->int filter F { int n; void give(int x) push 1 { push(x); } prework pop 1 push 1 { give(pop()); } work pop 1 push 1 { int x = pop(); n++; for (int i = 0; i < (n > 5 ? 2 : 1); i++) give(x); } }", "i", "i", says=("[push-rate-violated] in P.F",)),
    Program("faults_of_several", "int->int pipeline P { add F(12); add pipeline { add F(9); }; } int->int filter F(int n) { int[n] a; work pop 1 push 1 { int x = pop(); a[x & 15] = x; push(a[(x + 1) & 7] + x); } }", "i", "i", says=("[index-out-of-range] in P.F",)),
    Program("a_source_of_several", "void->int pipeline P { add Count; add Odd; } void->int filter Count { int n = 5; work push 1 { push(n++); } } int->int filter Odd { work pop 3 push 2 peek 4 { push(peek(3)); push(pop()); pop(); pop(); } }", "", "i"),
    Program("library_filters_of_several", "float->float pipeline P { add LowPass(48000, 4000, 24); add Delay(3); add BiquadPeak(48000, 1000, 6, 1); add Decimator(2); }", "f", "f"),
]
