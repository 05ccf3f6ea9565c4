// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "strc/files/npy.h"

enum { kLongestWord = 60, kAlignment = 64, kPrefix = 10 };

static const char magic[] = "\x93NUMPY";

typedef struct parser {
    const char *at, *end;
    strc_npy_header *header;
    char *why;
    int have_shape, have_order, fortran;
    int long_sides;
} parser;

static int fail(parser *p, const char *why) {
    snprintf(p->why, STRC_NPY_WHY, "%s", why);
    return -1;
}

static void blanks(parser *p) {
    while (p->at < p->end && strchr(" \t\n\r", *p->at) && *p->at) ++p->at;
}

static int next_is(parser *p, char c) {
    blanks(p);
    return p->at < p->end && *p->at == c;
}

static int eat(parser *p, char c) {
    if (!next_is(p, c)) return 0;
    ++p->at;
    return 1;
}

/// What stands in quotes; empty: nothing does.
static void quoted(parser *p, char word[kLongestWord]) {
    word[0] = '\0';
    blanks(p);
    if (p->at == p->end || (*p->at != '\'' && *p->at != '"')) return;
    const char *close = memchr(p->at + 1, *p->at, (size_t)(p->end - p->at - 1));
    if (!close) return;
    size_t size = (size_t)(close - p->at - 1);
    if (size >= kLongestWord) size = kLongestWord - 1;
    for (size_t k = 0; k < size; ++k) word[k] = p->at[k + 1] ? p->at[k + 1] : '\x01';
    word[size] = '\0';
    p->at = close + 1;
}

static int take_number(parser *p, uint64_t *to) {
    const char *start = p->at;
    *to = 0;
    for (; p->at < p->end && isdigit((unsigned char)*p->at); ++p->at)
        if (__builtin_mul_overflow(*to, 10, to) ||
            __builtin_add_overflow(*to, (uint64_t)(*p->at - '0'), to))
            return 0;
    return p->at != start;
}

static int descr(parser *p) {
    static const char *const known[] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2",
                                        "u4", "u8", "f2", "f4", "f8", "c8", "c16"};
    if (next_is(p, '[')) return fail(p, "its elements are records");
    char code[kLongestWord];
    quoted(p, code);
    if (!*code) return fail(p, "its header has no element type");
    const char *rest = code;
    p->header->big_endian = *rest == '>';
    if (strchr("<>=|", *rest)) ++rest;
    if (strcmp(rest, "?") == 0) rest = "b1";
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        if (strcmp(rest, known[k]) != 0) continue;
        p->header->kind = rest[0];
        p->header->size = strcmp(rest, "c16") == 0 ? 16 : (size_t)(rest[1] - '0');
        return 0;
    }
    snprintf(p->why, STRC_NPY_WHY, "its elements are of type '%s'", code);
    return -1;
}

static int order(parser *p) {
    blanks(p);
    size_t left = (size_t)(p->end - p->at);
    p->fortran = left >= 4 && memcmp(p->at, "True", 4) == 0;
    if (!p->fortran && (left < 5 || memcmp(p->at, "False", 5) != 0))
        return fail(p, "its header does not tell the order");
    p->at += p->fortran ? 4 : 5;
    p->have_order = 1;
    return 0;
}

/// As in Python, the last one counts.
static int shape(parser *p) {
    if (!eat(p, '(')) return fail(p, "its header has no shape");
    p->header->count = 1;
    p->header->rank = 0;
    p->long_sides = 0;
    for (int dimensions = 0; !eat(p, ')'); ++dimensions) {
        uint64_t extent;
        if (!take_number(p, &extent) || dimensions == STRC_NPY_DIMENSIONS)
            return fail(p, "its header has no valid shape");
        if (p->at < p->end && *p->at == 'L') ++p->at;  // Python 2
        if ((!eat(p, ',') && !next_is(p, ')')) || extent > INT64_MAX ||
            __builtin_mul_overflow(p->header->count, extent, &p->header->count))
            return fail(p, "its header has no valid shape");
        p->header->extents[p->header->rank++] = (int64_t)extent;
        p->long_sides += extent > 1;
    }
    p->have_shape = 1;
    return 0;
}

static int entry(parser *p) {
    char key[kLongestWord];
    quoted(p, key);
    if (!*key || !eat(p, ':')) return fail(p, "its header is not a dictionary");
    if (strcmp(key, "descr") == 0) return descr(p);
    if (strcmp(key, "fortran_order") == 0) return order(p);
    if (strcmp(key, "shape") == 0) return shape(p);
    snprintf(p->why, STRC_NPY_WHY, "its header has the unknown entry '%s'", key);
    return -1;
}

int strc_npy_parse(const char *text, size_t size, strc_npy_header *header, char why[STRC_NPY_WHY]) {
    *header = (strc_npy_header){0};
    parser p = {text, text + size, header, why, 0, 0, 0, 0};
    if (!eat(&p, '{')) return fail(&p, "its header is not a dictionary");
    while (!eat(&p, '}')) {
        if (entry(&p) != 0) return -1;
        if (!eat(&p, ',') && !next_is(&p, '}')) return fail(&p, "its header is not a dictionary");
    }
    if (header->kind == 0 || !p.have_shape || !p.have_order)
        return fail(&p, "its header is not complete");
    if (p.fortran && p.long_sides > 1)
        return fail(&p, "it is in Fortran order; save numpy.ascontiguousarray(a) instead");
    return 0;
}

static int wrong(const strc_source *source, const char *why) {
    return strc_source_malformed(source, "npy", why);
}

int strc_npy_read_header(strc_source *source, strc_npy_header *header) {
    int64_t there = strc_source_ask(source, 12);
    if (there < 0) return -1;
    const unsigned char *start = strc_source_bytes(source);
    if (there < kPrefix || memcmp(start, magic, sizeof magic - 1) != 0)
        return wrong(source, "it does not begin as one");
    unsigned version = start[6];
    size_t prefix = version == 1 ? kPrefix : kPrefix + 2;
    char why[STRC_NPY_WHY];
    snprintf(why, sizeof why, "version %u is not known", version);
    if (version < 1 || version > 3 || there < (int64_t)prefix) return wrong(source, why);
    size_t length = start[8] | (size_t)start[9] << 8;
    if (version > 1) length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
    if (length > STRC_NPY_LONGEST) return wrong(source, "its header is too long");
    there = strc_source_ask(source, prefix + length);
    if (there < 0) return -1;
    if (there < (int64_t)(prefix + length)) return wrong(source, "it ends in its header");
    const char *text = (const char *)strc_source_bytes(source) + prefix;
    if (strc_npy_parse(text, length, header, why) != 0) return wrong(source, why);
    header->start = prefix + length;
    strc_source_take(source, prefix + length);
    return 0;
}

size_t strc_npy_put_header(char *to, const char *descr, const char *shape, size_t longest) {
    char *dict = to + kPrefix;
    size_t size = (size_t)sprintf(dict, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                                  descr, shape);
    size_t most = kPrefix + size - strlen(shape) + longest;
    size_t whole = (most + kAlignment) / kAlignment * kAlignment;
    size_t length = whole - kPrefix;
    memset(dict + size, ' ', length - size - 1);
    dict[length - 1] = '\n';
    memcpy(to, magic, sizeof magic - 1);
    const char rest[] = {1, 0, (char)(length & 0xff), (char)(length >> 8)};
    memcpy(to + sizeof magic - 1, rest, sizeof rest);
    return whole;
}
