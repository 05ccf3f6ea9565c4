/// Streams that go on with another program, as a program in C replaces them. Exits with 0 if all is as it should be.
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "replacing.h"

static strc_compiler* compiler_of(const char* source) { return bounded_compiler_of(source, NULL); }

static int has_diagnostic(strc_compiler* c, const char* code) {
    strc_diagnostic found;
    for (size_t k = 0; strc_compiler_diagnostic(c, k, &found) == STRC_OK; ++k)
        if (strcmp(found.code, code) == 0) return 1;
    return 0;
}

// ---- what is kept

#define SUM                                                   \
    "int->int stateful filter Sum { int total; int unused;\n" \
    "    work pop 1 push 1 { total += pop(); push(total); } }\n"

static void test_state(void) {
    strc_compiler* one =
        compiler_of("int->int pipeline Main { add Sum; add Scale(1); }\n" SUM SCALE);
    strc_compiler* two = compiler_of(
        "int->int pipeline Main { add Scale(1); add Sum; add Count; add Scale(10); }\n" SUM SCALE
        "int->int stateful filter Count { int n; work pop 1 push 1 { n++; push(pop() + 1000 * n); "
        "} }\n");
    strc_stream* s = stream_of(one);
    const int in[4] = {1, 2, 3, 4};
    int out[4];
    size_t given;
    EXPECT(state_of(s, 1) == STRC_REPLACING_NOTHING);
    EXPECT(strc_stream_process(s, in, 4, out, 4, NULL, &given) == STRC_OK && out[3] == 10);
    replace(s, two, 0);
    EXPECT(tells(s, "kept: Main.Sum (total)\n") && tells(s, "new: Main.Count\n"));
    EXPECT(strc_stream_process(s, in, 2, out, 4, NULL, &given) == STRC_OK && given == 2);
    EXPECT(out[0] == 10110 && out[1] == 20130);
    EXPECT(state_of(s, 0) == STRC_REPLACING_DONE);
    strc_compiler_free(one);  // nothing needs it any more
    strc_compiler* three = compiler_of(
        "int->int pipeline Main { add Sum; }\n"
        "int->int stateful filter Sum { double total;\n"
        "    work pop 1 push 1 { total += pop(); push((int)total); } }\n");
    replace(s, three, 0);
    EXPECT(tells(s, "begun anew: Main.Sum, since the fields that it changes are others\n"));
    EXPECT(tells(s, "gone: Main.Count\n"));
    EXPECT(strc_stream_process(s, in, 2, out, 4, NULL, &given) == STRC_OK && out[1] == 3);
    uint64_t taken_in_all, given_in_all;
    EXPECT(strc_stream_position(s, &taken_in_all, &given_in_all) == STRC_OK);
    EXPECT(taken_in_all == 8 && given_in_all == 8);
    strc_stream_free(s);
    strc_compiler_free(two);
    strc_compiler_free(three);
}

/// What init computes is as the new program has it, though the field has the same name; siblings that come do not make another of the first.
static void test_computed_fields(void) {
    const char* form =
        "int->int pipeline Main { add Gain(%d); %s }\n"
        "int->int stateful filter Gain(int by) { int[2] table; int n; init { table[0] = by; }\n"
        "    work pop 1 push 1 { n++; push(table[0] * pop() + 100 * n); } }\n";
    char first[400], second[400];
    snprintf(first, sizeof first, form, 2, "");
    snprintf(second, sizeof second, form, 3, "add Gain(1);");
    strc_compiler *one = compiler_of(first), *two = compiler_of(second);
    strc_stream* s = stream_of(one);
    const int in[2] = {1, 1};
    int out[2];
    EXPECT(strc_stream_process(s, in, 2, out, 2, NULL, NULL) == STRC_OK && out[1] == 202);
    replace(s, two, 0);
    EXPECT(tells(s, "kept: Main.Gain[0] (n)\n") && tells(s, "new: Main.Gain[1]\n"));
    EXPECT(strc_stream_process(s, in, 1, out, 2, NULL, NULL) == STRC_OK && out[0] == 403);
    strc_stream_free(s);
    strc_compiler_free(one);
    strc_compiler_free(two);
}

