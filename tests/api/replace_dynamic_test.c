/// Streams with messages and with dynamic rates that go on with another program. Exits with 0 if all is as it should be.
#include "replacing.h"

/// Why it is refused.
static int is_refused(strc_stream* stream, strc_compiler* next, const char* why) {
    strc_diagnostic found;
    EXPECT(strc_stream_replace(stream, next, 0) == STRC_OK);
    if (state_of(stream, 1) != STRC_REPLACING_REFUSED) return 0;
    for (size_t k = 0; strc_compiler_diagnostic(next, k, &found) == STRC_OK; ++k)
        if (strcmp(found.code, "cannot-replace") == 0 && strstr(found.text, why)) return 1;
    show(next);
    return 0;
}

/// All of `count` items, one call for each of `step`; how many came.
static size_t process(strc_stream* stream, const int* in, size_t count, size_t step, int* out,
                      size_t room) {
    size_t all = 0, taken, given;
    for (size_t at = 0; at < count; at += taken) {
        const size_t piece = count - at < step ? count - at : step;
        EXPECT(strc_stream_process(stream, in + at, piece, out + all, room - all, &taken, &given) ==
               STRC_OK);
        all += given;
        if (taken == 0) break;
    }
    return all;
}

// ---- messages

/// Every seventh item sends its value to a gain some firings later.
#define WATCH                                                                 \
    "int->int filter Watch(portal<Gain> p, int late) { work pop 1 push 1 {\n" \
    "    int x = pop(); if (x % 7 == 0) p.setGain(x) [late:late]; push(x); } }\n"
#define GAIN                                                                              \
    "int->int stateful filter Gain { int g = 1; work pop 1 push 1 { push(g * pop()); }\n" \
    "    handler setGain(int v) { g = v; } }\n"
#define GAINED(extra)                                                  \
    "int->int pipeline Main { portal<Gain> p; add Watch(p, 5); " extra \
    " add Gain() to p; "                                               \
    "}\n" WATCH

static void count_up(int* in, size_t count) {
    for (size_t k = 0; k < count; ++k) in[k] = (int)k + 1;
}

/// A program that takes its own place changes nothing, whatever is on its way.
static void test_messages_go_on(void) {
    const char* program = GAINED("add Delay(3);") GAIN
        "int->int filter Delay(int n) { work pop 1 push 1 peek n { push(peek(n - 1)); pop(); } }\n";
    enum { kItems = 100 };
    int in[kItems], whole[kItems], parts[kItems];
    count_up(in, kItems);
    strc_compiler *c = bounded_compiler_of(program, "100"),
                  *current = bounded_compiler_of(program, "100");
    strc_stream *straight = stream_of(c), *s = stream_of(current);
    const size_t expected = process(straight, in, kItems, kItems, whole, kItems);
    size_t all = 0;
    int arrived = 0;
    for (size_t at = 0; at < kItems; at += 5) {
        all += process(s, in + at, 5, 5, parts + all, kItems - all);
        strc_compiler* next = bounded_compiler_of(program, "100");
        replace(s, next, 0);
        EXPECT(strc_stream_process(s, NULL, 0, NULL, 0, NULL, NULL) == STRC_OK);
        strc_replacement about = {.size = sizeof about};
        EXPECT(strc_stream_replacement(s, 0, &about) == STRC_OK);
        EXPECT(about.state == STRC_REPLACING_DONE);
        arrived += strstr(about.told, "kept: 1 message to Main.Gain.setGain\n") != NULL;
        strc_compiler_free(current);
        current = next;
    }
    EXPECT(arrived > 5);
    EXPECT(expected > 90 && all == expected && memcmp(whole, parts, all * sizeof *parts) == 0);
    strc_stream_free(straight);
    strc_stream_free(s);
    strc_compiler_free(c);
    strc_compiler_free(current);
}

