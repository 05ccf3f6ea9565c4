// Shapes of tensors, in memory and in files.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strc/files/tensors.h"

const int64_t *strc_next_shape(const int64_t *shape) { return shape + 3 + shape[1]; }

size_t strc_shape_offset(const int64_t *shape) { return (size_t)shape[2 + shape[1]]; }

size_t strc_shape_count(const int64_t *shape) {
    size_t count = 1;
    for (int64_t k = 0; k < shape[1]; ++k) count *= (size_t)shape[2 + k];
    return count;
}

size_t strc_shape_bytes(const int64_t *shape) {
    return strc_shape_count(shape) * strc_elements[shape[0]].size;
}

static int is_same(const int64_t *one, const int64_t *other) {
    return one[1] == other[1] && memcmp(one, other, sizeof *one * (size_t)(2 + one[1])) == 0;
}

void strc_put_type(char *to, size_t capacity, int64_t element, int64_t rank,
                   const int64_t *extents) {
    size_t used = (size_t)snprintf(to, capacity, "tensor<%s>[", strc_elements[element].name);
    for (int64_t k = 0; k < rank && used < capacity; ++k) {
        const char *between = k == 0 ? "" : ", ";
        used += extents[k] == STRC_OPEN_EXTENT
                    ? (size_t)snprintf(to + used, capacity - used, "%s_", between)
                    : (size_t)snprintf(to + used, capacity - used, "%s%lld", between,
                                       (long long)extents[k]);
    }
    if (used < capacity) snprintf(to + used, capacity - used, "]");
}

void strc_put_types(char *to, size_t capacity, const int64_t *const *shapes, uint32_t count) {
    for (uint32_t k = 0; k < count; ++k) {
        const size_t used = k == 0 ? 0 : strlen(to);
        if (used + 3 > capacity) return;
        if (k != 0) strcat(to, ", ");
        const size_t at = strlen(to);
        strc_put_type(to + at, capacity - at, shapes[k][0], shapes[k][1], shapes[k] + 2);
    }
}

const int64_t **strc_list_shapes(const strc_item *item, strc_origin origin, const char *name) {
    const int64_t **list = NULL;
    if (!strc_own((void **)&list, item->tensors * sizeof *list, origin, name)) return NULL;
    const int64_t *shape = item->shapes;
    for (uint32_t k = 0; k < item->tensors; ++k, shape = strc_next_shape(shape)) list[k] = shape;
    return list;
}

const int64_t *strc_common_shape(const int64_t *const *shapes, uint32_t count, uint32_t place,
                                 uint32_t step) {
    const int64_t *first = shapes[place % count];
    for (uint64_t k = place + (uint64_t)step; k % count != place % count; k += step)
        if (!is_same(shapes[k % count], first)) return NULL;
    return first;
}

uint32_t strc_files_of(const strc_item *item) {
    return item->file_count > 1 ? item->file_count : 1;
}

int strc_fail_shapes(const strc_format *format, const strc_item *item, strc_origin origin) {
    STRC_FAIL(origin, FormatItemType, format->name, item->name);
    return strc_hint(
        origin, "a .safetensors file takes tensors of several types, and so do several '--out'");
}

static int check_shape(const strc_writer *writer, strc_origin origin, const int64_t *shape,
                       int (*fits)(const int64_t *)) {
    if (!shape) return strc_fail_shapes(writer->format, &writer->item, origin);
    if (fits(shape)) return 0;
    char type[400] = "";
    strc_put_types(type, sizeof type, &shape, 1);
    return STRC_FAIL(origin, FormatItemType, writer->format->name, type);
}

int strc_check_shapes(const strc_writer *writer, strc_origin origin, int (*fits)(const int64_t *)) {
    const strc_item *item = &writer->item;
    const uint32_t count = strc_files_of(item);
    const int64_t **shapes = strc_list_shapes(item, origin, writer->format->name);
    int status = shapes ? 0 : -1;
    for (uint32_t k = 0; k < count && status == 0; ++k)
        status =
            check_shape(writer, origin, strc_common_shape(shapes, item->tensors, k, count), fits);
    free(shapes);
    return status;
}