/// Nothing has run yet: the new program begins at its beginning, prework included.
static void test_before_the_beginning(void) {
    strc_compiler* one = compiler_of("int->int pipeline Main { add Scale(1); }\n" SCALE);
    strc_compiler* two = compiler_of(
        "int->int stateful filter Main { prework push 1 { push(7); } work pop 1 push 1 { "
        "push(pop()); } }\n");
    strc_stream* s = stream_of(one);
    const int in[2] = {1, 2};
    int out[4];
    size_t given;
    replace(s, two, 0);
    EXPECT(strc_stream_process(s, in, 2, out, 4, NULL, &given) == STRC_OK && given == 3);
    EXPECT(out[0] == 7 && out[2] == 2);
    strc_stream_free(s);
    strc_compiler_free(one);
    strc_compiler_free(two);
}

/// A loop goes on with what is in it.
static void test_loops(void) {
    const char* form =
        "int->int feedbackloop Main { join roundrobin(1, 1); body Add; loop Scale(%d);\n"
        "    split duplicate; for (int k = 0; k < 3; k++) enqueue k; }\n"
        "int->int filter Add { work pop 2 push 1 { push(pop() + pop()); } }\n" SCALE;
    char first[600], second[600];
    snprintf(first, sizeof first, form, 1);
    snprintf(second, sizeof second, form, 2);
    strc_compiler *one = compiler_of(first), *two = compiler_of(second);
    strc_stream* s = stream_of(one);
    const int in[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    int out[9];
    size_t given, more;
    EXPECT(strc_stream_process(s, in, 5, out, 9, NULL, &given) == STRC_OK);
    replace(s, two, 0);
    EXPECT(strc_stream_process(s, in, 4, out + given, 9 - given, NULL, &more) == STRC_OK);
    EXPECT(given == 5 && more == 4);
    // out[n] = 1 + gain * out[n - 3]; three items had gone through the gain when that changed.
    const int expected[9] = {1, 2, 3, 2, 3, 4, 3, 4, 9};
    EXPECT(memcmp(out, expected, sizeof out) == 0);
    strc_stream_free(s);
    strc_compiler_free(one);
    strc_compiler_free(two);
}

// ---- what waits at the ends

/// Whatever the rates are, and wherever the cut is: each item once, in order.
static void test_rates(void) {
    const char* copies[] = {
        "int->int filter Main { work pop 1 push 1 { push(pop()); } }\n",
        "int->int filter Main { work pop 3 push 3 { for (int k = 0; k < 3; k++) push(pop()); } }\n",
        "int->int filter Main { work pop 7 push 7 { for (int k = 0; k < 7; k++) push(pop()); } "
        "}\n"};
    enum { kItems = 60 };
    int in[kItems], out[kItems];
    for (int k = 0; k < kItems; ++k) in[k] = k + 1;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            for (size_t cut = 2; cut < 12; cut += 3)
                for (size_t room = 0; room <= 5; room += 5) {
                    strc_compiler *one = compiler_of(copies[a]), *two = compiler_of(copies[b]);
                    strc_stream* s = stream_of(one);
                    size_t at = 0, all = 0, taken, given;
                    EXPECT(strc_stream_process(s, in, cut, out, room, &taken, &given) == STRC_OK);
                    at += taken;
                    all += given;
                    replace(s, two, 0);
                    for (int n = 0; n < 200 && (at < kItems || given != 0); ++n) {
                        const size_t count = kItems - at < 4 ? kItems - at : 4;
                        const size_t free = kItems - all < 3 ? kItems - all : 3;
                        EXPECT(strc_stream_process(s, in + at, count, out + all, free, &taken,
                                                   &given) == STRC_OK);
                        at += taken;
                        all += given;
                    }
                    EXPECT(strc_stream_drain(s, out + all, kItems - all, &given) == STRC_OK);
                    all += given;
                    EXPECT(at == kItems && all >= kItems - 6 && all <= kItems);
                    EXPECT(memcmp(in, out, all * sizeof *out) == 0);
                    strc_stream_free(s);
                    strc_compiler_free(one);
                    strc_compiler_free(two);
                    if (faults > 10) return;
                }
}

/// An output item for each input item, before and after; the new window looks at the same newest items.
static void test_windows(void) {
    const char* form =
        "int->int filter Main { work pop 1 push 1 peek %d {\n"
        "    int sum = 0; for (int k = 0; k < %d; k++) sum += peek(k); pop(); push(sum); } }\n";
    for (int before = 1; before < 7; before += 2)
        for (int after = 1; after < 7; after += 2) {
            char first[300], second[300];
            snprintf(first, sizeof first, form, before, before);
            snprintf(second, sizeof second, form, after, after);
            strc_compiler *one = compiler_of(first), *two = compiler_of(second);
            strc_stream* s = stream_of(one);
            int in[20], out[20];
            for (int k = 0; k < 20; ++k) in[k] = 1 << k;
            size_t taken, given;
            EXPECT(strc_stream_process(s, in, 10, out, 20, &taken, &given) == STRC_OK);
            EXPECT(taken == 10 && given == (size_t)(11 - before));
            replace(s, two, 0);
            EXPECT(strc_stream_process(s, in + 10, 10, out, 20, &taken, &given) == STRC_OK);
            EXPECT(taken == 10 && given == 10);
            for (int n = 0; n < 10; ++n) {
                int sum =
                    0;  // of what both windows, the old one and what has come since, have seen
                for (int k = 0; k < after; ++k) {
                    const int item = 10 + n - k;
                    sum += item < 10 - (before - 1) ? 0 : in[item];
                }
                EXPECT(out[n] == sum);
            }
            strc_stream_free(s);
            strc_compiler_free(one);
            strc_compiler_free(two);
        }
}

/// Branches stay side by side, whatever becomes of the window of one.
static void test_branches(void) {
    const char* form =
        "int->int splitjoin Main { split duplicate; add Oldest(%d); add Copy; join roundrobin; }\n"
        "int->int filter Oldest(int n) { work pop 1 push 1 peek n { push(peek(0)); pop(); } }\n"
        "int->int filter Copy { work pop 1 push 1 { push(pop()); } }\n";
    const int windows[4][2] = {{4, 4}, {4, 9}, {9, 4}, {1, 5}};
    for (int k = 0; k < 4; ++k) {
        char first[500], second[500];
        snprintf(first, sizeof first, form, windows[k][0]);
        snprintf(second, sizeof second, form, windows[k][1]);
        strc_compiler *one = compiler_of(first), *two = compiler_of(second);
        strc_stream* s = stream_of(one);
        int in[40], out[80];
        for (int n = 0; n < 40; ++n) in[n] = n + 1;
        size_t taken, given, more;
        EXPECT(strc_stream_process(s, in, 20, out, 80, &taken, &given) == STRC_OK && taken == 20);
        replace(s, two, 0);
        EXPECT(strc_stream_process(s, in + 20, 20, out + given, 80 - given, &taken, &more) ==
               STRC_OK);
        EXPECT(taken == 20 && more == 40);
        for (size_t n = 0; n < given + more; n += 2) EXPECT(out[n] == out[n + 1]);
        EXPECT(out[given + more - 1] == 40 - (windows[k][1] - 1));
        strc_stream_free(s);
        strc_compiler_free(one);
        strc_compiler_free(two);
    }
}

/// Fields are what their types are made of, whatever these are called.
static void test_types_of_fields(void) {
    const char* form =
        "struct %s { int a; %s b; }\n"
        "int->int stateful filter Main { %s p; int[%d] last; work pop 1 push 1 {\n"
        "    p.a += pop(); last[0] = p.a; push(last[0]); } }\n";
    const struct {
        const char *name, *type;
        int extent, keeps;
    } others[4] = {{"Other", "float", 2, 1},
                   {"Pair", "int", 2, 0},
                   {"Pair", "float", 3, 0},
                   {"Pair", "float", 2, 1}};
    for (int k = 0; k < 4; ++k) {
        char first[400], second[400];
        snprintf(first, sizeof first, form, "Pair", "float", "Pair", 2);
        snprintf(second, sizeof second, form, others[k].name, others[k].type, others[k].name,
                 others[k].extent);
        strc_compiler *one = compiler_of(first), *two = compiler_of(second);
        strc_stream* s = stream_of(one);
        const int in[1] = {5};
        int out[1];
        EXPECT(strc_stream_process(s, in, 1, out, 1, NULL, NULL) == STRC_OK && out[0] == 5);
        replace(s, two, 0);
        EXPECT(strc_stream_process(s, in, 1, out, 1, NULL, NULL) == STRC_OK);
        EXPECT(out[0] == (others[k].keeps ? 10 : 5));
        strc_stream_free(s);
        strc_compiler_free(one);
        strc_compiler_free(two);
    }
}

/// A program that takes its own place changes nothing, whatever it is made of.
static void test_same(void) {
    const char* programs[] = {
        "float->float pipeline Main { add BiquadPeak(48000, 2500, 1, 4); add LowPass(48000, 2000, "
        "32);\n"
        "    add BiquadLowPass(48000, 7000); }\n",
        "float->float feedbackloop Main { join roundrobin(1, 1); body float->float filter {\n"
        "        work pop 2 push 1 { float x = pop(); push(x + 0.5 * pop()); } };\n"
        "    split duplicate; loop Identity<float>; for (int k = 0; k < 5; k++) enqueue k; }\n",
        "float->float pipeline Main { add splitjoin { split duplicate; add Window(7); add "
        "Window(2);\n"
        "        add pipeline { add Window(3); add splitjoin { split roundrobin(2, 1); add "
        "Window(4); add Identity<float>;\n"
        "            join roundrobin(2, 1); }; }; join roundrobin(1, 1, 1); };\n"
        "    add float->float filter { work pop 4 push 3 { for (int k = 0; k < 3; k++) "
        "push(pop()); pop(); } }; }\n"
        "float->float filter Window(int n) { work pop 1 push 1 peek n {\n"
        "    float sum = 0; for (int k = 0; k < n; k++) sum += peek(k) * (k + 1); pop(); "
        "push(sum); } }\n",
        "float->float pipeline Main { add First; add float->float filter { work pop 3 peek 7 push "
        "2 {\n"
        "        push(peek(6) + iter()); push(peek(1) + random()); pop(); pop(); pop(); } }; add "
        "Hold; }\n"
        "float->float filter First { prework pop 3 push 1 { push(pop() + pop() * pop()); }\n"
        "    work pop 1 push 1 peek 2 { push(peek(0) - peek(1)); pop(); } }\n"
        "struct Kept { float[3] last; int at; }\n"
        "float->float stateful filter Hold { Kept kept; work pop 1 push 2 {\n"
        "    kept.last[kept.at] = pop(); kept.at = (kept.at + 1) % 3; push(kept.last[kept.at]); "
        "push(kept.at); } }\n"};
    enum { kItems = 400 };
    for (size_t p = 0; p < sizeof programs / sizeof *programs; ++p) {
        static float in[kItems], whole[4 * kItems], parts[4 * kItems];
        for (int k = 0; k < kItems; ++k) in[k] = (float)(k * k % 37);
        strc_compiler *c = compiler_of(programs[p]), *current = compiler_of(programs[p]);
        strc_stream *straight = stream_of(c), *s = stream_of(current);
        size_t expected, all = 0, taken, given;
        EXPECT(strc_stream_process(straight, in, kItems, whole, 4 * kItems, NULL, &expected) ==
               STRC_OK);
        for (size_t at = 0, step = 5; at < kItems; at += taken, step = step * 7 % 61) {
            const size_t count = kItems - at < step ? kItems - at : step;
            EXPECT(strc_stream_process(s, in + at, count, parts + all, 4 * kItems - all, &taken,
                                       &given) == STRC_OK);
            EXPECT(taken == count);
            all += given;
            strc_compiler* next = compiler_of(programs[p]);
            replace(s, next, 0);
            EXPECT(strc_stream_process(s, NULL, 0, NULL, 0, NULL, NULL) == STRC_OK);
            EXPECT(state_of(s, 0) == STRC_REPLACING_DONE);
            strc_compiler_free(current);
            current = next;
        }
        EXPECT(expected > 200 && all == expected && memcmp(whole, parts, all * sizeof *parts) == 0);
        strc_stream_free(straight);
        strc_stream_free(s);
        strc_compiler_free(c);
        strc_compiler_free(current);
    }
}

// ---- both at once

static void test_fade(void) {
    enum { kFade = 9, kItems = 40 };
    const char* form =
        "float->float filter Main { work pop %d push %d { for (int k = 0; k < %d; k++) push(%d + 0 "
        "* pop()); } }\n";
    for (int block = 1; block < 8; block += 3)
        for (size_t step = 1; step < 12; step += 5) {
            char first[300], second[300];
            snprintf(first, sizeof first, form, 2, 2, 2, 1);
            snprintf(second, sizeof second, form, block, block, block, 3);
            strc_compiler *one = compiler_of(first), *two = compiler_of(second);
            strc_stream* s = stream_of(one);
            float in[kItems] = {0}, out[kItems];
            size_t at = 0, all = 0, taken, given;
            EXPECT(strc_stream_process(s, in, 5, out, kItems, &taken, &given) == STRC_OK);
            at += taken;
            all += given;
            EXPECT(taken == 5 && given == 4);
            replace(s, two, kFade);
            while (at < kItems) {
                const size_t count = kItems - at < step ? kItems - at : step;
                EXPECT(strc_stream_process(s, in + at, count, out + all, kItems - all, &taken,
                                           &given) == STRC_OK);
                EXPECT(taken == count);
                at += taken;
                all += given;
            }
            EXPECT(state_of(s, 0) == STRC_REPLACING_DONE);
            EXPECT(all + (size_t)block > kItems - 1);
            for (size_t k = 0; k < all; ++k) {
                const double part = k < 4 ? 0 : k < 4 + kFade ? (double)(k - 3) / (kFade + 1) : 1;
                EXPECT(fabs(out[k] - (1 + 2 * part)) < 1e-6);
            }
            strc_stream_free(s);
            strc_compiler_free(one);
            strc_compiler_free(two);
        }
}

/// Programs without an input; and what is no float is not mixed.
static void test_sources(void) {
    const char* form = "void->%s stateful filter Main { int n; work push 1 { push(n++ + %d); } }\n";
    for (int isFloat = 0; isFloat < 2; ++isFloat) {
        char first[200], second[200];
        snprintf(first, sizeof first, form, isFloat ? "float" : "int", 0);
        snprintf(second, sizeof second, form, isFloat ? "float" : "int", 100);
        strc_compiler *one = compiler_of(first), *two = compiler_of(second);
        strc_stream* s = stream_of(one);
        float reals[8];
        int ints[8];
        void* out = isFloat ? (void*)reals : (void*)ints;
        size_t given;
        EXPECT(strc_stream_process(s, NULL, 0, out, 3, NULL, &given) == STRC_OK && given == 3);
        replace(s, two, 3);
        EXPECT(tells(s, "no cross-fade") == !isFloat);
        EXPECT(strc_stream_process(s, NULL, 0, out, 8, NULL, &given) == STRC_OK && given == 8);
        if (isFloat)
            EXPECT(reals[0] == 3 + 25 && reals[2] == 5 + 75 && reals[3] == 106 && reals[7] == 110);
        else
            EXPECT(ints[0] == 103 && ints[7] == 110);
        strc_stream_free(s);
        strc_compiler_free(one);
        strc_compiler_free(two);
    }
}

// ---- what is refused

static void test_refusals(void) {
    const char* good = "int->int filter Main { work pop 1 push 1 { push(pop() + 1); } }\n";
    const struct {
        const char *source, *code;
    } bad[] = {
        {"int->int filter Main { work pop 1 push 1 { push(nothing); } }\n", "unknown-variable"},
        {"float->int filter Main { work pop 1 push 1 { push((int)pop()); } }\n", "cannot-replace"},
        {"int->float filter Main { work pop 1 push 1 { push(pop()); } }\n", "cannot-replace"},
        {"int->int stateful filter Main { prework pop 1 { int x = 1 / pop(); } work pop 1 push 1 { "
         "push(pop()); } }\n",
         "cannot-replace"},
        {"int->int filter Main { work pop * push 1 { push(pop()); } }\n", "library-effect"}};
    strc_compiler* one = compiler_of(good);
    strc_stream* s = stream_of(one);
    const int in[1] = {1};
    int out[1];
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        strc_compiler* next = compiler_of(bad[k].source);
        EXPECT(strc_stream_replace(s, next, 0) == STRC_OK);
        EXPECT(state_of(s, 1) == STRC_REPLACING_REFUSED);
        if (!has_diagnostic(next, bad[k].code)) {
            strc_diagnostic found;
            for (size_t n = 0; strc_compiler_diagnostic(next, n, &found) == STRC_OK; ++n)
                fputs(found.text, stderr);
            EXPECT(!"the diagnostic");
        }
        EXPECT(strc_stream_process(s, in, 1, out, 1, NULL, NULL) == STRC_OK && out[0] == 2);
        strc_compiler_free(next);
    }
    strc_compiler* plain = strc_compiler_new();
    EXPECT(strc_compiler_add_source(plain, "p.str", good, strlen(good)) == STRC_OK);
    EXPECT(strc_stream_replace(s, plain, 0) == STRC_WRONG_CALL);
    EXPECT(strc_stream_replace(s, one, 0) == STRC_WRONG_CALL);
    EXPECT(strc_stream_replace(s, NULL, 0) == STRC_WRONG_CALL);
    strc_compiler_free(plain);
    strc_compiler *two = compiler_of(good), *three = compiler_of(good);
    replace(s, two, 0);
    EXPECT(strc_stream_replace(s, three, 0) == STRC_WRONG_CALL);  // the other one is on its way
    EXPECT(strc_stream_process(s, in, 1, out, 1, NULL, NULL) == STRC_OK && out[0] == 2);
    strc_stream_free(s);
    strc_compiler_free(one);
    strc_compiler_free(two);
    strc_compiler_free(three);
}

