/// libstrc as a program in C uses it. Exits with 0 if all is as it should be.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "strc/strc.h"

static int faults = 0;

static void expect(int holds, int line, const char* what) {
    if (holds) return;
    fprintf(stderr, "line %d: not so: %s\n", line, what);
    ++faults;
}
#define EXPECT(condition) expect((condition) != 0, __LINE__, #condition)

static const char counter[] =
    "void->void pipeline Main(int n = 1) { add Source(n); add Sink; }\n"
    "void->int stateful filter Source(int n) {\n"
    "    int i;\n"
    "    init { println(\"built\"); }\n"
    "    work push 1 { push(n * i++); }\n"
    "}\n"
    "int->void filter Sink { work pop 1 { println(pop()); } }\n";
static const char sum[] =
    "float->float filter Sum {\n"
    "    work pop 1 push 1 peek 3 { push(sin(peek(0)) + peek(2)); pop(); }\n"
    "}\n";
static const char divide[] =
    "int->int filter Divide { work pop 1 push 1 { push(100 / pop()); } }\n";

typedef struct text {
    char bytes[1000];
    size_t size;
} text;

static void keep(void* user, const char* from, size_t size) {
    text* to = user;
    if (size >= sizeof to->bytes - to->size) return;
    memcpy(to->bytes + to->size, from, size);
    to->size += size;
    to->bytes[to->size] = '\0';
}

static strc_compiler* compiler_of(const char* name, const char* source, const char* top) {
    strc_compiler* made = strc_compiler_new();
    EXPECT(strc_compiler_add_source(made, name, source, strlen(source)) == STRC_OK);
    if (top) EXPECT(strc_compiler_set(made, "top", top) == STRC_OK);
    return made;
}

static strc_compiler* compiled(const char* source, const char* top) {
    strc_compiler* made = compiler_of("p.str", source, top);
    EXPECT(strc_compiler_compile(made, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    return made;
}

// ---- what a program prints

static void test_printing(void) {
    text built = {.size = 0}, ran = {.size = 0};
    strc_compiler* c = compiler_of("counter.str", counter, NULL);
    EXPECT(strc_compiler_set(c, "D", "n=5") == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, keep, &built) == STRC_OK);
    EXPECT(strcmp(built.bytes, "built\n") == 0);
    strc_run_options options = {.size = sizeof options, .limit = 3, .user = &ran, .print = keep};
    strc_run_result result;
    for (int round = 0; round < 2; ++round) {
        ran.size = 0;
        EXPECT(strc_compiler_run(c, &options, &result) == STRC_OK);
        EXPECT(strcmp(ran.bytes, "0\n5\n10\n") == 0);
        EXPECT(result.end == STRC_RUN_LIMIT && result.compiled);
    }
    options.limit = 0;
    options.iterations = 2;
    ran.size = 0;
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_OK);
    EXPECT(strcmp(ran.bytes, "0\n5\n") == 0);
    EXPECT(result.end == STRC_RUN_ITERATIONS && result.iterations == 2 && result.firings == 4);
    strc_compiler_free(c);
}

// ---- items

static void test_items(void) {
    strc_compiler* c = compiled(sum, "Sum");
    strc_items items;
    EXPECT(strc_compiler_input(c, &items) == STRC_OK && strcmp(items.type, "float") == 0);
    EXPECT(strc_compiler_output(c, &items) == STRC_OK && items.size == 4);
    const float in[5] = {0, 0, 1, 2, 3};
    float out[5] = {0};
    size_t produced;
    EXPECT(strc_compiler_run_items(c, in, 5, out, 5, &produced) == STRC_OK);
    EXPECT(produced == 3 && out[0] == 1 && out[1] == 2 && out[2] > 3.84f && out[2] < 3.85f);
    EXPECT(strc_compiler_run_items(c, in, 5, out, 2, &produced) == STRC_OK && produced == 2);
    EXPECT(strc_compiler_run_items(c, in, 0, out, 2, &produced) == STRC_OK && produced == 0);
    strc_compiler_free(c);
}

