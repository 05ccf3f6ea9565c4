/// Streams and tensors of libstrc as a program in C uses them. Exits with 0 if all is as it should be.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strc/strc.h"

static int faults = 0;

static void expect(int holds, int line, const char* what) {
    if (holds) return;
    fprintf(stderr, "line %d: not so: %s\n", line, what);
    ++faults;
}
#define EXPECT(condition) expect((condition) != 0, __LINE__, #condition)

static const char sum[] =
    "float->float filter Sum(float scale = 1) {\n"
    "    work pop 1 push 1 peek 3 { push(scale * (peek(0) + peek(2))); pop(); }\n"
    "}\n";
static const char pairs[] =
    "int->int filter Pairs { work pop 2 push 3 { int a = pop();"
    " int b = pop(); push(a); push(b); push(a / b); } }\n";
static const char ends[] =
    "int->int pipeline Ends {\n"
    "    add splitjoin { split roundrobin(2, 1); add Identity<int>; add Identity<int>; join "
    "roundrobin(2, 1); }\n"
    "    add int->int filter { work pop 3 push 4 { int a = pop(); int b = pop(); int c = pop(); "
    "push(a + c); push(b + c); push(a - b); push(100 / c); } };\n"
    "    add splitjoin { split roundrobin(3, 1); add Identity<int>; add Identity<int>; join "
    "roundrobin(3, 1); }\n"
    "}\n";
static const char tensors[] =
    "tensor->tensor pipeline Both { add splitjoin { split roundrobin; add linear(3, 2, weights = "
    "\"first\");"
    " add Half(); join roundrobin; } }\n"
    "tensor->tensor filter Half { work pop 1 push 1 { push(pop() * 0.5); } }\n";

static strc_compiler* compiler_of(const char* source, const char* top) {
    strc_compiler* made = strc_compiler_new();
    EXPECT(strc_compiler_add_source(made, "p.str", source, strlen(source)) == STRC_OK);
    EXPECT(strc_compiler_set(made, "top", top) == STRC_OK);
    EXPECT(strc_compiler_set(made, "at-once", "8") == STRC_OK);
    return made;
}

