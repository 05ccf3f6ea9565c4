/// What the tests of streams that go on with another program share. What is not so is told with its line, and counted.
#ifndef STRC_TESTS_REPLACING_H
#define STRC_TESTS_REPLACING_H

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

/// Of a program whose main stream is Main; `bound`: of its queues and messages, or null.
static strc_compiler* bounded_compiler_of(const char* source, const char* bound) {
    strc_compiler* made = strc_compiler_new();
    EXPECT(strc_compiler_add_source(made, "p.str", source, strlen(source)) == STRC_OK);
    EXPECT(strc_compiler_set(made, "top", "Main") == STRC_OK);
    EXPECT(strc_compiler_set(made, "at-once", "16") == STRC_OK);
    EXPECT(strc_compiler_set(made, "replaceable", NULL) == STRC_OK);
    if (bound) EXPECT(strc_compiler_set(made, "bound", bound) == STRC_OK);
    return made;
}

static void show(strc_compiler* compiler) {
    strc_diagnostic found;
    for (size_t k = 0; strc_compiler_diagnostic(compiler, k, &found) == STRC_OK; ++k)
        fputs(found.text, stderr);
}

static strc_stream* stream_of(strc_compiler* compiler) {
    strc_stream* made = NULL;
    EXPECT(strc_compiler_compile(compiler, STRC_STAGE_PLANNED, NULL, NULL) == STRC_OK);
    EXPECT(strc_stream_new(compiler, &made) == STRC_OK && made);
    if (made) return made;
    show(compiler);
    exit(1);  // nothing else can be tested
}

static strc_replacing state_of(strc_stream* stream, int waits) {
    strc_replacement about = {.size = sizeof about};
    EXPECT(strc_stream_replacement(stream, waits, &about) == STRC_OK);
    return about.state;
}

static int tells(strc_stream* stream, const char* line) {
    strc_replacement about = {.size = sizeof about};
    EXPECT(strc_stream_replacement(stream, 0, &about) == STRC_OK);
    return strstr(about.told, line) != NULL;
}

/// The next call begins with it; with dynamic rates the end of the iteration that is under way may come first.
static void replace(strc_stream* stream, strc_compiler* next, uint64_t fade) {
    EXPECT(strc_stream_replace(stream, next, fade) == STRC_OK);
    if (state_of(stream, 1) == STRC_REPLACING_READY) return;
    EXPECT(!"ready");
    show(next);
    exit(1);
}

#define SCALE "int->int filter Scale(int by) { work pop 1 push 1 { push(by * pop()); } }\n"

#endif
