#include "safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    uint64_t bytes;
} types[] = {
#define STRC_SAFE_TYPE(name, bytes) {#name, bytes},
#include "strc/safetensors.def"
#undef STRC_SAFE_TYPE
};

const char *strc_safe_name(uint32_t type) { return types[type].name; }

uint64_t strc_safe_bytes(uint32_t type) { return types[type].bytes; }

uint64_t strc_safe_header_size(const void *file) {
    const unsigned char *bytes = file;
    uint64_t length = 0;
    for (int k = STRC_SAFE_LENGTH; k-- > 0;) length = length << 8 | bytes[k];
    return length;
}

/// The length of the header, or -1 and the reason.
static int64_t header_size(const void *file, uint64_t size, char *why) {
    if (size < STRC_SAFE_LENGTH) {
        snprintf(why, STRC_SAFE_WHY, "it has %llu bytes, and its header alone begins after %d",
                 (unsigned long long)size, STRC_SAFE_LENGTH);
        return -1;
    }
    const uint64_t length = strc_safe_header_size(file);
    if (length > STRC_SAFE_HEADER)
        snprintf(why, STRC_SAFE_WHY,
                 "it is no safetensors file: its header would have %llu bytes, more than %d",
                 (unsigned long long)length, STRC_SAFE_HEADER);
    else if (length > size - STRC_SAFE_LENGTH)
        snprintf(why, STRC_SAFE_WHY, "it is truncated: its header has %llu bytes, %llu are there",
                 (unsigned long long)length, (unsigned long long)(size - STRC_SAFE_LENGTH));
    else
        return (int64_t)length;
    return -1;
}

/// The shortest entry of a tensor in a header: "":{"dtype":"I8","shape":[],"data_offsets":[0,0]}
enum { kLeastEntry = 50 };

static int compare_bytes(const char *a, size_t a_size, const char *b, size_t b_size) {
    const int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order ? order : (a_size > b_size) - (a_size < b_size);
}

static int by_name(const void *a, const void *b) {
    const strc_safe_tensor *left = a, *right = b;
    return compare_bytes(left->name, left->name_size, right->name, right->name_size);
}

static int by_place(const void *a, const void *b) {
    const strc_safe_tensor *left = a, *right = b;
    if (left->begin != right->begin) return left->begin < right->begin ? -1 : 1;
    return (left->size > right->size) - (left->size < right->size);
}

static int fail_at(const strc_safe_tensor *tensor, const char *what, char *why) {
    int shown = tensor->name_size > 200 ? 200 : (int)tensor->name_size;
    if (shown == 200)  // whole characters
        while (shown > 0 && ((unsigned char)tensor->name[shown] & 0xc0) == 0x80) --shown;
    snprintf(why, STRC_SAFE_WHY, "'%.*s' %s", shown, tensor->name, what);
    return -1;
}

/// One behind the other, from the first byte to the last.
static int check_places(const strc_safe_index *index, uint64_t data, char *why) {
    uint64_t end = 0;
    for (size_t k = 0; k < index->count; ++k) {
        const strc_safe_tensor *each = &index->tensors[k];
        if (each->begin < end)
            return fail_at(each, "begins before the tensor in front of it ends", why);
        if (each->begin > end)
            return fail_at(each, "has bytes in front of it that belong to nothing", why);
        if (each->size > data - end)
            return fail_at(each, "ends behind the end of the file: it is truncated", why);
        end += each->size;
    }
    if (end == data) return 0;
    snprintf(why, STRC_SAFE_WHY, "its last %llu bytes belong to nothing",
             (unsigned long long)(data - end));
    return -1;
}

static int check_names(const strc_safe_index *index, char *why) {
    for (size_t k = 1; k < index->count; ++k)
        if (by_name(&index->tensors[k - 1], &index->tensors[k]) == 0)
            return fail_at(&index->tensors[k], "is there twice", why);
    return 0;
}

static int read_index(const char *header, size_t length, uint64_t data, strc_safe_index *index,
                      char *why) {
    const size_t capacity = length / kLeastEntry + 1;
    index->tensors = malloc(capacity * sizeof *index->tensors);
    index->names = malloc(length + 1);
    if (!index->tensors || !index->names) {
        snprintf(why, STRC_SAFE_WHY, "there is not enough memory for its header");
        return -1;
    }
    if (strc_safe_header(header, length, capacity, index, why) != 0) return -1;
    qsort(index->tensors, index->count, sizeof *index->tensors, by_place);
    if (check_places(index, data, why) != 0) return -1;
    for (size_t k = 0; k < index->count; ++k) index->tensors[k].begin += STRC_SAFE_LENGTH + length;
    qsort(index->tensors, index->count, sizeof *index->tensors, by_name);
    return check_names(index, why);
}

int strc_safe_read(const void *file, uint64_t size, strc_safe_index *index,
                   char why[STRC_SAFE_WHY]) {
    *index = (strc_safe_index){0};
    const int64_t length = header_size(file, size, why);
    if (length < 0) return -1;
    const uint64_t data = size - STRC_SAFE_LENGTH - (uint64_t)length;
    if (read_index((const char *)file + STRC_SAFE_LENGTH, (size_t)length, data, index, why) == 0)
        return 0;
    strc_safe_free(index);
    return -1;
}

void strc_safe_free(strc_safe_index *index) {
    free(index->tensors);
    free(index->names);
    *index = (strc_safe_index){0};
}

int strc_safe_check(const strc_safe_tensor *tensor, const void *values, char why[STRC_SAFE_WHY]) {
    const unsigned char *at = values;
    for (uint64_t k = 0; tensor->type == STRC_SAFE_BOOL && k < tensor->size; ++k)
        if (at[k] > 1) return fail_at(tensor, "has booleans that are neither 0 nor 1", why);
    return 0;
}

const void *strc_safe_values(const void *file, const strc_safe_tensor *tensor, void **copy,
                             char why[STRC_SAFE_WHY]) {
    const unsigned char *at = (const unsigned char *)file + tensor->begin;
    *copy = NULL;
    if (strc_safe_check(tensor, at, why) != 0) return NULL;
    if ((uintptr_t)at % strc_safe_bytes(tensor->type) == 0) return at;
    *copy = malloc(tensor->size + 1);
    if (!*copy) {
        snprintf(why, STRC_SAFE_WHY, "there is not enough memory for what it holds");
        return NULL;
    }
    return memcpy(*copy, at, tensor->size);
}

uint64_t strc_safe_hash(const void *bytes, uint64_t size) {
    const unsigned char *at = bytes;
    uint64_t hash = size;
    for (uint64_t k = 0; k < size; k += 8) {
        uint64_t word = 0;
        memcpy(&word, at + k, size - k < 8 ? size - k : 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

const strc_safe_tensor *strc_safe_find(const strc_safe_index *index, const char *name,
                                       size_t size) {
    size_t low = 0, high = index->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const strc_safe_tensor *each = &index->tensors[middle];
        const int order = compare_bytes(name, size, each->name, each->name_size);
        if (order == 0) return each;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
