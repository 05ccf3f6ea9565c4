// {"name":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},…,"__metadata__":{"key":"value",…}}
#include <stdio.h>
#include <string.h>

#include "safetensors.h"

typedef struct parser {
    const char *begin, *at, *end;
    strc_safe_index *index;
    size_t capacity;
    char *name;  ///< where the next text goes
    char *why;
} parser;

static int fail(parser *p, const char *what) {
    snprintf(p->why, STRC_SAFE_WHY, "its header is not what it should be at byte %zu: %s",
             (size_t)(p->at - p->begin) + 8, what);
    return -1;
}

static int next_is(parser *p, char c) {
    while (p->at < p->end && *p->at && strchr(" \t\n\r", *p->at)) ++p->at;
    return p->at < p->end && *p->at == c;
}

static int eat(parser *p, char c) {
    if (!next_is(p, c)) return 0;
    ++p->at;
    return 1;
}

static int expect(parser *p, char c) {
    char what[] = "'?' is missing";
    what[1] = c;
    return eat(p, c) ? 0 : fail(p, what);
}

// ---- texts

static int put(char **to, uint32_t code) {
    char *out = *to;
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    } else {
        *out++ = (char)(0xf0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3f));
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    }
    *to = out;
    return 0;
}

static int hexadecimal(parser *p, uint32_t *to) {
    *to = 0;
    for (int k = 0; k < 4; ++k, ++p->at) {
        const char *digits = "0123456789abcdef";
        char c = p->at < p->end ? *p->at : '\0';
        if (c >= 'A' && c <= 'F') c = (char)(c - 'A' + 'a');
        const char *digit = c ? strchr(digits, c) : NULL;
        if (!digit) return fail(p, "four hexadecimal digits are missing");
        *to = *to << 4 | (uint32_t)(digit - digits);
    }
    return 0;
}

