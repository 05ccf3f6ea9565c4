// Shapes and elements of tensors, in memory and in files.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "tensors.h"

const strc_element_row strc_elements[] = {
    [STRC_ELEMENT_BOOLEAN] = {"boolean", "|b1", 1, 1, STRC_SAFE_BOOL},
    [STRC_ELEMENT_INT8] = {"int8", "|i1", 4, 1, STRC_SAFE_I8},
    [STRC_ELEMENT_INT] = {"int", "<i4", 4, 4, STRC_SAFE_I32},
    [STRC_ELEMENT_LONG] = {"long", "<i8", 8, 8, STRC_SAFE_I64},
    [STRC_ELEMENT_HALF] = {"half", "<f2", 4, 2, STRC_SAFE_F16},
    [STRC_ELEMENT_BFLOAT16] = {"bfloat16", "", 4, 2, STRC_SAFE_BF16},
    [STRC_ELEMENT_FLOAT] = {"float", "<f4", 4, 4, STRC_SAFE_F32},
    [STRC_ELEMENT_DOUBLE] = {"double", "<f8", 8, 8, STRC_SAFE_F64},
};
const int64_t *strc_next_shape(const int64_t *shape) { return shape + 3 + shape[1]; }

size_t strc_shape_offset(const int64_t *shape) { return (size_t)shape[2 + shape[1]]; }

size_t strc_shape_count(const int64_t *shape) {
    size_t count = 1;
    for (int64_t k = 0; k < shape[1]; ++k) count *= (size_t)shape[2 + k];
    return count;
}

size_t strc_shape_bytes(const int64_t *shape) {
    return strc_shape_count(shape) * strc_elements[shape[0]].file_size;
}

// ---- elements with fewer bytes in the file

static float of_half(uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    const double size = exponent == 31  ? (fraction == 0 ? HUGE_VAL : NAN)
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(1024 + fraction, exponent - 25);
    return (float)(bits & 0x8000 ? -size : size);
}

/// Of one of the values that it has.
static uint16_t to_half(float value) {
    const unsigned sign = signbit(value) ? 0x8000 : 0;
    const double size = fabs((double)value);
    if (isnan(value)) return (uint16_t)(sign | 0x7e00);
    if (isinf(value)) return (uint16_t)(sign | 0x7c00);
    if (size < 0x1p-14) return (uint16_t)(sign | (unsigned)ldexp(size, 24));
    int exponent;
    const double first = frexp(size, &exponent);
    return (uint16_t)(sign | (unsigned)((exponent + 14) << 10) |
                      ((unsigned)ldexp(first, 11) - 1024));
}

static float of_bfloat16(uint16_t bits) {
    const uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/// Of one of the values that it has.
static uint16_t to_bfloat16(float value) {
    uint32_t wide;
    memcpy(&wide, &value, sizeof wide);
    return (uint16_t)(wide >> 16);
}

void strc_widen(int64_t element, unsigned char *to, const unsigned char *from, size_t count) {
    for (size_t k = 0; k < count; ++k) {
        if (element == STRC_ELEMENT_INT8) {
            const int32_t value = (int8_t)from[k];
            memcpy(to + 4 * k, &value, sizeof value);
        } else {
            uint16_t bits;
            memcpy(&bits, from + 2 * k, sizeof bits);
            const float value = element == STRC_ELEMENT_HALF ? of_half(bits) : of_bfloat16(bits);
            memcpy(to + 4 * k, &value, sizeof value);
        }
    }
}

void strc_narrow(int64_t element, unsigned char *to, const unsigned char *from, size_t count) {
    for (size_t k = 0; k < count; ++k) {
        if (element == STRC_ELEMENT_INT8) {
            to[k] = from[4 * k];
        } else {
            float value;
            memcpy(&value, from + 4 * k, sizeof value);
            const uint16_t bits =
                element == STRC_ELEMENT_HALF ? to_half(value) : to_bfloat16(value);
            memcpy(to + 2 * k, &bits, sizeof bits);
        }
    }
}

int strc_is_converted(int64_t element) {
    return strc_elements[element].size != strc_elements[element].file_size;
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
    strc_note(STRC_MESSAGE_Hint,
              "a .safetensors file takes tensors of several types, and so do several '--out'");
    return -1;
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
