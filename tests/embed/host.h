/// What the hosts of the tests share. STREAM is the prefix of the library's functions, and its header is
/// included on the command line.
#ifndef STRC_TESTS_EMBED_HOST_H
#define STRC_TESTS_EMBED_HOST_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASTE2(a, b) a##_##b
#define PASTE(a, b) PASTE2(a, b)
#define OF(name) PASTE(STREAM, name)

#ifdef NO_INPUT
enum { kInSize = 1 };
#else
enum { kInSize = sizeof(OF(in)) };
#endif
#ifdef NO_OUTPUT
enum { kOutSize = 1 };
#else
enum { kOutSize = sizeof(OF(out)) };
#endif

typedef struct block {
    unsigned char* bytes;
    size_t items;
} block;

static inline void die(const char* what) {
    fprintf(stderr, "%s\n", what);
    exit(3);
}

static inline block read_all(const char* name) {
    block made = {malloc(1 << 24), 0};
    FILE* file = fopen(name, "rb");
    if (!file || !made.bytes) die("no input");
    made.items = fread(made.bytes, 1, 1 << 24, file) / kInSize;
    fclose(file);
    return made;
}

static inline uint32_t draw(uint32_t* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

#endif