/// A program that has failed goes on with another one.
static void test_failed(void) {
    strc_compiler* one =
        compiler_of("int->int filter Main { work pop 1 push 1 { push(1 / pop()); } }\n");
    strc_compiler* two =
        compiler_of("int->int filter Main { work pop 1 push 1 { push(pop()); } }\n");
    strc_stream* s = stream_of(one);
    const int in[2] = {0, 5};
    int out[2];
    EXPECT(strc_stream_process(s, in, 1, out, 2, NULL, NULL) == STRC_FAILED);
    EXPECT(strc_stream_process(s, in + 1, 1, out, 2, NULL, NULL) == STRC_FAILED);
    replace(s, two, 0);
    EXPECT(strc_stream_process(s, in + 1, 1, out, 2, NULL, NULL) == STRC_OK && out[0] == 5);
    strc_stream_free(s);
    strc_compiler_free(one);
    strc_compiler_free(two);
}

/// What has failed has no state to go on with, and the report says so.
static void test_failed_is_told(void) {
    const char* sums =
        "int->int filter Main { int sum; work pop 1 push 1 { sum += %s; push(sum); } }\n";
    char first[128], second[128];
    snprintf(first, sizeof first, sums, "12 / pop()");
    snprintf(second, sizeof second, sums, "pop()");
    strc_compiler* one = compiler_of(first);
    strc_compiler* two = compiler_of(second);
    strc_stream* s = stream_of(one);
    const int in[3] = {3, 0, 5};
    int out[2];
    EXPECT(strc_stream_process(s, in, 2, out, 2, NULL, NULL) == STRC_FAILED);
    replace(s, two, 0);
    EXPECT(strc_stream_compiler(s) == one);
    EXPECT(strc_stream_process(s, in + 2, 1, out, 2, NULL, NULL) == STRC_OK && out[0] == 5);
    EXPECT(strc_stream_compiler(s) == two && !strc_stream_compiler(NULL));
    strc_replacement about = {.size = sizeof about};
    EXPECT(strc_stream_replacement(s, 0, &about) == STRC_OK && about.state == STRC_REPLACING_DONE);
    EXPECT(strstr(about.told, "begun anew: all of it") && !strstr(about.told, "kept"));
    strc_stream_free(s);
    strc_compiler_free(one);
    strc_compiler_free(two);
}