typedef struct pipe_ends {
    int next, last, sum;
} pipe_ends;

static size_t give(void* user, void* to, size_t count) {
    pipe_ends* ends = user;
    if (count == 0 || ends->next > ends->last) return 0;
    memcpy(to, &ends->next, sizeof ends->next);
    ++ends->next;
    return 1;
}

static int take(void* user, const void* from, size_t count) {
    pipe_ends* ends = user;
    for (size_t k = 0; k < count; ++k) {
        int item;
        memcpy(&item, (const char*)from + k * sizeof item, sizeof item);
        ends->sum += item;
    }
    return ends->sum > 250;
}

static void test_functions(void) {
    strc_compiler* c = compiled(divide, "Divide");
    pipe_ends ends = {1, 4, 0};
    strc_run_options options = {.size = sizeof options, .user = &ends, .read = give, .write = take};
    strc_run_result result;
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_OK);
    EXPECT(ends.sum == 100 + 50 + 33 + 25 && result.end == STRC_RUN_INPUT);
    EXPECT(result.items_read == 4 && result.items_written == 4);
    ends = (pipe_ends){-1, 4, 260};
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_FAILED);  // by 0
    EXPECT(result.end == STRC_RUN_FAILED && ends.sum == 160);
    strc_diagnostic fault;
    EXPECT(strc_compiler_diagnostic_count(c) == 1);
    EXPECT(strc_compiler_diagnostic(c, 0, &fault) == STRC_OK);
    EXPECT(strcmp(fault.code, "division-by-zero") == 0 && strcmp(fault.instance, "Divide") == 0);
    ends = (pipe_ends){1, 1000000, 200};
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_OK);  // one has enough
    EXPECT(result.end == STRC_RUN_LIMIT);
    strc_compiler_free(c);
}

static void test_interrupt(void) {
    static volatile unsigned char now = 1;
    strc_compiler* c = compiled(counter, NULL);
    EXPECT(strc_compiler_set_interrupt(c, &now) == STRC_OK);
    strc_run_options options = {.size = sizeof options};
    strc_run_result result;
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_OK);
    EXPECT(result.end == STRC_RUN_INTERRUPTED);
    strc_compiler_free(c);
}

// ---- diagnostics

static void test_diagnostics(void) {
    const char wrong[] =
        "void->void pipeline Main { add Sorce; add Sink; }\n"
        "int->void filter Sink { work pop 1 { int x = pop(); y; } }\n";
    strc_compiler* c = compiler_of("wrong.str", wrong, NULL);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_FAILED);
    EXPECT(strc_compiler_stage(c) < STRC_STAGE_CHECKED);
    EXPECT(strc_compiler_diagnostic_count(c) >= 2);
    strc_diagnostic d;
    int found = 0;
    for (size_t k = 0; strc_compiler_diagnostic(c, k, &d) == STRC_OK; ++k) {
        if (strcmp(d.code, "unknown-stream") != 0) continue;
        found = 1;
        EXPECT(d.severity == STRC_SEVERITY_ERROR && strcmp(d.file, "wrong.str") == 0);
        EXPECT(d.begin.line == 1 && d.begin.column == 32 && d.end.column == 37);
        EXPECT(d.begin.offset == 31 && d.end.offset == 36);
        EXPECT(strstr(d.message, "'Sorce'") != NULL);
        EXPECT(strstr(d.text, "wrong.str:1:32: error: ") == d.text && strstr(d.text, "^~~~~"));
        EXPECT(d.json[0] == '{' && strstr(d.json, "\"unknown-stream\""));
    }
    EXPECT(found);
    EXPECT(strc_compiler_run(c, &(strc_run_options){.size = sizeof(strc_run_options)}, NULL) ==
           STRC_WRONG_CALL);
    strc_compiler_free(c);
}