/// What nobody can take is dropped, and told.
static void test_messages_are_dropped(void) {
    const struct {
        const char *source, *told;
        int last;  ///< item 12 of the output
    } others[] = {
        {GAINED("add Copy;") GAIN "int->int filter Copy { work pop 1 push 1 { push(pop()); } }\n",
         "kept: 1 message to Main.Gain.setGain\n", 7 * 12},
        {"int->int filter Main { work pop 1 push 1 { push(pop()); } }\n",
         "dropped: 1 message to Main.Gain.setGain, since its receiver is gone\n", 12},
        {GAINED("") "int->int stateful filter Gain { int other = 1; work pop 1 push 1 { push(other "
                    "* pop()); "
                    "}\n    handler setGain(int v) { other = v; } }\n",
         "since its receiver begins anew\n", 12},
        {GAINED("") "int->int stateful filter Gain { int g = 1; work pop 1 push 1 { push(g * "
                    "pop()); }\n"
                    "    handler setGain(float v) { g = (int)v; } }\n",
         "since the handler takes other values\n", 12},
        {"int->int pipeline Main { add Gain; }\n" GAIN,
         "since nothing sends such messages any more\n", 12}};
    for (size_t k = 0; k < sizeof others / sizeof *others; ++k) {
        strc_compiler *one = bounded_compiler_of(GAINED("") GAIN, "4"),
                      *two = bounded_compiler_of(others[k].source, "4");
        strc_stream* s = stream_of(one);
        int in[12], out[12];
        count_up(in, 12);
        EXPECT(process(s, in, 9, 9, out, 12) == 9 && out[8] == 9);
        replace(s, two, 0);
        EXPECT(process(s, in + 9, 3, 3, out + 9, 3) == 3);
        EXPECT(tells(s, others[k].told));
        EXPECT(out[11] == others[k].last);
        strc_stream_free(s);
        strc_compiler_free(one);
        strc_compiler_free(two);
    }
}

// ---- dynamic rates

/// A run of items: how many follow, then these; their sum goes out.
#define RUNS                                                         \
    "int->int stateful filter Runs { int sum; work pop * push 1 {\n" \
    "    int n = pop(); for (int k = 0; k < n; k++) sum += pop(); push(sum); } }\n"

/// Whatever is under way when it is asked, the firing is completed by the program that began it.
static void test_firings_are_completed(void) {
    const int in[12] = {3, 1, 1, 1, 2, 10, 10, 0, 1, 100, 1, 1000};
    const int sums[5] = {3, 23, 23, 123, 1123};
    for (size_t cut = 0; cut <= 12; ++cut)
        for (size_t step = 1; step < 12; step += 4) {
            strc_compiler* one = bounded_compiler_of(
                "int->int pipeline Main { add Runs; add Scale(1); }\n" RUNS SCALE, "50");
            strc_compiler* two = bounded_compiler_of(
                "int->int pipeline Main { add Runs; add Scale(-1); }\n" RUNS SCALE, "50");
            strc_stream* s = stream_of(one);
            int out[12];
            size_t given = process(s, in, cut, step, out, 12);
            replace(s, two, 0);
            const size_t before = given;
            given += process(s, in + cut, 12 - cut, step, out + given, 12 - given);
            EXPECT(given == 5);
            int turned = 0;
            for (size_t k = 0; k < given; ++k) {
                EXPECT(out[k] == sums[k] || out[k] == -sums[k]);
                if (turned) EXPECT(out[k] < 0);
                turned = turned || out[k] < 0;
                if (k < before) EXPECT(!turned);
            }
            if (cut < 10) EXPECT(turned && state_of(s, 0) == STRC_REPLACING_DONE);
            strc_stream_free(s);
            strc_compiler_free(one);
            strc_compiler_free(two);
            if (faults > 10) return;
        }
}

/// Its state as data and back; 0: items of the program before still wait.
static int is_restored(strc_stream* stream) {
    size_t size = strc_stream_state_size(stream);
    void* state = malloc(size);
    const strc_status saved = strc_stream_save(stream, state, size, &size);
    EXPECT(saved == STRC_OK || saved == STRC_WRONG_CALL);
    if (saved == STRC_OK) EXPECT(strc_stream_restore(stream, state, size) == STRC_OK);
    free(state);
    return saved == STRC_OK;
}