// ---- parameters

static void test_parameters(void) {
    const char* form =
        "float->float pipeline Main(float gain = %d, float more = 0) { add Amplify(gain, more); }\n"
        "float->float filter Amplify(float gain, float more) { float twice; init { twice = 2 * "
        "gain; }\n"
        "    work pop 1 push 1 { push(twice * pop() + more); } }\n";
    char first[400], second[400];
    snprintf(first, sizeof first, form, 1);
    snprintf(second, sizeof second, form, 5);
    strc_compiler *one = compiler_of(first), *two = compiler_of(second);
    for (int k = 0; k < 2; ++k) {
        EXPECT(strc_compiler_set(k ? two : one, "keep-param", "gain") == STRC_OK);
        EXPECT(strc_compiler_set(k ? two : one, "keep-param", "more") == STRC_OK);
    }
    strc_stream* s = stream_of(one);
    const float in[1] = {1};
    float out[1];
    EXPECT(strc_stream_set_text(s, "more", "0.5") == STRC_OK);
    EXPECT(strc_stream_process(s, in, 1, out, 1, NULL, NULL) == STRC_OK && out[0] == 2.5f);
    EXPECT(strc_stream_set_text(s, "mor", "1") == STRC_FAILED &&
           has_diagnostic(one, "unknown-define"));
    EXPECT(strc_stream_set_text(s, "more", "x") == STRC_FAILED);
    EXPECT(has_diagnostic(one, "bad-define-value"));
    replace(s, two, 0);  // the default that was edited counts, and the value that was set
    EXPECT(strc_stream_process(s, in, 1, out, 1, NULL, NULL) == STRC_OK && out[0] == 10.5f);
    EXPECT(strc_stream_set_text(s, "gain", "2") == STRC_OK);
    EXPECT(strc_stream_process(s, in, 1, out, 1, NULL, NULL) == STRC_OK && out[0] == 4.5f);
    strc_stream_free(s);
    strc_compiler_free(one);
    strc_compiler_free(two);
}

