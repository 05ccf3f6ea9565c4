#include "strc/tensor_elements.h"

#include <math.h>
#include <string.h>

#include "strc/safetensors.h"
#include "strc/values.h"

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

int strc_is_converted(int64_t element) {
    return strc_elements[element].size != strc_elements[element].file_size;
}

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