static void test_warnings(void) {
    const char spare[] =
        "void->void pipeline Main { add Source; add Sink; }\n"
        "void->int filter Source { work push 1 { int unused; push(1); } }\n"
        "int->void filter Sink { work pop 1 { println(pop()); } }\n";
    strc_compiler* c = compiled(spare, NULL);
    strc_diagnostic d;
    EXPECT(strc_compiler_diagnostic(c, 0, &d) == STRC_OK && d.severity == STRC_SEVERITY_WARNING);
    strc_compiler_free(c);
    c = compiler_of("p.str", spare, NULL);
    EXPECT(strc_compiler_set(c, "W", "error") == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_FAILED);
    strc_compiler_free(c);
    c = compiler_of("p.str", spare, NULL);
    EXPECT(strc_compiler_set(c, "w", NULL) == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    EXPECT(strc_compiler_diagnostic_count(c) == 0);
    strc_compiler_free(c);
}

static void test_sources(void) {
    strc_diagnostic d;
    strc_compiler* c = strc_compiler_new();
    EXPECT(strc_compiler_add_file(c, "/no/such.str") == STRC_FAILED);
    EXPECT(strc_compiler_error_count(c) == 1);
    EXPECT(strc_compiler_diagnostic(c, 0, &d) == STRC_OK &&
           strcmp(d.code, "cannot-open-file") == 0);
    EXPECT(strc_compiler_set(c, "W", "no-such-warning") == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PARSED, NULL, NULL) == STRC_FAILED);
    EXPECT(strc_compiler_error_count(c) == 2);  // the option is told, too
    EXPECT(strc_compiler_stage(c) == STRC_STAGE_NOTHING);
    strc_compiler_free(c);
}

typedef struct pieces {
    const char* text;
    size_t at, step;
} pieces;

static size_t next_piece(void* user, char* to, size_t room) {
    pieces* from = user;
    size_t size = strlen(from->text + from->at);
    if (size > from->step) size = from->step;
    if (size > room) size = room;
    memcpy(to, from->text + from->at, size);
    from->at += size;
    return size;
}

static void test_streams_of_text(void) {
    pieces from = {counter, 0, 7};
    strc_compiler* c = strc_compiler_new();
    EXPECT(strc_compiler_add_stream(c, "counter.str", next_piece, &from) == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_BALANCED, NULL, NULL) == STRC_OK);
    EXPECT(from.at == strlen(counter));
    strc_compiler_free(c);
}

static void test_colours(void) {
    for (int coloured = 0; coloured < 2; ++coloured) {
        strc_diagnostic d;
        strc_compiler* c = compiler_of("p.str", "x", NULL);
        if (coloured) EXPECT(strc_compiler_set(c, "color", NULL) == STRC_OK);
        EXPECT(strc_compiler_compile(c, STRC_STAGE_PARSED, NULL, NULL) == STRC_FAILED);
        EXPECT(strc_compiler_diagnostic(c, 0, &d) == STRC_OK);
        EXPECT((strchr(d.text, 27) != NULL) == coloured && !strchr(d.json, 27));
        strc_compiler_free(c);
    }
}

static void test_explaining(void) {
    char page[4000], begin[9];
    const size_t size = strc_explain("deadlock", page, sizeof page);
    EXPECT(size > 100 && size < sizeof page && strlen(page) == size);
    EXPECT(strncmp(page, "deadlock (error)\n", 17) == 0);
    EXPECT(strc_explain("deadlock", begin, sizeof begin) == size);
    EXPECT(strcmp(begin, "deadlock") == 0);
    EXPECT(strc_explain("dead-lock", page, sizeof page) == 0 && page[0] == '\0');
    EXPECT(strc_explain("more-errors", NULL, 0) == 0);  // a note
    EXPECT(strc_explain(NULL, NULL, 0) > 10000);
}