/// It takes its own place between any two items, in programs with windows, counters, preworks, feedback and branches.
static void test_dynamic_same(void) {
    const char* programs[] = {
        "int->int pipeline Main { add Runs; add Window(4); add Count; }\n" RUNS
        "int->int filter Window(int n) { work pop 1 push 1 peek n {\n"
        "    int sum = 0; for (int k = 0; k < n; k++) sum += peek(k); pop(); push(sum); } }\n"
        "int->int stateful filter Count { int n; prework pop 1 push 2 { push(pop()); push(n++); }\n"
        "    work pop 1 push 1 { push(pop() + 1000 * n++ + iter()); } }\n",
        "int->int splitjoin Main { split duplicate; add Runs; add pipeline { add Runs; add "
        "Scale(3); };\n"
        "    join roundrobin; }\n" RUNS SCALE,
        "int->int pipeline Main { add Runs; add feedbackloop { join roundrobin(1, 1); body Add;\n"
        "    loop Scale(2); split duplicate; enqueue 1; enqueue 2; enqueue 3; }; }\n" RUNS SCALE
        "int->int filter Add { work pop 2 push 1 { push((pop() + pop()) % 1009); } }\n",
        "int->int pipeline Main { portal<Gain> p; add Runs; add Watch(p, 2); add Gain() to p; "
        "}\n" RUNS WATCH GAIN,
        "int->int filter Main { work pop 1 push * { int n = pop() % 4; for (int k = 0; k < n; k++) "
        "push(n + k); } }\n"};
    enum { kItems = 300 };
    static int in[kItems], whole[4 * kItems], parts[4 * kItems];
    for (int k = 0; k < kItems; ++k) in[k] = k * k % 5;
    for (size_t p = 0; p < sizeof programs / sizeof *programs; ++p) {
        strc_compiler *c = bounded_compiler_of(programs[p], "64"),
                      *current = bounded_compiler_of(programs[p], "64");
        strc_stream *straight = stream_of(c), *s = stream_of(current);
        const size_t expected = process(straight, in, kItems, kItems, whole, 4 * kItems);
        size_t all = 0, exchanged = 0, restored = 0;
        for (size_t at = 0, step = 5; at < kItems; at += step, step = step * 7 % 41) {
            const size_t count = kItems - at < step ? kItems - at : step;
            strc_compiler* next = bounded_compiler_of(programs[p], "64");
            replace(s, next, 0);
            all += process(s, in + at, count, 3, parts + all, 4 * kItems - all);
            while (state_of(s, 0) == STRC_REPLACING_READY && at + count < kItems) {
                all += process(s, in + at + count, 1, 1, parts + all, 4 * kItems - all);
                ++at;
            }
            if (state_of(s, 0) != STRC_REPLACING_DONE) break;
            ++exchanged;
            restored += is_restored(s) ? 1 : 0;
            strc_compiler_free(current);
            current = next;
        }
        EXPECT(exchanged > 8 && restored > 4);
        EXPECT(expected > 50 && all == expected);
        EXPECT(memcmp(whole, parts, all * sizeof *parts) == 0);
        strc_stream_free(straight);
        strc_stream_free(s);
        strc_compiler_free(c);
        strc_compiler_free(current);
    }
}

/// Windows of another length look at the same newest items: nothing comes later or earlier.
static void test_dynamic_windows(void) {
    const char* form =
        "int->int pipeline Main { add Pass; add Sum; }\n"
        "int->int filter Pass { work pop * push 1 { push(pop()); } }\n"
        "int->int filter Sum { work pop 1 push 1 peek %d {\n"
        "    int sum = 0; for (int k = 0; k < %d; k++) sum += peek(k); pop(); push(sum); } }\n";
    for (int before = 1; before < 7; before += 2)
        for (int after = 1; after < 7; after += 2) {
            char first[400], second[400];
            snprintf(first, sizeof first, form, before, before);
            snprintf(second, sizeof second, form, after, after);
            strc_compiler *one = bounded_compiler_of(first, "40"),
                          *two = bounded_compiler_of(second, "40");
            strc_stream* s = stream_of(one);
            int in[20], out[20];
            for (int k = 0; k < 20; ++k) in[k] = 1 << k;
            EXPECT(process(s, in, 10, 10, out, 20) == (size_t)(11 - before));
            replace(s, two, 0);
            EXPECT(process(s, in + 10, 10, 10, out, 20) == 10);
            // The first one is of the firing that was under way.
            for (int n = 1; n < 10; ++n) {
                int sum = 0;
                for (int k = 0; k < after; ++k) {
                    const int item = 10 + n - k;
                    sum += item < 11 - (before - 1) ? 0 : in[item];
                }
                EXPECT(out[n] == sum);
            }
            strc_stream_free(s);
            strc_compiler_free(one);
            strc_compiler_free(two);
        }
}