// ---- while another thread processes

typedef struct processing {
    strc_stream* stream;
    atomic_int is_over;
    int is_wrong;
    long items;
} processing;

static void* process(void* of) {
    processing* p = of;
    int last = 0;
    while (!atomic_load(&p->is_over)) {
        int in[5], out[5];
        size_t taken, given;
        for (int k = 0; k < 5; ++k) in[k] = 1;
        if (strc_stream_process(p->stream, in, 5, out, 5, &taken, &given) != STRC_OK ||
            taken != 5 || given != 5)
            p->is_wrong = 1;
        for (size_t k = 0; k < given; ++k)
            if (out[k] % 1000 != ++last % 1000) p->is_wrong = 1;
        p->items += (long)given;
    }
    return NULL;
}

/// The sum goes on from item to item, whatever is added to it.
static void test_threads(void) {
    char source[500];
    snprintf(source, sizeof source,
             "int->int pipeline Main { add Sum; add Add(%d); }\n" SUM
             "int->int filter Add(int n) { work pop 1 push 1 { push(pop() + n); } }\n",
             0);
    strc_compiler* current = compiler_of(source);
    processing p = {.stream = stream_of(current)};
    pthread_t thread;
    pthread_create(&thread, NULL, process, &p);
    for (int round = 1; round < 8; ++round) {
        snprintf(source, sizeof source,
                 "int->int pipeline Main { add Sum; add Add(%d); }\n" SUM
                 "int->int filter Add(int n) { work pop 1 push 1 { push(pop() + n); } }\n",
                 1000 * round);
        strc_compiler* next = compiler_of(source);
        EXPECT(strc_stream_replace(p.stream, next, 0) == STRC_OK);
        while (state_of(p.stream, 1) != STRC_REPLACING_DONE) continue;
        strc_compiler_free(current);
        current = next;
    }
    atomic_store(&p.is_over, 1);
    pthread_join(thread, NULL);
    EXPECT(!p.is_wrong && p.items > 0);
    strc_stream_free(p.stream);
    strc_compiler_free(current);
}

int main(void) {
    test_state();
    test_computed_fields();
    test_before_the_beginning();
    test_loops();
    test_rates();
    test_windows();
    test_branches();
    test_types_of_fields();
    test_same();
    test_fade();
    test_sources();
    test_refusals();
    test_failed();
    test_failed_is_told();
    test_parameters();
    test_threads();
    return faults != 0;
}
