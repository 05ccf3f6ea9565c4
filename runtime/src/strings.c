// Strings live in pieces of memory that are free again at once when the firing is over.
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "strc/values.h"

enum { kPiece = 1 << 14 };

typedef struct strc_chunk {
    struct strc_chunk *older;
    uint64_t size, used;
    uint64_t total;  ///< sizes of this one and all older ones
    char bytes[];
} strc_chunk;

/// Null: there is no room.
static strc_chunk *new_chunk(strc_env *env, uint64_t need) {
    strc_chunk *older = env->strings;
    uint64_t total = older ? older->total : 0;
    uint64_t size = need > kPiece ? need : kPiece;
    if (total + need > STRC_STRING_BYTES) return NULL;
    strc_chunk *chunk = malloc(sizeof *chunk + size);
    if (!chunk) return NULL;
    *chunk = (strc_chunk){older, size, 0, total + size};
    env->strings = chunk;
    return chunk;
}

/// A string whose text is still to be written, to `*text`; null: there is no room.
static const strc_string *new_string(strc_env *env, uint64_t size, char **text) {
    if (size > STRC_STRING_BYTES) return NULL;
    uint64_t need = (sizeof(strc_string) + size + 7) / 8 * 8;
    strc_chunk *chunk = env->strings;
    if (!chunk || chunk->size - chunk->used < need) chunk = new_chunk(env, need);
    if (!chunk) return NULL;
    strc_string *string = (strc_string *)(chunk->bytes + chunk->used);
    chunk->used += need;
    *text = (char *)(string + 1);
    *string = (strc_string){size, *text};
    return string;
}

void strc_strings_release(strc_env *env) {
    strc_chunk *chunk = env->strings;
    if (!chunk) return;
    if (env->strings_kept != 0) {
        strc_strings_release_to(env, (int64_t)env->strings_kept);
        return;
    }
    while (chunk->older) {  // the first one stays: the next firing will want it
        strc_chunk *older = chunk->older;
        free(chunk);
        chunk = older;
    }
    chunk->used = 0;
    env->strings = chunk;
    if (chunk->size > kPiece) strc_strings_free(env);
}

static uint64_t begin_of(const strc_chunk *chunk) { return chunk->total - chunk->size; }

int64_t strc_strings_mark(strc_env *env) {
    const strc_chunk *chunk = env->strings;
    return chunk ? (int64_t)(begin_of(chunk) + chunk->used) : 0;
}

void strc_strings_release_to(strc_env *env, int64_t mark) {
    uint64_t end = (uint64_t)mark;
    strc_chunk *chunk = env->strings;
    if (!chunk) return;
    while (chunk->older && begin_of(chunk) >= end) {
        strc_chunk *older = chunk->older;
        free(chunk);
        chunk = older;
    }
    if (begin_of(chunk) + chunk->used > end) chunk->used = end - begin_of(chunk);
    env->strings = chunk;
}

void strc_strings_free(strc_env *env) {
    while (env->strings) {
        strc_chunk *older = env->strings->older;
        free(env->strings);
        env->strings = older;
    }
}

static uint64_t size_of(const strc_string *string) { return string ? string->size : 0; }

const strc_string *strc_string_concat(strc_env *env, const strc_string *first,
                                      const strc_string *second) {
    char *text;
    uint64_t size = size_of(first);
    const strc_string *both = new_string(env, size + size_of(second), &text);
    if (!both) return NULL;
    if (size_of(first)) memcpy(text, first->text, first->size);
    if (size_of(second)) memcpy(text + size, second->text, second->size);
    return both;
}

static const strc_string *string_of(strc_env *env, const char *from, uint64_t size) {
    char *text;
    const strc_string *string = new_string(env, size, &text);
    if (string) memcpy(text, from, size);
    return string;
}

const strc_string *strc_string_of_boolean(strc_env *env, int32_t value) {
    (void)env;
    static const strc_string yes = {4, "true"}, no = {5, "false"};
    return value ? &yes : &no;
}

const strc_string *strc_string_of_int(strc_env *env, int32_t value) {
    char text[STRC_TEXT_ROOM];
    return string_of(env, text, strc_text_of_int(text, value));
}

const strc_string *strc_string_of_char(strc_env *env, int32_t value) {
    char text = (char)value;
    return string_of(env, &text, 1);
}

const strc_string *strc_string_of_float(strc_env *env, float value) {
    char text[STRC_TEXT_ROOM];
    return string_of(env, text, strc_text_of_float(text, value, env->c_format));
}

const strc_string *strc_string_of_double(strc_env *env, double value) {
    char text[STRC_TEXT_ROOM];
    return string_of(env, text, strc_text_of_double(text, value, env->c_format));
}

const strc_string *strc_string_of_complex(strc_env *env, float re, float im) {
    char text[STRC_TEXT_ROOM];
    return string_of(env, text, strc_text_of_complex(text, re, im, env->c_format));
}

const char *strc_string_to_c(strc_env *env, const strc_string *value) {
    if (size_of(value) == 0) return "";
    char *text;
    if (!new_string(env, value->size + 1, &text)) return NULL;
    memcpy(text, value->text, value->size);
    text[value->size] = '\0';
    return text;
}

int32_t strc_string_equal(const strc_string *first, const strc_string *second) {
    uint64_t size = size_of(first);
    if (size != size_of(second)) return 0;
    return size == 0 || memcmp(first->text, second->text, size) == 0;
}