static strc_compiler* compiled(const char* source, const char* top) {
    strc_compiler* made = compiler_of(source, top);
    EXPECT(strc_compiler_compile(made, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    return made;
}

static strc_stream* stream_of(strc_compiler* compiler) {
    strc_stream* made = NULL;
    EXPECT(strc_stream_new(compiler, &made) == STRC_OK && made);
    return made;
}

static int has_diagnostic(strc_compiler* c, const char* code) {
    strc_diagnostic found;
    for (size_t k = 0; strc_compiler_diagnostic(c, k, &found) == STRC_OK; ++k)
        if (strcmp(found.code, code) == 0) return 1;
    return 0;
}

// ---- items

/// Chunks of every size give what one chunk gives.
static void test_chunks(void) {
    enum { kItems = 50 };
    float in[kItems], whole[kItems], parts[kItems];
    for (int k = 0; k < kItems; ++k) in[k] = (float)(k * k % 17);
    strc_compiler* c = compiled(sum, "Sum");
    strc_stream* s = stream_of(c);
    strc_stream_about about = {.size = sizeof about};
    EXPECT(strc_stream_tell(s, &about) == STRC_OK && about.block_in == 1 && about.latency == 2);
    EXPECT(!about.keeps_nothing);
    size_t taken, given;
    EXPECT(strc_stream_process(s, in, kItems, whole, kItems, &taken, &given) == STRC_OK);
    EXPECT(taken == kItems && given == kItems - 2 && whole[0] == in[0] + in[2]);
    for (size_t chunk = 1; chunk < 20; ++chunk) {
        strc_stream_reset(s);
        size_t all = 0;
        for (size_t at = 0; at < kItems; at += chunk) {
            const size_t count = kItems - at < chunk ? kItems - at : chunk;
            EXPECT(strc_stream_process(s, in + at, count, parts + all, kItems - all, &taken,
                                       &given) == STRC_OK);
            EXPECT(taken == count);
            all += given;
        }
        EXPECT(all == kItems - 2 && memcmp(whole, parts, all * sizeof *parts) == 0);
    }
    strc_stream_free(s);
    strc_compiler_free(c);
}

static void test_two_streams(void) {
    strc_compiler* c = compiled(sum, "Sum");
    strc_stream *a = stream_of(c), *b = stream_of(c);
    const float in[4] = {1, 2, 3, 4};
    float out[4];
    size_t given;
    EXPECT(strc_stream_process(a, in, 2, out, 4, NULL, &given) == STRC_OK && given == 0);
    EXPECT(strc_stream_process(b, in, 3, out, 4, NULL, &given) == STRC_OK && given == 1);
    EXPECT(strc_stream_process(a, in + 2, 1, out, 4, NULL, &given) == STRC_OK && given == 1);
    EXPECT(out[0] == 4);
    strc_stream_free(a);
    strc_stream_free(b);
    strc_compiler_free(c);
}

/// At the end of the input, by the room that there is; then nothing is taken until a reset.
static void test_end(void) {
    strc_compiler* c = compiled(
        "float->float pipeline Blocks { add Block(4); add Sum(2); }\n"
        "float->float filter Block(int n) { work pop n push n {\n"
        "    for (int k = 0; k < n; k++) push(pop()); } }\n"
        "float->float filter Sum(int n) { work pop 1 peek n push 1 { float sum = 0;\n"
        "    for (int k = 0; k < n; k++) sum += peek(k); pop(); push(sum); } }\n",
        "Blocks");
    strc_stream* s = stream_of(c);
    const float in[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    float out[9];
    size_t given;
    for (int again = 0; again < 2; ++again) {
        EXPECT(strc_stream_process(s, in, 9, out, 9, NULL, &given) == STRC_OK && given == 4);
        EXPECT(strc_stream_drain(s, out, 2, &given) == STRC_OK && given == 2 && out[1] == 13);
        EXPECT(strc_stream_process(s, in, 1, out, 9, NULL, &given) == STRC_WRONG_CALL);
        void* const places[2] = {&out[0], &out[1]};
        EXPECT(strc_stream_drain_items(s, places, 2, &given) == STRC_OK && given == 1);
        EXPECT(out[0] == 15 && strc_stream_drain(s, out, 2, &given) == STRC_OK && given == 0);
        strc_stream_reset(s);
    }
    EXPECT(strc_stream_drain(NULL, out, 2, &given) == STRC_WRONG_CALL);
    EXPECT(strc_stream_drain(s, NULL, 2, &given) == STRC_WRONG_CALL);
    strc_stream_free(s);
    strc_compiler_free(c);
}

static void test_parameter(void) {
    strc_compiler* c = compiler_of(sum, "Sum");
    EXPECT(strc_compiler_set(c, "keep-param", "scale") == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    strc_stream* s = stream_of(c);
    const float in[4] = {1, 2, 3, 4}, ten = 10;
    float out[4];
    size_t given;
    EXPECT(strc_stream_process(s, in, 3, out, 4, NULL, &given) == STRC_OK && out[0] == 4);
    EXPECT(strc_stream_set(s, "scale", &ten, sizeof ten) == STRC_OK);
    EXPECT(strc_stream_process(s, in + 3, 1, out, 4, NULL, &given) == STRC_OK && out[0] == 60);
    EXPECT(strc_stream_set(s, "scale", &ten, 1) == STRC_WRONG_CALL);
    EXPECT(strc_stream_set(s, "other", &ten, sizeof ten) == STRC_WRONG_CALL);
    strc_stream_free(s);
    EXPECT(strc_compiler_run_items(c, in, 4, out, 4, &given) == STRC_OK);  // as it was compiled
    EXPECT(given == 2 && out[0] == 4 && out[1] == 6);
    strc_compiler_free(c);
}

/// What init makes of a parameter is made again, between two items.
static void test_computed_parameter(void) {
    const char* text =
        "float->float pipeline Deep(float scale = 1) { add Sum(scale * scale); }\n"
        "float->float stateful filter Sum(float scale) { float half = scale / 2; float sum;\n"
        "    work pop 1 push 1 { sum += pop(); push(half * sum); } }\n";
    strc_compiler* c = compiler_of(text, "Deep");
    EXPECT(strc_compiler_set(c, "keep-param", "scale") == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    strc_stream* s = stream_of(c);
    const float in[4] = {1, 2, 3, 4}, four = 4, two = 2;
    float out[4];
    size_t given;
    EXPECT(strc_stream_set(s, "scale", &four, sizeof four) == STRC_OK);
    EXPECT(strc_stream_process(s, in, 2, out, 4, NULL, &given) == STRC_OK && given == 2);
    EXPECT(out[0] == 8 && out[1] == 24);
    EXPECT(strc_stream_set(s, "scale", &two, sizeof two) == STRC_OK);
    EXPECT(strc_stream_process(s, in + 2, 2, out, 4, NULL, &given) == STRC_OK && given == 2);
    EXPECT(out[0] == 12 && out[1] == 20);
    strc_stream_reset(s);
    EXPECT(strc_stream_process(s, in, 1, out, 4, NULL, &given) == STRC_OK && out[0] == 2);
    strc_stream_free(s);
    strc_compiler_free(c);
}

/// What came before the fault is given, and a reset begins again.
static void test_fault(void) {
    strc_compiler* c = compiled(pairs, "Pairs");
    strc_stream* s = stream_of(c);
    const int in[6] = {6, 3, 8, 0, 9, 3};
    int out[9];
    size_t taken, given;
    EXPECT(strc_stream_process(s, in, 6, out, 9, &taken, &given) == STRC_FAILED);
    EXPECT(given == 3 && out[2] == 2 && has_diagnostic(c, "division-by-zero"));
    EXPECT(strc_stream_process(s, in, 2, out, 9, &taken, &given) == STRC_FAILED && given == 0);
    strc_stream_reset(s);
    EXPECT(strc_stream_process(s, in, 2, out, 9, &taken, &given) == STRC_OK && given == 3);
    strc_stream_free(s);
    strc_compiler_free(c);
}

/// A stream of another compiler goes on where one was saved; what is no state of the program changes nothing.
static void test_state(void) {
    strc_compiler *c = compiled(pairs, "Pairs"), *d = compiled(pairs, "Pairs");
    strc_compiler* e = compiled(sum, "Sum");
    strc_stream *s = stream_of(c), *t = stream_of(d), *u = stream_of(e), *v = NULL;
    const int in[6] = {6, 3, 8, 4, 9, 3};
    int out[9], again[9];
    size_t taken, given, size = 0;
    uint64_t all_taken = 0, all_given = 0;
    unsigned char state[4096], same[4096];
    const size_t most = strc_stream_state_size(s);
    EXPECT(most > 0 && most <= sizeof state && strc_stream_state_size(NULL) == 0);
    EXPECT(strc_stream_process(s, in, 3, out, 1, &taken, &given) == STRC_OK && given == 1);
    EXPECT(strc_stream_save(s, state, most - 1, &size) == STRC_WRONG_CALL);
    EXPECT(strc_stream_save(s, state, sizeof state, &size) == STRC_OK && size > 0 && size <= most);
    EXPECT(strc_stream_restore(t, state, size) == STRC_OK);
    EXPECT(strc_stream_position(t, &all_taken, &all_given) == STRC_OK);
    EXPECT(all_taken == 3 && all_given == 1);
    EXPECT(strc_stream_clone(s, &v) == STRC_OK && v);
    EXPECT(strc_stream_process(s, in + 3, 3, out, 9, NULL, &given) == STRC_OK && given == 8);
    EXPECT(strc_stream_process(t, in + 3, 3, again, 9, NULL, &given) == STRC_OK && given == 8);
    EXPECT(memcmp(out, again, 8 * sizeof *out) == 0);
    EXPECT(strc_stream_process(v, in + 3, 3, again, 9, NULL, &given) == STRC_OK && given == 8);
    EXPECT(memcmp(out, again, 8 * sizeof *out) == 0);
    EXPECT(strc_stream_save(s, same, sizeof same, &given) == STRC_OK);
    EXPECT(strc_stream_restore(s, state, size - 1) == STRC_STATE_TRUNCATED);
    EXPECT(strc_stream_restore(u, state, size) == STRC_STATE_OTHER_PROGRAM);
    state[8] += 1;
    EXPECT(strc_stream_restore(s, state, size) == STRC_STATE_NEWER);
    state[8] -= 1;
    state[size - 1] ^= 1;
    EXPECT(strc_stream_restore(s, state, size) == STRC_STATE_DAMAGED);
    EXPECT(strc_stream_save(s, state, sizeof state, &size) == STRC_OK);
    EXPECT(size == given && memcmp(state, same, size) == 0);
    const int zero[2] = {1, 0};
    EXPECT(strc_stream_process(s, zero, 2, out, 9, NULL, NULL) == STRC_FAILED);
    EXPECT(strc_stream_save(s, state, sizeof state, &size) == STRC_FAILED);
    strc_stream_free(v);
    EXPECT(strc_stream_clone(s, &v) == STRC_FAILED && !v);
    strc_stream_free(s);
    strc_stream_free(t);
    strc_stream_free(u);
    strc_compiler_free(c);
    strc_compiler_free(d);
    strc_compiler_free(e);
}

// ---- threads

static const char branches[] =
    "float->float pipeline Branches {\n"
    "    add splitjoin { split duplicate; add Heavy(1); add Heavy(2); join roundrobin; };\n"
    "    add Two;\n"
    "}\n"
    "float->float filter Two { work pop 2 push 1 { push(pop() - pop()); } }\n"
    "float->float stateful filter Heavy(int seed) {\n"
    "    float a, b;\n"
    "    init { a = seed; b = 1; }\n"
    "    work pop 1 push 1 {\n"
    "        float x = pop();\n"
    "        for (int i = 0; i < 400; i++) { a = 0.999 * a + x * b; b = 0.5 + 0.25 * b * x; }\n"
    "        push(a);\n"
    "    }\n"
    "}\n";

static strc_compiler* threaded(const char* threads) {
    strc_compiler* made = compiler_of(branches, "Branches");
    EXPECT(strc_compiler_set(made, "at-once", "64") == STRC_OK);
    EXPECT(strc_compiler_set(made, "threads", "0") != STRC_OK);
    EXPECT(strc_compiler_set(made, "threads", threads) == STRC_OK);
    EXPECT(strc_compiler_compile(made, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    return made;
}

static uint64_t shared_blocks(strc_stream* s) {
    strc_thread_about about = {.size = sizeof about};
    EXPECT(strc_stream_tell_thread(s, 0, &about) == STRC_OK && about.filter);
    return about.blocks;
}

/// Whatever the threads, streams give what one thread gives; the system may refuse a processor.
static void test_threads(void) {
    enum { kItems = 640 };
    static float in[kItems], alone[kItems], shared[kItems];
    for (int k = 0; k < kItems; ++k) in[k] = (float)(k * k % 17) / 17;
    strc_compiler *c = threaded("1"), *d = threaded("3");
    strc_stream *s = stream_of(c), *t = stream_of(d), *u = NULL;
    const char* refused = "?";
    const int32_t nowhere[2] = {100000, -1};
    strc_threading how = {.size = sizeof how, .processors = nowhere};
    EXPECT(strc_stream_process(s, in, kItems, alone, kItems, NULL, NULL) == STRC_OK);
    EXPECT(strc_stream_process(t, in, kItems / 2, shared, kItems, NULL, NULL) == STRC_OK);
    EXPECT(shared_blocks(s) == 0 && shared_blocks(t) == kItems / 2 / 64);
    EXPECT(strc_stream_clone(t, &u) == STRC_OK && u);
    EXPECT(strc_stream_threads(t, &how, &refused) == STRC_OK && refused && *refused);
    EXPECT(shared_blocks(t) == 0);
    for (int k = kItems / 2; k < kItems; k += 64)
        EXPECT(strc_stream_process(t, in + k, 64, shared + k, 64, NULL, NULL) == STRC_OK);
    EXPECT(memcmp(alone, shared, sizeof alone) == 0);
    how = (strc_threading){.size = sizeof how, .threads = 1};
    EXPECT(strc_stream_threads(u, &how, &refused) == STRC_OK && !refused);
    EXPECT(strc_stream_process(u, in + kItems / 2, kItems / 2, shared, kItems, NULL, NULL) ==
           STRC_OK);
    EXPECT(memcmp(alone + kItems / 2, shared, sizeof alone / 2) == 0 && shared_blocks(u) == 0);
    strc_thread_about about = {.size = sizeof about};
    EXPECT(strc_stream_tell_thread(t, 2, &about) == STRC_OK);
    EXPECT(strc_stream_tell_thread(t, 3, &about) == STRC_WRONG_CALL);
    EXPECT(strc_stream_tell_thread(u, 1, &about) == STRC_WRONG_CALL);
    EXPECT(strc_stream_tell_thread(t, 0, NULL) == STRC_WRONG_CALL);
    EXPECT(strc_stream_threads(NULL, NULL, NULL) == STRC_WRONG_CALL);
    how.priority = 100;
    EXPECT(strc_stream_threads(t, &how, NULL) == STRC_WRONG_CALL);
    strc_stream_free(s);
    strc_stream_free(t);
    strc_stream_free(u);
    strc_compiler_free(c);
    strc_compiler_free(d);
}

static void keep(void* user, const char* from, size_t size) { strncat(user, from, size); }

static void test_printing(void) {
    strc_compiler* c = compiled(
        "int->int filter Tell { work pop 1 push 1 { println(peek(0)); push(pop()); } }", "Tell");
    strc_stream* s = stream_of(c);
    char printed[100] = "";
    EXPECT(strc_stream_set_print(s, keep, printed) == STRC_OK);
    const int in[3] = {4, 5, 6};
    int out[3];
    EXPECT(strc_stream_process(s, in, 3, out, 3, NULL, NULL) == STRC_OK);
    EXPECT(strcmp(printed, "4\n5\n6\n") == 0);
    strc_stream_free(s);
    strc_compiler_free(c);
}

static void test_refusals(void) {
    strc_stream* s = NULL;
    strc_compiler* c = compiled(
        "int->int filter Some { work pop 1 push * { int n = pop(); for (int k = 0; k < n; ++k)"
        " push(k); } }",
        "Some");
    EXPECT(strc_stream_new(c, &s) == STRC_FAILED && !s && has_diagnostic(c, "library-effect"));
    strc_compiler_free(c);
    c = strc_compiler_new();
    EXPECT(strc_compiler_add_source(c, "p.str", sum, strlen(sum)) == STRC_OK);
    EXPECT(strc_compiler_set(c, "top", "Sum") == STRC_OK);
    EXPECT(strc_compiler_set(c, "at-once", "0") == STRC_WRONG_CALL);
    EXPECT(strc_stream_new(c, &s) == STRC_WRONG_CALL);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    EXPECT(strc_stream_new(c, &s) == STRC_WRONG_CALL);  // without "at-once"
    strc_compiler_free(c);
}

// ---- dynamic rates and messages

/// As many as the first one says, doubled; tells how many, and looks at a parameter before and after.
static const char groups[] =
    "int->int pipeline Groups(int scale = 2) { add Group(scale); add Spread; }\n"
    "int->int filter Group(int scale) {\n"
    "    work pop [1, *] push * {\n"
    "        int before = scale; int n = pop(); println(n);\n"
    "        for (int k = 0; k < n; ++k) push(pop() * (before == scale ? scale : -1));\n"
    "    }\n"
    "}\n"
    "int->int filter Spread { work pop 1 push 2 { push(peek(0)); push(pop() + 1); } }\n";

static strc_compiler* bounded(const char* text, const char* top, const char* bound) {
    strc_compiler* c = compiler_of(text, top);
    EXPECT(strc_compiler_set(c, "bound", bound) == STRC_OK);
    EXPECT(strc_compiler_set(c, "keep-param", "scale") == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    return c;
}

/// What the program gives that runs to its end.
static size_t ran_items(const char* text, const char* top, const int* in, size_t count, int* out,
                        size_t room) {
    size_t given = 0;
    strc_compiler* c = compiled(text, top);
    EXPECT(strc_compiler_run_items(c, in, count, out, room, &given) == STRC_OK);
    strc_compiler_free(c);
    return given;
}

/// Whatever the size of the chunks and the room for what comes; prints run on the caller's stack.
static void test_dynamic_rates(void) {
    enum { kItems = 60, kRoom = 200 };
    int in[kItems], whole[kRoom], parts[kRoom];
    char printed[400] = "", again[400] = "";
    for (int k = 0; k < kItems; ++k) in[k] = k * k % 7;
    strc_compiler* c = bounded(groups, "Groups", "8");
    size_t taken, given, all;
    const size_t ran = ran_items(groups, "Groups", in, kItems, whole, kRoom);
    EXPECT(ran > 50);
    strc_stream* s = stream_of(c);
    strc_stream_about about = {.size = sizeof about, .block_in = 7, .keeps_nothing = 1};
    EXPECT(strc_stream_tell(s, &about) == STRC_OK && about.block_in == 0 && about.latency == 0);
    EXPECT(!about.keeps_nothing);
    EXPECT(strc_stream_set_print(s, keep, printed) == STRC_OK);
    EXPECT(strc_stream_process(s, in, kItems, parts, kRoom, &taken, &all) == STRC_OK);
    EXPECT(taken == kItems && all == ran && memcmp(whole, parts, ran * sizeof *parts) == 0);
    EXPECT(strlen(printed) > 20);
    strc_stream_set_print(s, keep, again);
    for (size_t chunk = 1; chunk < 20; ++chunk)
        for (size_t room = 1; room < 10; room += 4) {
            strc_stream_reset(s);
            again[0] = 0;
            size_t at = all = 0;
            do {
                const size_t count = kItems - at < chunk ? kItems - at : chunk;
                EXPECT(strc_stream_process(s, in + at, count, parts + all, room, &taken, &given) ==
                       STRC_OK);
                EXPECT(taken == count || given == room);
                at += taken;
                all += given;
            } while (taken + given != 0);
            EXPECT(at == kItems && all == ran && memcmp(whole, parts, ran * sizeof *parts) == 0);
            EXPECT(strcmp(printed, again) == 0);
        }
    strc_stream_free(s);
    strc_compiler_free(c);
}

/// In the middle of a firing it stays as it was.
static void test_parameter_of_a_waiting_firing(void) {
    strc_compiler* c = bounded(groups, "Groups", "8");
    strc_stream* s = stream_of(c);
    const int in[5] = {2, 5, 6, 1, 7}, ten = 10;
    int out[6];
    size_t given;
    EXPECT(strc_stream_process(s, in, 2, out, 6, NULL, &given) == STRC_OK && given == 0);
    EXPECT(strc_stream_set(s, "scale", &ten, sizeof ten) == STRC_OK);
    EXPECT(strc_stream_process(s, in + 2, 1, out, 6, NULL, &given) == STRC_OK && given == 4);
    EXPECT(out[0] == 10 && out[1] == 11 && out[2] == 12);
    EXPECT(strc_stream_process(s, in + 3, 2, out, 6, NULL, &given) == STRC_OK && given == 2);
    EXPECT(out[0] == 70 && out[1] == 71);
    strc_stream_free(s);
    strc_compiler_free(c);
}

/// What came before is given first, in as little room as there is, and a reset begins again.
static void test_full_queue(void) {
    strc_compiler* c = bounded(groups, "Groups", "3");
    strc_stream* s = stream_of(c);
    const int in[12] = {3, 5, 6, 7, 4, 1, 2, 3, 4, 5, 6, 7};
    int out[6];
    size_t taken, given;
    EXPECT(strc_stream_process(s, in, 12, out, 5, &taken, &given) == STRC_OK && given == 5);
    EXPECT(strc_stream_process(s, in + taken, 12 - taken, out + 5, 1, NULL, &given) == STRC_FAILED);
    EXPECT(given == 1 && out[4] == 14 && out[5] == 15 && has_diagnostic(c, "limit-exceeded"));
    EXPECT(strc_stream_process(s, in, 1, out, 6, &taken, &given) == STRC_FAILED && taken == 0);
    strc_stream_reset(s);
    EXPECT(strc_stream_process(s, in, 4, out, 6, &taken, &given) == STRC_OK && given == 6);
    strc_stream_free(s);
    strc_compiler_free(c);
}

/// Sent four firings ahead by what is downstream, with rates that are static.
static const char letters[] =
    "int->int pipeline Letters(int scale = 1) { portal<Gain> p; add Gain(scale) to p; add "
    "Watch(p); }\n"
    "int->int filter Gain(int scale) { int g = 1; work pop 1 push 1 { push(scale * g * pop()); }\n"
    "    handler set(int v) { g = v; } }\n"
    "int->int filter Watch(portal<Gain> p) { work pop 1 push 1 { int x = pop();\n"
    "    for (int k = 1; k < x; ++k) p.set(k) [4:4]; push(x); } }\n";

static void test_messages(void) {
    strc_compiler* c = bounded(letters, "Letters", "8");
    strc_stream* s = stream_of(c);
    const int in[12] = {1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 20};
    int ran[12], out[12];
    size_t given, all = 0;
    EXPECT(ran_items(letters, "Letters", in, 11, ran, 12) == 11);
    EXPECT(ran[5] == 1 && ran[6] == 2);
    for (size_t k = 0; k < 11; ++k, all += given)
        EXPECT(strc_stream_process(s, in + k, 1, out + all, 12, NULL, &given) == STRC_OK);
    EXPECT(all == 11 && memcmp(ran, out, 11 * sizeof *ran) == 0);
    EXPECT(strc_stream_process(s, in + 11, 1, out, 12, NULL, &given) == STRC_FAILED);
    EXPECT(given == 0 && has_diagnostic(c, "limit-exceeded"));
    strc_stream_reset(s);
    EXPECT(strc_stream_process(s, in, 11, out, 12, NULL, &given) == STRC_OK && given == 11);
    EXPECT(memcmp(ran, out, 11 * sizeof *ran) == 0);
    strc_stream_free(s);
    strc_compiler_free(c);
}

static void test_bounds(void) {
    strc_compiler* c = compiler_of(groups, "Groups");
    for (const char* const* bad = (const char* const[]){"0", "-1", "x", "2147483648", "", NULL};
         *bad; ++bad)
        EXPECT(strc_compiler_set(c, "bound", *bad) == STRC_WRONG_CALL);
    strc_compiler_free(c);
    for (int k = 0; k < 2; ++k) {  // less than a firing of Spread pushes; more than all memory
        strc_stream* s = NULL;
        c = bounded(k ? groups
                      : "int->int pipeline P(int scale = 1) { add Q; add R; }\n"
                        "int->int filter Q { work pop 1 push 9 { for (int k = 0; k < 9; ++k)"
                        " push(k); pop(); } }\n"
                        "int->int filter R { work pop * push 1 { push(pop()); } }\n",
                    k ? "Groups" : "P", k ? "2147483647" : "8");
        EXPECT(strc_stream_new(c, &s) == STRC_FAILED && !s && has_diagnostic(c, "limit-exceeded"));
        strc_compiler_free(c);
    }
}

// ---- random numbers

static float first_random(const char* seed) {
    strc_compiler* c = compiler_of("void->float filter R { work push 1 { push(random()); } }", "R");
    if (seed) EXPECT(strc_compiler_set(c, "seed", seed) == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    strc_stream* s = stream_of(c);
    float out[2] = {-1, -1};
    size_t given;
    EXPECT(strc_stream_process(s, NULL, 0, out, 2, NULL, &given) == STRC_OK && given == 2);
    EXPECT(out[0] >= 0 && out[0] != out[1]);
    strc_stream_free(s);
    strc_compiler_free(c);
    return out[0];
}

static void test_seed(void) {
    EXPECT(first_random("7") == first_random("7") && first_random("7") != first_random("8"));
    EXPECT(first_random(NULL) == first_random("1182736490827"));
}

// ---- layouts

static void test_layouts(void) {
    strc_compiler* c = compiled(
        "struct S { boolean b; float[2][3] a; complex z; }\n"
        "S->float2 filter F { work pop 1 push 1 { S s = pop(); float2 v;"
        " v.x = s.a[0][0]; v.y = 1; push(v); } }",
        "F");
    EXPECT(
        strcmp(
            strc_compiler_input_layout(c),
            "{\"struct\": [{\"name\": \"b\", \"offset\": 0, \"type\": \"boolean\"}, "
            "{\"name\": \"a\", \"offset\": 4, \"type\": {\"of\": \"float\", \"shape\": [2, 3]}}, "
            "{\"name\": \"z\", \"offset\": 28, \"type\": \"complex\"}], \"size\": 36}") == 0);
    EXPECT(strcmp(strc_compiler_output_layout(c), "{\"of\": \"float\", \"shape\": [2]}") == 0);
    strc_tensor none;
    EXPECT(strc_compiler_input_tensor(c, 0, &none) == STRC_WRONG_CALL);
    strc_compiler_free(c);
}

// ---- tensors

static const float weight[6] = {1, 2, 3, 4, 5, 6}, bias[2] = {10, 20};

static strc_status give(strc_compiler* c, const char* name, size_t rank, const int64_t* dims,
                        const float* values, size_t size) {
    const strc_tensor tensor = {"float", rank, dims, size};
    return strc_compiler_add_weights(c, name, &tensor, values);
}

static void test_tensors(void) {
    const int64_t of_weight[2] = {2, 3}, of_bias[1] = {2};
    strc_compiler* c = compiler_of(tensors, "Both");
    EXPECT(strc_compiler_set(c, "input", "1x3") == STRC_OK);
    EXPECT(strc_compiler_set(c, "input", "2x2:half") == STRC_OK);
    EXPECT(give(c, "first.weight", 2, of_weight, weight, sizeof weight) == STRC_OK);
    EXPECT(give(c, "first.weight", 2, of_weight, weight, 4) == STRC_WRONG_CALL);
    EXPECT(give(c, "first.bias", 1, of_bias, bias, sizeof bias) == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    strc_tensor tensor;
    EXPECT(strc_compiler_input_tensor(c, 0, &tensor) == STRC_OK && tensor.rank == 2);
    EXPECT(tensor.dims[0] == 1 && tensor.dims[1] == 3 && tensor.size == 12);
    EXPECT(strc_compiler_input_tensor(c, 1, &tensor) == STRC_OK && tensor.size == 8);
    EXPECT(strcmp(tensor.element, "half") == 0);
    EXPECT(strc_compiler_input_tensor(c, 2, &tensor) == STRC_WRONG_CALL);
    EXPECT(strc_compiler_output_tensor(c, 0, &tensor) == STRC_OK && tensor.size == 8);
    strc_stream* s = stream_of(c);
    strc_stream_about about = {.size = sizeof about};
    EXPECT(strc_stream_tell(s, &about) == STRC_OK && about.block_in == 2 && about.block_out == 2);
    const float x[3] = {1, 1, 2};
    const uint16_t halves[4] = {0x3c00, 0x4000, 0xc200, 0x0001};  // 1, 2, -3, the least
    float y[2];
    uint16_t z[4];
    const void* in[2] = {x, halves};
    void* out[2] = {y, z};
    size_t taken, given;
    for (int round = 0; round < 2; ++round) {
        EXPECT(strc_stream_process_items(s, in, 1, out, 0, &taken, &given) == STRC_OK);
        EXPECT(taken == 1 && given == 0);
        EXPECT(strc_stream_process_items(s, in + 1, 1, out, 2, &taken, &given) == STRC_OK);
        EXPECT(given == 2 && y[0] == 19 && y[1] == 41);
        EXPECT(z[0] == 0x3800 && z[1] == 0x3c00 && z[2] == 0xbe00 && z[3] == 0);
    }
    in[0] = NULL;
    EXPECT(strc_stream_process_items(s, in, 1, out, 2, &taken, &given) == STRC_WRONG_CALL);
    strc_stream_free(s);
    strc_compiler_free(c);
}

/// Bodies with arrays that lie on the stack, small ones and some that have to have one of their own.
static void test_large_arrays(const char* shape, size_t elements) {
    strc_compiler* c = compiler_of(
        "tensor->tensor pipeline P { add conv2d(1, 2, 3, 3, 1, 1, 1, 1, weights = \"c\");"
        " add maxpool2d(2); }",
        "P");
    EXPECT(strc_compiler_set(c, "input", shape) == STRC_OK);
    EXPECT(strc_compiler_set(c, "weights", "random:1") == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    strc_stream* s = stream_of(c);
    float *x = calloc(elements, sizeof *x), *y = malloc(elements * sizeof *y);
    const void* in[1] = {x};
    void* out[1] = {y};
    size_t given;
    EXPECT(strc_stream_process_items(s, in, 1, out, 1, NULL, &given) == STRC_OK && given == 1);
    free(x);
    free(y);
    strc_stream_free(s);
    strc_compiler_free(c);
}

enum { kRows = 8 };

static strc_compiler* product_by(const char* kernels) {
    strc_compiler* c = compiler_of(
        "tensor->tensor filter Product { work pop 1 push 1 { tensor x = pop(); push(matmul(x, "
        "transpose(x, 0, 1))); } }",
        "Product");
    EXPECT(strc_compiler_set(c, "input", "8x8") == STRC_OK);
    EXPECT(strc_compiler_set(c, "kernels", kernels) == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    return c;
}

static void multiply(strc_stream* s, float* out) {
    float in[kRows * kRows];
    for (int k = 0; k < kRows * kRows; ++k) in[k] = (float)(k * k % 17);
    size_t taken, given;
    EXPECT(strc_stream_process(s, in, 1, out, 1, &taken, &given) == STRC_OK);
    EXPECT(taken == 1 && given == 1);
}

/// The same whoever multiplies, also again and by two streams.
static void test_kernels(const char* kernels) {
    strc_compiler *generated = product_by("generated"), *c = product_by(kernels);
    strc_stream *first = NULL, *second = NULL;
    if (strc_stream_new(c, &first) != STRC_OK && has_diagnostic(c, "cannot-open-file")) {
        printf("%s is not there\n", kernels);
    } else {
        strc_stream* s = stream_of(generated);
        float own[kRows * kRows], out[kRows * kRows];
        multiply(s, own);
        strc_stream_free(s);
        EXPECT(strc_stream_new(c, &second) == STRC_OK);
        for (int round = 0; round < 4; ++round) {
            memset(out, 0, sizeof out);
            multiply(round == 1 ? second : first, out);
            EXPECT(memcmp(own, out, sizeof out) == 0);  // sums of small integers
            if (round == 2) strc_stream_reset(first);
        }
        strc_stream_free(second);
        strc_stream_free(first);
    }
    strc_compiler_free(c);
    strc_compiler_free(generated);
}

/// A library that is none; before one is loaded, which stays.
static void test_no_kernels(void) {
    setenv("STRC_ONEDNN_LIB", "/bin/sh", 1);
    strc_compiler* c = product_by("onednn");
    strc_stream* s = NULL;
    EXPECT(strc_stream_new(c, &s) == STRC_FAILED && !s);
    EXPECT(has_diagnostic(c, "cannot-open-file"));
    strc_compiler_free(c);
    unsetenv("STRC_ONEDNN_LIB");
}

enum { kPlaces = 128 };

static int calls = 0;

/// The other process has nothing but zeros, or is gone.
static int gather(void* is_there, const void* own, uint64_t bytes, void* all) {
    ++calls;
    memcpy(all, own, bytes);
    memset((char*)all + bytes, 0, bytes);
    return is_there ? 0 : 1;
}

static strc_status multiply_shared(strc_stream* s, float* out) {
    static float in[kPlaces * kPlaces];
    for (int k = 0; k < kPlaces * kPlaces; ++k) in[k] = (float)(1 + k % 3);
    size_t taken, given;
    memset(out, -1, sizeof in);
    return strc_stream_process(s, in, 1, out, 1, &taken, &given);
}

/// The first of two processes does the first half of the rows, and gets the others.
static void test_mesh(void) {
    strc_compiler* c = compiler_of(
        "tensor->tensor filter Product { work pop 1 push 1 { tensor x = pop(); push(matmul(x, x)); "
        "} }",
        "Product");
    static float out[kPlaces * kPlaces];
    strc_stream* s = NULL;
    EXPECT(strc_compiler_set(c, "mesh", "2/2") == STRC_WRONG_CALL);
    EXPECT(strc_compiler_set(c, "mesh", "0/2") == STRC_OK);
    EXPECT(strc_compiler_set(c, "split", "sums") == STRC_WRONG_CALL);
    EXPECT(strc_compiler_set(c, "split", "0:32") == STRC_OK);
    EXPECT(strc_compiler_set(c, "input", "128x128") == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    EXPECT(strc_stream_new(c, &s) == STRC_OK);
    strc_stream_about about = {.size = sizeof about};
    EXPECT(strc_stream_tell(s, &about) == STRC_OK && about.identity != 0);
    EXPECT(multiply_shared(s, out) == STRC_WRONG_CALL);
    strc_collectives functions = {.size = sizeof functions, .user = c, .gather = gather};
    EXPECT(strc_stream_mesh(s, &functions) == STRC_WRONG_CALL);
    functions.exchange = gather;
    EXPECT(strc_stream_mesh(s, &functions) == STRC_OK);
    EXPECT(multiply_shared(s, out) == STRC_OK && calls == 1);
    EXPECT(out[0] > 0 && out[kPlaces * kPlaces / 2 - 1] > 0);
    EXPECT(out[kPlaces * kPlaces / 2] == 0 && out[kPlaces * kPlaces - 1] == 0);
    functions.user = NULL;
    EXPECT(strc_stream_mesh(s, &functions) == STRC_OK);
    EXPECT(multiply_shared(s, out) == STRC_FAILED && has_diagnostic(c, "cannot-read-file"));
    const strc_run_options options = {.size = sizeof options};
    EXPECT(strc_compiler_run(c, &options, NULL) == STRC_WRONG_CALL);
    strc_stream_free(s);
    strc_compiler_free(c);
    c = compiled(sum, "Sum");
    s = stream_of(c);
    EXPECT(strc_stream_mesh(s, &functions) == STRC_WRONG_CALL);
    strc_stream_free(s);
    strc_compiler_free(c);
}

static void test_wrong_weights(void) {
    const int64_t dims[2] = {3, 2};
    strc_compiler* c = compiler_of(tensors, "Both");
    EXPECT(strc_compiler_set(c, "input", "1x3") == STRC_OK);
    EXPECT(give(c, "first.weight", 2, dims, weight, sizeof weight) == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_FAILED);
    EXPECT(has_diagnostic(c, "weights-mismatch"));
    strc_compiler_free(c);
}

/// An array for each input and output, in pieces that end in the midst of a round.
static void test_several_ends(void) {
    strc_compiler* c = compiled(ends, "Ends");
    size_t turn = 0;
    EXPECT(strc_compiler_input_turn(c, 0, &turn) == STRC_OK && turn == 2);
    EXPECT(strc_compiler_input_turn(c, 1, &turn) == STRC_OK && turn == 1);
    EXPECT(strc_compiler_input_turn(c, 2, &turn) == STRC_WRONG_CALL);
    EXPECT(strc_compiler_output_turn(c, 0, &turn) == STRC_OK && turn == 3);
    strc_stream* s = stream_of(c);
    int a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[4] = {10, 20, 30, 0}, many[12], few[4];
    strc_stream_end in[2] = {{a, 3, 9}, {b, 4, 9}}, out[2] = {{many, 5, 9}, {few, 4, 9}};
    EXPECT(strc_stream_process_ends(s, in, 1, out, 2) == STRC_WRONG_CALL);
    EXPECT(strc_stream_process_ends(s, in, 2, NULL, 0) == STRC_WRONG_CALL);
    EXPECT(strc_stream_process_ends(s, in, 2, out, 2) == STRC_OK);
    EXPECT(in[0].done == 3 && in[1].done == 1 && out[0].done == 3 && out[1].done == 1);
    EXPECT(many[0] == 11 && many[1] == 12 && many[2] == -1 && few[0] == 10);
    strc_stream_end more[2] = {{a + 3, 5, 0}, {b + 1, 2, 0}}, room[2] = {{many, 4, 0}, {few, 4, 0}};
    EXPECT(strc_stream_process_ends(s, more, 2, room, 2) == STRC_OK);
    EXPECT(more[0].done == 5 && more[1].done == 2 && room[0].done == 4 && room[1].done == 1);
    EXPECT(many[0] == 23 && many[3] == 35 && few[0] == 5);
    strc_stream_end rest[2] = {{many, 9, 0}, {few, 4, 0}}, none[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    EXPECT(strc_stream_process_ends(s, none, 2, rest, 2) == STRC_OK);
    EXPECT(rest[0].done == 2 && rest[1].done == 1 && many[0] == 36 && few[0] == 3);
    strc_stream_end wrong[2] = {{NULL, 0, 0}, {b + 3, 1, 0}};
    EXPECT(strc_stream_process_ends(s, wrong, 2, rest, 2) == STRC_FAILED && wrong[1].done == 1);
    EXPECT(strc_stream_process_ends(s, wrong, 2, rest, 2) == STRC_FAILED && wrong[1].done == 0);
    strc_stream_reset(s);
    EXPECT(strc_stream_drain_ends(s, rest, 2) == STRC_OK && rest[0].done == 0);
    strc_stream_free(s);
    strc_compiler_free(c);
}

/// Many streams in one call give what each gives alone, in lanes and without, whatever place they stand at.
static void test_many(int lanes) {
    enum { kStreams = 21, kItems = 37, kCalls = 6 };
    strc_compiler* c = compiler_of(
        "float->float stateful filter Decay { float s; work pop 1 push 1 { s = 0.75 * s + pop(); "
        "push(s * s); } }",
        "Decay");
    if (lanes) EXPECT(strc_compiler_set(c, "lanes", NULL) == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    strc_stream *many[kStreams], *one[kStreams];
    static float in[kStreams][kItems], out[kStreams][kItems], alone[kItems];
    const void* from[kStreams];
    void* to[kStreams];
    for (int k = 0; k < kStreams; ++k) {
        many[k] = stream_of(c);
        one[k] = stream_of(c);
        for (int j = 0; j < kItems; ++j) in[k][j] = (float)((7 * k + j * j) % 13);
        from[k] = in[k];
        to[k] = out[k];
    }
    size_t taken[kStreams], given[kStreams], count = 0;
    EXPECT(strc_stream_process(many[3], in[3], 5, out[3], 5, NULL, NULL) == STRC_OK);
    EXPECT(strc_stream_process(one[3], in[3], 5, out[3], 5, NULL, NULL) == STRC_OK);
    for (int call = 0; call < kCalls; ++call) {
        const size_t items = call == 2 ? 3 : kItems;
        EXPECT(strc_stream_process_many(many, kStreams, from, items, to, kItems, taken, given) ==
               STRC_OK);
        for (int k = 0; k < kStreams; ++k) {
            EXPECT(strc_stream_process(one[k], in[k], items, alone, kItems, NULL, &count) ==
                   STRC_OK);
            EXPECT(taken[k] == items && given[k] == count);
            EXPECT(memcmp(alone, out[k], count * sizeof(float)) == 0);
        }
    }
    strc_stream* const twice[2] = {many[0], many[0]};
    EXPECT(strc_stream_process_many(twice, 2, from, 1, to, 1, NULL, NULL) == STRC_WRONG_CALL);
    EXPECT(strc_stream_process_many(NULL, 1, from, 1, to, 1, NULL, NULL) == STRC_WRONG_CALL);
    EXPECT(strc_stream_process_many(NULL, 0, NULL, 1, NULL, 1, NULL, NULL) == STRC_OK);
    for (int k = 0; k < kStreams; ++k) {
        strc_stream_free(many[k]);
        strc_stream_free(one[k]);
    }
    strc_compiler_free(c);
}

int main(void) {
    test_chunks();
    test_many(0);
    test_many(1);
    test_several_ends();
    test_two_streams();
    test_end();
    test_parameter();
    test_computed_parameter();
    test_fault();
    test_state();
    test_threads();
    test_printing();
    test_refusals();
    test_dynamic_rates();
    test_parameter_of_a_waiting_firing();
    test_full_queue();
    test_messages();
    test_bounds();
    test_seed();
    test_layouts();
    test_tensors();
    test_large_arrays("1x1x64x64", 64 * 64);
    test_large_arrays("1x1x200x200", 200 * 200);
    test_large_arrays("1x1x1024x1024", 1024 * 1024);
    test_wrong_weights();
    test_mesh();
    test_no_kernels();
    test_kernels("onednn");
    test_kernels("torch");
    return faults != 0;
}