static void test_formatting(void) {
    size_t size;
    int changes;
    strc_compiler* c = compiler_of("p.str", "void->void pipeline P{add A  ;}", NULL);
    const char* formatted = strc_compiler_format(c, &size, &changes);
    EXPECT(formatted && strlen(formatted) == size && strstr(formatted, "add A;") && changes);
    EXPECT(strc_compiler_format(c, &size, &changes) == NULL);  // once
    strc_compiler* again = compiler_of("p.str", formatted, NULL);
    EXPECT(strc_compiler_format(again, NULL, &changes) && !changes);
    strc_compiler_free(again);
    strc_compiler_free(c);
    c = compiler_of("p.str", "int int", NULL);
    EXPECT(strc_compiler_format(c, NULL, NULL) == NULL && strc_compiler_error_count(c) > 0);
    strc_compiler_free(c);
}

static void test_optimising(void) {
    static const char text[] =
        "filter F int->int { setup { } work { %0: int = pop  %1: int = const 2  "
        "%2: int = mul %1, %1  %3: int = mul %0, %2  push<int> %3 } }";
    size_t size;
    strc_compiler* c = compiler_of("p.ir", text, NULL);
    EXPECT(strc_compiler_set(c, "pass", "fold") == STRC_OK);
    EXPECT(strc_compiler_set(c, "pass", "lanes") == STRC_WRONG_CALL);
    const char* folded = strc_compiler_optimise(c, &size);
    EXPECT(folded && strlen(folded) == size && strstr(folded, "const 4") &&
           !strstr(folded, "const 2"));
    EXPECT(strc_compiler_optimise(c, &size) == NULL && size == 0);  // once
    strc_compiler_free(c);
    c = compiler_of("p.ir", "filter F", NULL);
    EXPECT(strc_compiler_optimise(c, NULL) == NULL && strc_compiler_error_count(c) == 1);
    strc_compiler_free(c);
}

// ---- products

static void test_products(void) {
    strc_compiler* c = compiled(counter, NULL);
    size_t size;
    for (int product = STRC_AST; product <= STRC_ASSEMBLY; ++product) {
        const char* shown = strc_compiler_text(c, (strc_product)product, &size);
        EXPECT(shown && size > 10 && strlen(shown) == size);
        EXPECT(strc_compiler_text(c, (strc_product)product, NULL) == shown);
    }
    EXPECT(strc_compiler_text(c, STRC_GRAPH_JSON, NULL)[0] == '{');
    EXPECT(strncmp(strc_compiler_text(c, STRC_GRAPH_DOT, NULL), "digraph", 7) == 0);
    EXPECT(strstr(strc_compiler_text(c, STRC_LLVM, NULL), "strc_program") != NULL);
    strc_compiler_free(c);
    c = compiler_of("p.str", counter, NULL);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_BALANCED, NULL, NULL) == STRC_OK);
    EXPECT(strc_compiler_stage(c) == STRC_STAGE_BALANCED);
    EXPECT(strc_compiler_text(c, STRC_GRAPH, NULL) != NULL);
    EXPECT(strc_compiler_text(c, STRC_SCHEDULE, NULL) == NULL);
    EXPECT(strc_compiler_text(c, STRC_AFTER_PASS, NULL) == NULL);
    EXPECT(strc_compiler_diagnostic_count(c) == 0);
    strc_compiler_free(c);
}

static void test_passes(void) {
    text lines = {.size = 0};
    strc_compiler* c = compiler_of("p.str", sum, "Sum");
    EXPECT(strc_compiler_set(c, "emit-after", "lower") == STRC_OK);
    EXPECT(strc_compiler_set(c, "opt-bisect-limit", "0") == STRC_OK);
    EXPECT(strc_compiler_set(c, "time-passes", NULL) == STRC_OK);
    EXPECT(strc_compiler_set_log(c, keep, &lines) == STRC_OK);
    EXPECT(strc_compiler_stage_for(c, STRC_AFTER_PASS) == STRC_STAGE_LOWERED);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    EXPECT(strstr(strc_compiler_text(c, STRC_AFTER_PASS, NULL), "filter Sum float->float"));
    EXPECT(strncmp(lines.bytes, "BISECT: NOT running pass (1) ", 29) == 0);
    EXPECT(strstr(strc_compiler_times(c), "elaborate") != NULL);
    EXPECT(strcmp(strc_compiler_times(c), "") == 0);
    strc_compiler_free(c);
}