/// From static rates to dynamic ones and back: fields go on.
static void test_rates_become_dynamic(void) {
    const char* form =
        "int->int stateful filter Main { int sum; work pop %s push 1 { sum += pop(); push(sum); } "
        "}\n";
    char plain[200], dynamic[200];
    snprintf(plain, sizeof plain, form, "1");
    snprintf(dynamic, sizeof dynamic, form, "*");
    strc_compiler *one = bounded_compiler_of(plain, "9"), *two = bounded_compiler_of(dynamic, "9"),
                  *three = bounded_compiler_of(plain, "9");
    strc_stream* s = stream_of(one);
    const int in[4] = {1, 1, 1, 1};
    int out[4];
    EXPECT(process(s, in, 4, 4, out, 4) == 4 && out[3] == 4);
    replace(s, two, 0);
    EXPECT(tells(s, "kept: Main (sum)\n"));
    EXPECT(process(s, in, 4, 4, out, 4) == 4 && out[3] == 8);
    replace(s, three, 0);
    EXPECT(process(s, in, 4, 4, out, 4) == 4 && out[3] == 12);
    EXPECT(state_of(s, 0) == STRC_REPLACING_DONE);
    strc_stream_free(s);
    strc_compiler_free(one);
    strc_compiler_free(two);
    strc_compiler_free(three);
}

/// Who receives by counts of firings goes on together with who sends, or not at all.
static void test_what_is_refused(void) {
    const char* form =
        "int->int pipeline Main { portal<Gain> p; add Runs; add %s(p, 2); add Gain() to p; }\n" RUNS
        "int->int filter %s(portal<Gain> p, int late) { work pop 1 push 1 {\n"
        "    int x = pop(); if (x %% 7 == 0) p.setGain(x) [late:late]; push(x); } }\n" GAIN;
    char first[900], second[900];
    snprintf(first, sizeof first, form, "Watch", "Watch");
    snprintf(second, sizeof second, form, "Look", "Look");
    strc_compiler *one = bounded_compiler_of(first, "9"), *two = bounded_compiler_of(second, "9");
    strc_stream* s = stream_of(one);
    const int in[3] = {1, 5, 0};
    int out[3];
    EXPECT(process(s, in, 3, 3, out, 3) == 2);
    EXPECT(is_refused(s, two, "begin it anew"));
    EXPECT(process(s, in, 3, 3, out, 3) == 2 && out[1] == 10);
    strc_stream_free(s);
    strc_compiler_free(one);
    strc_compiler_free(two);
}

/// Texts are memory of the program that made them.
static void test_texts_are_dropped(void) {
    const char* source =
        "int->int pipeline Main { portal<Hear> p; add Say(p); add Hear() to p; }\n"
        "int->int filter Say(portal<Hear> p) { work pop 1 push 1 {\n"
        "    int x = pop(); if (x == 1) p.hear(\"one\") [5:5]; push(x); } }\n"
        "int->int stateful filter Hear { int n; work pop 1 push 1 { push(pop() + n); }\n"
        "    handler hear(String word) { n = 100; println(word); } }\n";
    strc_compiler *one = bounded_compiler_of(source, "9"), *two = bounded_compiler_of(source, "9");
    strc_stream* s = stream_of(one);
    int in[10], out[10];
    count_up(in, 10);
    EXPECT(process(s, in, 2, 2, out, 10) == 2);
    replace(s, two, 0);
    EXPECT(process(s, in + 2, 8, 8, out + 2, 8) == 8);
    EXPECT(tells(s, "dropped: 1 message to Main.Hear.hear, since texts belong to the program"));
    strc_compiler_free(one);
    EXPECT(out[9] == 10);
    strc_stream_free(s);
    strc_compiler_free(two);
}

int main(void) {
    test_messages_go_on();
    test_messages_are_dropped();
    test_firings_are_completed();
    test_dynamic_same();
    test_dynamic_windows();
    test_rates_become_dynamic();
    test_what_is_refused();
    test_texts_are_dropped();
    return faults != 0;
}
