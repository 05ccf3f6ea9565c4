"""Programs for libraries, each with what their items need."""

# Frames as networks have them.
FRAMES = """
float->float pipeline Frames { add Overlap(48); add Louder(); }
float->float filter Overlap(int n) {
    work pop n peek 2 * n push n {
        for (int k = 0; k < n; k++) push(peek(k) + 0.5 * peek(n + k));
        for (int k = 0; k < n; k++) pop();
    }
}
float->float filter Louder { work pop 1 push 1 { push(1.25 * pop()); } }
"""

FIR = """float->float pipeline Fir { add Window; add Scale; }
float->float filter Window {
    float[7] weight;
    init { for (int i = 0; i < 7; i++) weight[i] = 1.0 / (i + 2); }
    work pop 1 push 1 peek 7 {
        float sum = 0;
        for (int i = 0; i < 7; i++) sum += weight[i] * peek(i);
        pop();
        push(sum);
    }
}
float->float filter Scale { work pop 1 push 1 { push(sin(pop())); } }
"""
RESAMPLE = """int->int pipeline Resample { add Up; add Down; }
int->int filter Up { work pop 2 push 3 { int a = pop(); int b = pop(); push(a); push(a + b); push(b); } }
int->int stateful filter Down {
    int count;
    prework push 1 pop 3 { push(pop() + pop() + pop()); }
    work pop 5 push 2 { int s = 0; for (int i = 0; i < 5; i++) s ^= pop(); push(s); push(count++); }
}
"""
ECHO = """float->float pipeline Echo { add Loop; add Noise; }
float->float feedbackloop Loop {
    join roundrobin(1, 1);
    body float->float filter { work pop 2 push 1 { float x = pop(); push(x + 0.5 * pop()); } };
    split duplicate;
    loop Identity<float>;
    for (int i = 0; i < 37; i++) enqueue 0.25;
}
float->float filter Noise { work pop 1 push 1 { push(pop() + random()); } }
"""
STRUCTS = """struct P { boolean first; int class; complex z; double[2] d; }
P->P stateful filter Structs {
    boolean odd;
    work pop 3 push 2 {
        P a = pop();
        P b = pop();
        pop();
        odd = !odd;
        a.first = odd;
        a.class = a.class + b.class;
        a.z = a.z * b.z;
        push(b);
        push(a);
    }
}
"""
ARRAYS = """float[3][2]->complex pipeline Arrays { add Sum; add Twist; }
float[3][2]->float filter Sum {
    work pop 1 push 2 { float[3][2] m = pop(); push(m[0][0] + m[2][1]); push(m[1][0]); }
}
float->complex filter Twist { work pop 2 push 1 { complex z; z.real = pop(); z.imag = pop(); push(z); } }
"""
# Whole numbers as weights: sums come out the same in any order.
TENSORS = """float->float pipeline Net {
    add frame({4, 16}); add Mix(); add relu(); add splitjoin { split duplicate; add Along(); add slice(1, 1, 15); join roundrobin; }
    add add(); add unframe({4, 14});
}
tensor->tensor filter Mix {
    tensor<float>[4, 4] m;
    init { m = reshape(arange(16), 4, 4) - 7.0; }
    work pop 1 push 1 { push(matmul(m, pop())); }
}
tensor->tensor stateful filter Along {
    tensor<float>[4, 4, 3] w;
    tensor<float>[4, 14] last;
    init { w = reshape(arange(48), 4, 4, 3) - 20.0; }
    work pop 1 push 1 {
        tensor y = conv(pop(), w, 1, 1, 1);
        push(y - last);
        last = y;
    }
}
"""
BITS = """bit->int filter Bits { work pop 8 push 1 { int n = 0; for (int i = 0; i < 8; i++) n = 2 * n + pop(); push(n); } }
"""
SOURCE = """void->int pipeline Source { add Count; add Keep; }
void->int stateful filter Count { int n; work push 3 { push(n++); push(n * n); push(n ^ 5); } }
int->int filter Keep { work pop 2 push 1 peek 4 { push(peek(3) - pop()); pop(); } }
"""
SINK = """int->void stateful filter Sink { int n; work pop 5 { for (int i = 0; i < 5; i++) n += pop(); } }
"""
FAULT = """int->int pipeline Fault { add Index; }
int->int filter Index {
    int[10] table;
    init { for (int i = 0; i < 10; i++) table[i] = 3 * i; }
    work pop 1 push 1 { push(table[pop()]); }
}
"""
DIVIDE = """int->int pipeline Divide { add Two; add Ratio; }
int->int filter Two { work pop 1 push 2 { int x = pop(); push(100); push(x); } }
int->int filter Ratio { work pop 2 push 1 { int x = pop(); push(x / pop()); } }
"""
LARGE = """int->int pipeline Large { add Table; add Callers; }
int->int filter Table {
    work pop 1 push 1 {
        int[60000] all;
        int x = pop();
        for (int i = 0; i < 60000; i++) all[i] = i * x;
        push(all[(x * x) & 32767]);
    }
}
int->int filter Callers {
    int twice(int[5000] from, int at) {
        int[5000] own;
        for (int i = 0; i < 5000; i++) own[i] = 2 * from[(i * at & 8191) % 5000];
        return own[at % 5000] + once(own, at + 1);
    }
    int once(int[5000] from, int at) {
        int[5000] own;
        for (int i = 0; i < 5000; i++) own[i] = from[4999 - i] + at;
        return own[at * 7 % 5000];
    }
    work pop 1 push 1 {
        int[5000] all;
        int x = pop() & 1023;
        for (int i = 0; i < 5000; i++) all[i] = i ^ x;
        push(once(all, x) + twice(all, x) + all[x]);
    }
}
"""
DEEP = """int->int pipeline Deep { add Table; add Sums; }
int->int filter Table {
    work pop 1 push 1 {
        int[60000] all;
        int x = pop();
        for (int i = 0; i < 60000; i++) all[i] = i * x;
        push(all[(x * x) & 32767]);
    }
}
int->int filter Sums {
    work pop 1 push 1 { push(sum(pop() & 255)); }
    int sum(int n) { int[500] own; own[n] = n; if (n <= 0) return 0; return own[n] + sum(n - 1); }
}
"""
RESIDUAL = """tensor->tensor pipeline Residual {
    add conv2d(3, 64, 7, 7, 2, 2, 3, 3, bias = false, weights = "conv");
    add batchnorm2d(64, weights = "bn");
    add relu();
    add maxpool2d(3, 2, 1);
    add Block(64, "layer1.0");
    add Block(64, "layer1.1");
    add conv2d(64, 128, 3, 3, 2, 2, 1, 1, weights = "down");
    add Block(128, "layer2.0");
    add mean({2, 3});
    add linear(128, 1000, weights = "out");
    add softmax();
}
tensor->tensor pipeline Block(int channels, String weights) {
    add splitjoin {
        split duplicate;
        add pipeline {
            add conv2d(channels, channels, 3, 3, 1, 1, 1, 1, bias = false, weights = weights + ".conv1");
            add batchnorm2d(channels, weights = weights + ".bn1");
            add relu();
            add conv2d(channels, channels, 3, 3, 1, 1, 1, 1, bias = false, weights = weights + ".conv2");
            add batchnorm2d(channels, weights = weights + ".bn2");
        }
        add Identity<tensor>();
        join roundrobin;
    }
    add add();
    add relu();
}
"""
ENDLESS = """int->int filter Endless {
    work pop 1 push 1 { push(sum(pop())); }
    int sum(int n) { int[20] own; own[n & 15] = n; if (n <= 0) return 0; return own[n & 15] + sum(n - 1); }
}
"""
GAIN = """float->float pipeline Gain(float gain = 2, boolean loud = false, int taps = 3) { add Apply(gain, loud, taps); }
float->float filter Apply(float gain, boolean loud, int taps) {
    float square;
    init { square = gain * gain; }
    work pop 1 push 1 { push(loud ? square * pop() : gain * pop()); }
}
"""
NETWORK = """tensor<float>[3, 4]->tensor pipeline Network {
    add linear(4, 40, weights = "a");
    add relu();
    add linear(40, 5, weights = "b");
    add softmax();
}
"""
TURNS = """tensor<float>[2, 3]->tensor filter Turns {
    work pop 1 push 3 {
        tensor x = pop();
        push(transpose(x, 0, 1) * 2);
        push(argmax(x, 1));
        push(x > 2);
    }
}
"""
# Large enough for an executable to share it among the processors.
# Bodies whose arrays are large, one after the other.
IMAGES = """tensor<float>[1, 1, 96, 96]->tensor pipeline Images {
    for (int k = 0; k < 3; k++) {
        add conv2d(1, 1, 3, 3, 1, 1, 1, 1, weights = "c");
        add maxpool2d(3, 1, 1);
        add softmax(3);
    }
}
"""

PRODUCT = """tensor<float>[8, 1024]->tensor pipeline Product { add linear(1024, 1024, weights = "a"); }
"""

# Windows of blocks: what is left of a block at the end suffices for some of them.
BLOCKS = """float->float pipeline Blocks { add Block(4); add Sum(3); add Block(5); add Sum(2); }
float->float filter Block(int n) { work pop n push n { for (int k = 0; k < n; k++) push(pop()); } }
float->float filter Sum(int n) {
    work pop 1 peek n push 1 { float sum = 0; for (int k = 0; k < n; k++) sum += peek(k); pop(); push(sum); }
}
"""