/// Passes over the graph are for the library, too.
static void test_linear_filters(void) {
    const char twice[] =
        "int->int pipeline Main { add Twice; add Twice; }\n"
        "int->int filter Twice { work pop 1 push 1 { push(2 * pop()); } }\n";
    for (int plain = 0; plain < 2; ++plain) {
        const int in[2] = {3, 5};
        int out[2];
        size_t produced;
        strc_compiler* c = compiler_of("p.str", twice, "Main");
        if (plain) EXPECT(strc_compiler_set(c, "O", "1") == STRC_OK);
        EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
        EXPECT((strstr(strc_compiler_text(c, STRC_PLAN, NULL), "Twice+Twice") == NULL) == plain);
        EXPECT(strc_compiler_run_items(c, in, 2, out, 2, &produced) == STRC_OK);
        EXPECT(produced == 2 && out[0] == 12 && out[1] == 20);
        strc_compiler_free(c);
    }
}

/// A body that pops less than it declares; run and compilation find it, one of them tells.
static void test_lenient_rates(void) {
    const char some[] = "int->int filter Some { work pop 2 push 1 { push(pop()); } }\n";
    const int in[6] = {0, 1, 2, 3, 4, 5};
    int out[3];
    size_t produced;
    strc_compiler* c = compiler_of("p.str", some, "Some");
    EXPECT(strc_compiler_set(c, "lenient", NULL) == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    EXPECT(strc_compiler_run_items(c, in, 6, out, 3, &produced) == STRC_OK);
    EXPECT(produced == 3 && out[0] == 0 && out[1] == 2 && out[2] == 4);
    EXPECT(strc_compiler_diagnostic_count(c) == 1);
    strc_compiler_free(c);
}

/// Rates that are known when it runs: there is no schedule for all of it, and a plan without.
static const char dynamic[] =
    "void->void pipeline Main { add Source; add Some; add Sink; }\n"
    "void->int stateful filter Source { int i; work push 1 { push(i++); } }\n"
    "int->int filter Some { work pop * push * { int x = pop(); if (x % 2 == 0) push(x); } }\n"
    "int->void filter Sink { work pop 1 { println(pop()); } }\n";

static void test_what_cannot_be_compiled(void) {
    strc_compiler* c = compiler_of("p.str", counter, NULL);
    strc_diagnostic d;
    strc_run_result result;
    strc_run_options options = {.size = sizeof options, .iterations = 1};
    EXPECT(strc_compiler_set(c, "no-interpret", NULL) == STRC_OK);
    EXPECT(strc_compiler_set(c, "step-limit", "1000") == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_FAILED);
    EXPECT(strc_compiler_diagnostic(c, 0, &d) == STRC_OK && strcmp(d.code, "cannot-compile") == 0);
    strc_compiler_free(c);
    c = compiler_of("p.str", counter, NULL);
    EXPECT(strc_compiler_set(c, "interpret", NULL) == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_BALANCED, NULL, NULL) == STRC_OK);
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_OK && !result.compiled);
    strc_compiler_free(c);
    c = compiler_of("p.str", dynamic, NULL);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_SCHEDULED, NULL, NULL) == STRC_OK);
    EXPECT(strstr(strc_compiler_text(c, STRC_SCHEDULE, NULL), "island 1"));
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_WRONG_CALL);
    strc_compiler_free(c);
}

/// Functions get items of a size that they know; files may take the others.
static void test_shapes_of_the_run(void) {
    strc_compiler* c = compiled(
        "tensor<float>[2]->tensor filter Main { work pop 1 push 1 { tensor x = pop(); "
        "push(narrow(x, 0, 0, (int) x[0])); } }",
        "Main");
    strc_items items;
    EXPECT(strc_compiler_input(c, &items) == STRC_OK && items.size == 8);
    EXPECT(strc_compiler_output(c, &items) == STRC_OK && items.size == 0);
    EXPECT(strcmp(items.type, "tensor") == 0);
    const float in[2] = {1, 7};
    float out[2];
    size_t produced;
    strc_diagnostic fault;
    EXPECT(strc_compiler_run_items(c, in, 1, out, 1, &produced) == STRC_FAILED);
    const size_t last = strc_compiler_diagnostic_count(c) - 1;
    EXPECT(strc_compiler_diagnostic(c, last, &fault) == STRC_OK);
    EXPECT(strcmp(fault.code, "tensor-unknown") == 0);
    strc_compiler_free(c);
}

