"""Programs with dynamic rates and messages, which libraries have within a bound."""

# A word 126, a length, a payload and the sum of that; what is damaged or noise is left out.
PACKETS = """int->int pipeline Packets { add Descramble; add Decode; add Pairs; }
int->int filter Descramble { work pop 1 push 1 peek 2 { push(peek(0) ^ 85); pop(); } }
int->int filter Decode {
    int seen;
    work pop [1, *] push * {
        if (pop() == 126) {
            int n = pop() & 15;
            int[16] load;
            int sum = 0;
            for (int i = 0; i < n; i++) { load[i] = pop(); sum += load[i]; }
            if ((sum & 255) == pop()) {
                seen++;
                push(seen);
                for (int i = 0; i < n; i++) push(load[i]);
            }
        }
    }
}
int->int filter Pairs { work pop 2 push 3 { push(pop()); push(peek(0)); push(-pop()); } }
"""
RECEIVER = """float->int pipeline Receiver(float samples = 4.1) {
    add Agc(8000);
    add SymbolTiming(samples, 0.02);
    add Slice;
    add Words;
}
float->int filter Slice { work pop 1 push 1 { push(pop() > 0 ? 1 : 0); } }
int->int filter Words {
    int shift;
    work pop [1, *] push * {
        shift = (shift << 1 | pop()) & 255;
        if (shift == 178) { int word = 0; for (int i = 0; i < 6; i++) word = 2 * word + pop(); push(word); }
    }
}
"""
# Firings that wait in the middle for others that do.
NESTED = """int->int pipeline Nested { add Group(3); add Scale(5); add Group(2); add Fir; add Group(4); add Spread; add Spread; }
int->int filter Group(int most) {
    int n;
    work pop [1, *] push 1 {
        int[3000] kept;
        int count = 1 + n++ % most;
        for (int i = 0; i < count; i++) kept[i * 700] = pop();
        int s = 0;
        for (int i = 0; i < count; i++) s = 3 * s + kept[i * 700];
        push(s);
    }
}
int->int filter Scale(int n) { work pop 1 push 1 { push(n * pop() + iter()); } }
int->int filter Fir { work pop 1 peek 5 push 1 { int s = 0; for (int i = 0; i < 5; i++) s += (i + 1) * peek(i); pop(); push(s); } }
int->int filter Spread { work pop 1 push * { int n = pop(); for (int i = 0; i < (n & 3); i++) push(n + i); } }
"""
# The first firing is another one, and looks at what comes behind a splitter; random numbers are drawn in both branches.
WAYS = """int->int pipeline Ways { add Start; add Both; add Group; }
int->int filter Start {
    prework pop [1, *] push * { int n = pop() & 7; for (int i = 0; i < n; i++) pop(); push(n); }
    work pop 2 push 2 { push(pop()); push(pop()); }
}
int->int splitjoin Both {
    split roundrobin(1, 2);
    add Dither(3);
    add pipeline { add Dither(5); add Loop; };
    join roundrobin(1, 2);
}
int->int filter Dither(int most) { work pop 1 push 1 { push(pop() + (int)(most * random())); } }
int->int feedbackloop Loop {
    join roundrobin(1, 1);
    body int->int filter { work pop 2 push 1 { push(pop() + pop() / 2); } };
    split duplicate;
    loop Identity<int>;
    enqueue 7;
}
int->int filter Group { work pop [1, *] push 1 { int n = pop(); int s = n; for (int i = 0; i < (n & 3); i++) s += pop(); push(s); } }
"""
# Upstream and downstream, several on their way at a time.
MESSAGES = """int->int pipeline Messages { portal<Gain> up; portal<Gain> down; add Gain to up; add Slow; add Watch(up, down); add Slow; add Gain to down; }
int->int filter Gain {
    int g = 1;
    int[3] last;
    work pop 1 push 1 { push(g * pop() + last[g & 1]); }
    handler set(int v, int[3] all) { g = v; last = all; }
    handler more(int v) { g += v; }
}
int->int filter Slow { work pop 2 push 2 peek 3 { push(peek(1)); push(peek(0) + peek(2)); pop(); pop(); } }
int->int filter Watch(portal<Gain> up, portal<Gain> down) {
    int[3] all;
    work pop 1 push 1 {
        int x = pop();
        all[x & 1] = x;
        if (x % 5 == 0) up.set(x & 15, all) [4:4];
        if (x % 3 == 0) down.more(x & 7) [0:3];
        if (x % 7 == 0) down.more(1) [*];
        push(x);
    }
}
"""
# Within a static part, and across a filter with dynamic rates.
DYNAMIC_MESSAGES = """int->int pipeline Mixed { portal<Gain> near; portal<Gain> far; add Sender(near, far); add Gain to near; add Group; add Gain to far; }
int->int filter Sender(portal<Gain> near, portal<Gain> far) {
    work pop 1 push 1 {
        int n = pop();
        if (n % 5 == 0) near.scale(n) [2:2];
        if (n % 7 == 0) far.scale(-n);
        push(n);
    }
}
int->int filter Gain { int g = 1; work pop 1 push 1 { push(g * pop()); } handler scale(int by) { g = by; } }
int->int filter Group { int n = 0; work pop [1, *] push 1 { int s = 0; n++; for (int i = 0; i <= n % 3; i++) s += pop(); push(s); } }
"""
SOURCE = """void->int pipeline Source { add Count; add Spread; }
void->int filter Count { int k; work push 1 { push(k++); } }
int->int filter Spread { work pop 1 push * { int n = pop(); for (int i = 0; i < n % 5; i++) push(n); } }
"""
SINK = """int->void filter Sink { int s; work pop [1, *] { int n = pop() & 7; for (int i = 0; i < n; i++) s += pop(); } }
"""
# A firing that does not end.
FOREVER = """int->int filter Forever { work pop * push * { while (true) { int n = pop(); for (int i = 0; i < (n & 3); i++) push(n); } } }
"""
BURST = """int->int pipeline Burst { add Spread; add Scale; }
int->int filter Spread { work pop 1 push * { int n = pop(); for (int i = 0; i < n; i++) push(n + i); } }
int->int filter Scale { work pop 1 push 1 { push(3 * pop()); } }
"""
CROWD = """int->int pipeline Crowd { portal<Gain> p; add Gain to p; add Send(p); }
int->int filter Gain { int g = 1; work pop 1 push 1 { push(g * pop()); } handler scale(int by) { g += by; } }
int->int filter Send(portal<Gain> p) { work pop 1 push 1 { int n = pop(); for (int i = 0; i < n; i++) p.scale(i) [9:9]; push(n); } }
"""
FAULT = """int->int pipeline Fault { add Group; add Divide; }
int->int filter Group { work pop [1, *] push * { int n = pop() & 3; push(n); for (int i = 0; i < n; i++) push(pop()); } }
int->int filter Divide { work pop 1 push 1 { push(1000 / pop()); } }
"""
# An array of so many elements at each level, until there is no room for it.
ENDLESS = """int->int filter Endless {
    int sum(int n) { int[5000] a; a[n % 5000] = n; if (n <= 0) return 0; return a[n % 5000] + sum(n - 1); }
    work pop [1, *] push 1 { push(sum(pop())); }
}
"""
GAIN = """int->int pipeline Gain(int gain = 2, int most = 4) { add Group(most * most); add Amplify(gain); }
int->int filter Group(int top) {
    int[16] table;
    init { for (int i = 0; i < 16; i++) table[i] = top + i; }
    work pop [1, *] push 1 {
        int before = table[3];
        int n = pop() & 3;
        for (int i = 0; i < n; i++) pop();
        push(before == table[3] ? before : -1);
    }
}
int->int filter Amplify(int gain) { work pop 1 push 1 { push(gain * pop()); } }
"""
LOOP = """int->int feedbackloop Loop {
    join roundrobin(1, 1);
    body Some;
    split roundrobin(1, 1);
    loop Identity<int>;
    enqueue 1;
}
int->int filter Some { work pop 2 push * { int a = pop(); int b = pop(); push(a); push(b); } }
"""
