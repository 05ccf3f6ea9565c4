#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sigmf.h"

static const char data_end[] = ".sigmf-data", meta_end[] = ".sigmf-meta";

static int ends_with(const char *text, const char *end) {
    const size_t size = strlen(text), length = strlen(end);
    return size >= length && strcmp(text + size - length, end) == 0;
}

int strc_sigmf_is_meta(const char *name) { return ends_with(name, meta_end); }

int strc_sigmf_path(const char *data, char path[STRC_SIGMF_PATH]) {
    size_t size = strlen(data);
    const size_t end = sizeof data_end - 1;
    if (ends_with(data, data_end)) size -= end;
    if (size + sizeof meta_end > STRC_SIGMF_PATH) return -1;
    memcpy(path, data, size);
    memcpy(path + size, meta_end, sizeof meta_end);
    return 0;
}

// ---- as much of JSON as finds two values of the object "global"

static const char *skip_blanks(const char *at) { return at + strspn(at, " \t\r\n"); }

/// Behind the text that begins there; null: it has no end.
static const char *skip_text(const char *at) {
    for (++at; *at && *at != '"'; ++at)
        if (*at == '\\' && at[1]) ++at;
    return *at ? at + 1 : NULL;
}

/// Behind a value.
static const char *skip_value(const char *at) {
    int depth = 0;
    do {
        at = skip_blanks(at);
        if (*at == '"') {
            at = skip_text(at);
            if (!at) return NULL;
        } else if (*at == '{' || *at == '[') {
            ++depth;
            ++at;
        } else if (*at == '}' || *at == ']') {
            --depth;
            ++at;
        } else if (depth > 0 && (*at == ',' || *at == ':')) {
            ++at;
        } else {
            const size_t size = strcspn(at, ",:{}[]\" \t\r\n");
            if (size == 0) return NULL;
            at += size;
        }
    } while (depth > 0);
    return at;
}

/// The value of a key of the object at `at`; null: it has none, or is no object.
static const char *value_of(const char *at, const char *key) {
    const size_t size = strlen(key);
    at = skip_blanks(at);
    if (*at != '{') return NULL;
    at = skip_blanks(at + 1);
    while (*at == '"') {
        const char *name = at + 1;
        at = skip_text(at);
        if (!at) return NULL;
        const int is_it = (size_t)(at - 1 - name) == size && memcmp(name, key, size) == 0;
        at = skip_blanks(at);
        if (*at != ':') return NULL;
        at = skip_blanks(at + 1);
        if (is_it) return at;
        at = skip_value(at);
        if (!at) return NULL;
        at = skip_blanks(at);
        if (*at != ',') return NULL;
        at = skip_blanks(at + 1);
    }
    return NULL;
}

/// "cf32_le", "ru8", ...: real or complex, the kind of number, its bits, the order of its bytes.
static int read_type(const char *text, size_t size, strc_sigmf *to) {
    static const struct {
        const char *name;
        strc_sample sample;
    } kinds[] = {{"u8", {STRC_SAMPLE_UNSIGNED, 1}},     {"i8", {STRC_SAMPLE_SIGNED, 1}},
                 {"i16_le", {STRC_SAMPLE_SIGNED, 2}},   {"i32_le", {STRC_SAMPLE_SIGNED, 4}},
                 {"f32_le", {STRC_SAMPLE_FLOATING, 4}}, {"f64_le", {STRC_SAMPLE_FLOATING, 8}}};
    if (size < 2 || (text[0] != 'c' && text[0] != 'r')) return -1;
    to->is_complex = text[0] == 'c';
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        if (strlen(kinds[k].name) != size - 1 || memcmp(kinds[k].name, text + 1, size - 1) != 0)
            continue;
        to->sample = kinds[k].sample;
        return 0;
    }
    return -1;
}

int strc_sigmf_read(const char *text, strc_sigmf *to, char why[STRC_SIGMF_WHY]) {
    *to = (strc_sigmf){0};
    const char *global = value_of(text, "global");
    const char *type = global ? value_of(global, "core:datatype") : NULL;
    if (!type || *type != '"') {
        snprintf(why, STRC_SIGMF_WHY, "its description has no 'core:datatype' in 'global'");
        return -1;
    }
    const size_t size = strcspn(type + 1, "\"");
    if (read_type(type + 1, size, to) != 0) {
        snprintf(why, STRC_SIGMF_WHY,
                 "'%.*s' is none of the types that can be read: u8, i8, i16_le, i32_le, f32_le and "
                 "f64_le behind c or r",
                 size < 40 ? (int)size : 40, type + 1);
        return -1;
    }
    const char *rate = value_of(global, "core:sample_rate");
    to->rate = rate ? strtod(rate, NULL) : 0;
    if (!isfinite(to->rate) || to->rate < 0) to->rate = 0;
    return 0;
}