// ---- what is built

static int exists(const char* name) { return access(name, F_OK) == 0; }

static void expect_output(const char* command, const char* expected) {
    text seen = {.size = 0};
    FILE* from = popen(command, "r");
    EXPECT(from != NULL);
    if (!from) return;
    seen.size = fread(seen.bytes, 1, sizeof seen.bytes - 1, from);
    seen.bytes[seen.size] = '\0';
    EXPECT(pclose(from) == 0);
    EXPECT(strcmp(seen.bytes, expected) == 0);
}

static void test_executables(void) {
    strc_compiler* c = compiler_of("p.str", counter, NULL);
    EXPECT(strc_compiler_set(c, "keep-param", "n") == STRC_OK);
    EXPECT(strc_compiler_set(c, "tapes", "ring") == STRC_OK);
    EXPECT(strc_compiler_build(c, "counter") == STRC_WRONG_CALL);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    EXPECT(strc_compiler_build(c, "") == STRC_WRONG_CALL);
    EXPECT(strc_compiler_build(c, "counter") == STRC_OK);
    size_t size = 0;
    const char* object = strc_compiler_text(c, STRC_OBJECT, &size);
    EXPECT(object && size > 100 && memcmp(object, "\177ELF", 4) == 0);
    EXPECT(strc_compiler_build(c, "/nowhere/counter") == STRC_FAILED);
    EXPECT(strc_compiler_diagnostic_count(c) == 1);
    strc_compiler_free(c);
    expect_output("./counter -i 3", "built\n0\n1\n2\n");
    expect_output("./counter -i 3 -D n=5", "built\n0\n5\n10\n");
}