/// Behind "\u". What takes two of them follows at once.
static int escaped_code(parser *p, char **to) {
    uint32_t code, low;
    if (hexadecimal(p, &code) != 0) return -1;
    if (code < 0xd800 || code > 0xdfff) return put(to, code);
    const int has_low = code < 0xdc00 && p->end - p->at >= 2 && memcmp(p->at, "\\u", 2) == 0;
    if (!has_low) return fail(p, "half of a character");
    p->at += 2;
    if (hexadecimal(p, &low) != 0) return -1;
    if (low < 0xdc00 || low > 0xdfff) return fail(p, "half of a character");
    return put(to, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
}

/// Behind a backslash.
static int escaped(parser *p, char **to) {
    static const char written[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char c = p->at < p->end ? *p->at : '\0';
    const char *place = c ? strchr(written, c) : NULL;
    if (!place && c != 'u') return fail(p, "an escape that is none");
    ++p->at;
    return c == 'u' ? escaped_code(p, to) : put(to, (uint32_t)meant[place - written]);
}

/// One character of UTF-8, of more than a byte.
static int wide(parser *p, char **to) {
    const unsigned char *at = (const unsigned char *)p->at;
    const int more = at[0] >= 0xf0 ? 3 : at[0] >= 0xe0 ? 2 : 1;
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (at[0] < 0xc2 || at[0] > 0xf4 || p->end - p->at <= more) return fail(p, "no UTF-8");
    uint32_t code = at[0] & (0x3fu >> more);
    for (int k = 1; k <= more; ++k) {
        if ((at[k] & 0xc0) != 0x80) return fail(p, "no UTF-8");
        code = code << 6 | (at[k] & 0x3fu);
    }
    if (code < least[more] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return fail(p, "no UTF-8");
    p->at += more + 1;
    return put(to, code);
}

/// A text, which is never longer than it is written, to the names; it stays there if the caller says so.
static int text(parser *p, size_t *size) {
    if (expect(p, '"') != 0) return -1;
    char *to = p->name;
    while (p->at < p->end && *p->at != '"') {
        const unsigned char c = (unsigned char)*p->at;
        int fault = 0;
        if (c < 0x20) return fail(p, "a control character in a text");
        if (c == '\\') {
            ++p->at;
            fault = escaped(p, &to);
        } else if (c >= 0x80) {
            fault = wide(p, &to);
        } else {
            *to++ = *p->at++;
        }
        if (fault) return fault;
    }
    *size = (size_t)(to - p->name);
    return expect(p, '"');
}

static int is_text(const parser *p, size_t size, const char *word) {
    return size == strlen(word) && memcmp(p->name, word, size) == 0;
}

// ---- numbers

static int number(parser *p, uint64_t *to) {
    next_is(p, '0');  // skips blanks
    const char *start = p->at;
    *to = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; ++p->at)
        if (__builtin_mul_overflow(*to, 10, to) ||
            __builtin_add_overflow(*to, (uint64_t)(*p->at - '0'), to))
            return fail(p, "a number of more than 64 bits");
    if (p->at == start) return fail(p, "a number is missing");
    if (*start == '0' && p->at != start + 1) return fail(p, "a number that begins with 0");
    return 0;
}

/// Numbers in brackets; `most` and `least` of them.
static int numbers(parser *p, uint64_t *to, uint32_t least, uint32_t most, uint32_t *count) {
    if (expect(p, '[') != 0) return -1;
    *count = 0;
    if (!next_is(p, ']')) do {
            if (*count == most) return fail(p, "too many numbers");
            if (number(p, to + (*count)++) != 0) return -1;
        } while (eat(p, ','));
    if (*count < least) return fail(p, "a number is missing");
    return expect(p, ']');
}

// ---- tensors

enum { kHasType = 1, kHasShape = 2, kHasOffsets = 4, kHasAll = 7 };

static int element_type(parser *p, uint32_t *type) {
    size_t size;
    if (text(p, &size) != 0) return -1;
    for (*type = 0; *type < STRC_SAFE_TYPES; ++*type)
        if (is_text(p, size, strc_safe_name(*type))) return 0;
    return fail(p, "an element type that is not known");
}

static int offsets(parser *p, strc_safe_tensor *tensor) {
    uint64_t ends[2];
    uint32_t count;
    if (numbers(p, ends, 2, 2, &count) != 0) return -1;
    if (ends[1] < ends[0]) return fail(p, "a tensor that ends before it begins");
    tensor->begin = ends[0];
    tensor->size = ends[1] - ends[0];
    return 0;
}

/// One of the three things that are said of a tensor, once each.
static int member(parser *p, strc_safe_tensor *tensor, int *have) {
    size_t size;
    if (text(p, &size) != 0) return -1;
    const int what = is_text(p, size, "dtype")          ? kHasType
                     : is_text(p, size, "shape")        ? kHasShape
                     : is_text(p, size, "data_offsets") ? kHasOffsets
                                                        : 0;
    if (!what) return fail(p, "something else than dtype, shape, data_offsets");
    if (*have & what) return fail(p, "the same thing twice");
    *have |= what;
    if (expect(p, ':') != 0) return -1;
    switch (what) {
        case kHasType: return element_type(p, &tensor->type);
        case kHasShape: return numbers(p, tensor->dims, 0, STRC_SAFE_DIMENSIONS, &tensor->rank);
        default: return offsets(p, tensor);
    }
}

static int has_its_size(const strc_safe_tensor *tensor) {
    uint64_t bytes = strc_safe_bytes(tensor->type);
    for (uint32_t k = 0; k < tensor->rank; ++k)
        if (tensor->dims[k] == 0) return tensor->size == 0;
    for (uint32_t k = 0; k < tensor->rank; ++k)
        if (__builtin_mul_overflow(bytes, tensor->dims[k], &bytes)) return 0;
    return bytes == tensor->size;
}

static int tensor(parser *p, size_t name_size) {
    if (p->index->count == p->capacity) return fail(p, "more tensors than there is room for");
    strc_safe_tensor made = {.name = p->name, .name_size = name_size};
    p->name += name_size;
    int have = 0;
    if (expect(p, '{') != 0) return -1;
    if (!next_is(p, '}')) do {
            if (member(p, &made, &have) != 0) return -1;
        } while (eat(p, ','));
    if (have != kHasAll) return fail(p, "one of dtype, shape, data_offsets is missing");
    if (!has_its_size(&made))
        return fail(p, "a tensor whose bytes are not those of its type and shape");
    p->index->tensors[p->index->count++] = made;
    return expect(p, '}');
}

/// Skips the metadata, a table of texts that is not used.
static int metadata(parser *p) {
    size_t ignored;
    if (expect(p, '{') != 0) return -1;
    if (!next_is(p, '}')) do {
            if (text(p, &ignored) != 0 || expect(p, ':') != 0 || text(p, &ignored) != 0) return -1;
        } while (eat(p, ','));
    return expect(p, '}');
}

static int entry(parser *p, int *has_metadata) {
    size_t size;
    if (text(p, &size) != 0 || expect(p, ':') != 0) return -1;
    if (!is_text(p, size, "__metadata__")) return tensor(p, size);
    if (*has_metadata) return fail(p, "the same thing twice");
    *has_metadata = 1;
    return metadata(p);
}

int strc_safe_header(const char *text, size_t size, size_t capacity, strc_safe_index *index,
                     char *why) {
    parser p = {text, text, text + size, index, capacity, index->names, why};
    int has_metadata = 0;
    if (size == 0 || *text != '{') return fail(&p, "'{' is missing");
    ++p.at;
    if (!next_is(&p, '}')) do {
            if (entry(&p, &has_metadata) != 0) return -1;
        } while (eat(&p, ','));
    if (expect(&p, '}') != 0) return -1;
    if (next_is(&p, '\0') || p.at != p.end) return fail(&p, "something behind the end");
    return 0;
}