static void test_libraries(void) {
    strc_compiler* c = compiler_of("p.str", sum, "Sum");
    EXPECT(strc_compiler_set(c, "shared", NULL) == STRC_OK);
    EXPECT(strc_compiler_set(c, "check", "none") == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    EXPECT(strc_compiler_build(c, "libsum.so") == STRC_OK);
    EXPECT(exists("libsum.so") && exists("libsum.h"));
    strc_compiler_free(c);

    c = compiled(counter, NULL);  // prints
    EXPECT(strc_compiler_build(c, "fine") == STRC_OK);
    strc_compiler_free(c);
    c = compiler_of("p.str", counter, NULL);
    EXPECT(strc_compiler_set(c, "shared", NULL) == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    EXPECT(strc_compiler_build(c, "libcounter.so") == STRC_FAILED);
    EXPECT(strc_compiler_diagnostic_count(c) > 0);
    EXPECT(!exists("libcounter.so") && !exists("libcounter.h"));
    strc_compiler_free(c);
}

static void test_faults_of_building(void) {
    strc_diagnostic fault;
    strc_compiler* c = compiler_of("p.str", counter, NULL);
    EXPECT(strc_compiler_set(c, "linker", "no-such-linker") == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    EXPECT(strc_compiler_build(c, "none") == STRC_FAILED);
    EXPECT(strc_compiler_diagnostic(c, 0, &fault) == STRC_OK);
    EXPECT(strcmp(fault.code, "tool-missing") == 0);
    EXPECT(!exists("none"));
    strc_compiler_free(c);

    c = compiler_of("p.str", counter, NULL);
    EXPECT(strc_compiler_set(c, "march", "no-such-processor") == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_FAILED);
    EXPECT(strc_compiler_diagnostic(c, 0, &fault) == STRC_OK);
    EXPECT(strcmp(fault.code, "unknown-processor") == 0);
    strc_compiler_free(c);

    c = compiler_of("p.str", counter, NULL);
    EXPECT(strc_compiler_set(c, "lenient", NULL) == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    EXPECT(strc_compiler_build(c, "none") == STRC_FAILED);
    EXPECT(strc_compiler_diagnostic(c, 0, &fault) == STRC_OK);
    EXPECT(strcmp(fault.code, "cannot-compile") == 0);
    strc_compiler_free(c);
}

// ---- files

static void write_file(const char* name, const char* content) {
    FILE* file = fopen(name, "w");
    EXPECT(file && fputs(content, file) >= 0);
    if (file) fclose(file);
}

static void count_calls(void* user) { ++*(int*)user; }

static const char* last_code(strc_compiler* c) {
    strc_diagnostic d;
    const size_t count = strc_compiler_diagnostic_count(c);
    return count > 0 && strc_compiler_diagnostic(c, count - 1, &d) == STRC_OK ? d.code : "";
}

static void test_files_of_items(void) {
    int calls = 0;
    strc_compiler* c = compiled(divide, "Divide");
    EXPECT(strc_compiler_has_output(c));
    strc_run_result result;
    strc_run_options options = {.size = sizeof options, .user = &calls, .begin = count_calls};
    options.in = "in.txt";
    options.out = "out.csv";
    write_file("in.txt", "1\n2\n4\n");
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_OK);
    EXPECT(calls == 1 && result.items_read == 3 && result.items_written == 3);
    expect_output("cat out.csv", "100\n50\n25\n");
    options.loop_input = 1;
    options.limit = 5;
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_OK);
    expect_output("cat out.csv", "100\n50\n25\n100\n50\n");
    options.limit = 0;
    options.even_zero = STRC_ZERO_LIMIT;
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_OK && result.items_written == 0);
    options.even_zero = STRC_ZERO_SECONDS;
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_OK);
    EXPECT(result.end == STRC_RUN_SECONDS);
    options.out = "in.txt";
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_FAILED);
    EXPECT(strcmp(last_code(c), "conflicting-options") == 0 && result.end == STRC_RUN_FAILED);
    options.out = "out.mp3";
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_FAILED);
    EXPECT(strcmp(last_code(c), "unknown-format") == 0);
    options.out_format = "mp3";
    EXPECT(!strc_is_format("mp3") && strc_is_format("text"));
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_WRONG_CALL);
    options.out_format = "raw";
    options.in = "no-such-file.txt";
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_FAILED);
    EXPECT(strcmp(last_code(c), "cannot-open-file") == 0);
    strc_compiler_free(c);
    c = compiled(counter, NULL);
    EXPECT(!strc_compiler_has_output(c));
    EXPECT(strc_compiler_run(c, &options, &result) == STRC_FAILED);
    EXPECT(strcmp(last_code(c), "main-stream-side") == 0);
    strc_compiler_free(c);
    unlink("in.txt");
    unlink("out.csv");
}

static void test_building(void) {
    char folder[] = "/tmp/strc-api-XXXXXX";
    EXPECT(mkdtemp(folder) != NULL && chdir(folder) == 0);
    test_executables();
    test_libraries();
    test_faults_of_building();
    test_files_of_items();
    for (size_t k = 0; k < 4; ++k)
        unlink((const char*[]){"counter", "fine", "libsum.so", "libsum.h"}[k]);
    EXPECT(rmdir(folder) == 0);  // there was nothing else
}

// ---- options

static void test_options(void) {
    static const struct {
        const char *name, *right, *wrong;
    } options[] = {
        {"top", "Main", ""},
        {"D", "n=1", "=1"},
        {"W", "error", ""},
        {"O", "3", "x"},
        {"check", "all", "some"},
        {"tapes", "linear", "round"},
        {"schedule", "latency", ""},
        {"stdlib", "folder", ""},
        {"native", "libm.so.6", ""},
        {"step-limit", "5", "-5"},
        {"disable-pass", "vectorise-firings", "parse"},
        {"emit-after", "parse", "check"},
        {"opt-bisect-limit", "-1", "-2"},
        {"march", "native", ""},
        {"target", "aarch64-linux-gnu", "vax"},
        {"linker", "cc", ""},
        {"header", "p.h", ""},
        {"keep-param", "n", ""},
        {"w", NULL, "yes"},
        {"lenient", NULL, "yes"},
        {"interpret", NULL, "yes"},
        {"no-interpret", NULL, "yes"},
        {"time-passes", NULL, "yes"},
        {"no-fold", NULL, "yes"},
        {"color", NULL, "yes"},
        {"g", NULL, "yes"},
        {"fast-math", NULL, "yes"},
        {"static", NULL, "yes"},
        {"shared", NULL, "yes"},
    };
    strc_compiler* c = strc_compiler_new();
    for (size_t k = 0; k < sizeof options / sizeof *options; ++k) {
        const int isRight = strc_compiler_set(c, options[k].name, options[k].right) == STRC_OK;
        const int isWrong =
            strc_compiler_set(c, options[k].name, options[k].wrong) == STRC_WRONG_CALL;
        if (!isRight || !isWrong) fprintf(stderr, "option %s\n", options[k].name);
        EXPECT(isRight && isWrong);
    }
    strc_compiler_free(c);
}

// ---- the wrong calls

static void test_wrong_calls(void) {
    strc_compiler* c = strc_compiler_new();
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_WRONG_CALL);
    EXPECT(strc_compiler_set(c, "O", "4") == STRC_WRONG_CALL);
    EXPECT(strc_compiler_set(c, "nonsense", "1") == STRC_WRONG_CALL);
    EXPECT(strc_compiler_set(c, "D", "n") == STRC_WRONG_CALL);
    EXPECT(strc_compiler_set(c, "O", "1") == STRC_OK);
    EXPECT(strc_compiler_text(c, STRC_AST, NULL) == NULL);
    EXPECT(strc_compiler_add_source(c, NULL, "", 0) == STRC_WRONG_CALL);
    EXPECT(strc_compiler_add_source(c, "empty.str", "", 0) == STRC_OK);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_FAILED);
    EXPECT(strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL) == STRC_WRONG_CALL);
    EXPECT(strc_compiler_set(c, "O", "1") == STRC_WRONG_CALL);
    strc_compiler_free(c);
    strc_compiler_free(NULL);
    EXPECT(strc_compiler_set(NULL, "O", "1") == STRC_WRONG_CALL);
    EXPECT(strc_version()[0] >= '0');
}

// ---- several at once

static void* compile_and_run(void* of) {
    int* right = of;
    for (int round = 0; round < 4; ++round) {
        strc_compiler* c = compiler_of("p.str", sum, "Sum");
        strc_compiler_set(c, "O", round % 2 == 0 ? "2" : "0");
        strc_compiler_compile(c, STRC_STAGE_PLANNED, NULL, NULL);
        const float in[5] = {0, 0, 1, 2, 3};
        float out[5];
        size_t produced = 0;
        strc_compiler_run_items(c, in, 5, out, 5, &produced);
        *right += produced == 3 && out[1] == 2;
        strc_compiler_free(c);
    }
    return NULL;
}

static void test_threads(void) {
    enum { kThreads = 4 };
    pthread_t threads[kThreads];
    int right[kThreads] = {0};
    for (int k = 0; k < kThreads; ++k)
        pthread_create(&threads[k], NULL, compile_and_run, &right[k]);
    for (int k = 0; k < kThreads; ++k) {
        pthread_join(threads[k], NULL);
        EXPECT(right[k] == 4);
    }
}

int main(void) {
    test_printing();
    test_items();
    test_functions();
    test_interrupt();
    test_diagnostics();
    test_warnings();
    test_sources();
    test_streams_of_text();
    test_colours();
    test_explaining();
    test_formatting();
    test_optimising();
    test_products();
    test_passes();
    test_linear_filters();
    test_lenient_rates();
    test_what_cannot_be_compiled();
    test_shapes_of_the_run();
    test_building();
    test_options();
    test_wrong_calls();
    test_threads();
    return faults != 0;
}
