// Numbers of 16 bits: half (binary16 of IEEE 754) and bfloat16 (the upper half of a binary32).
#include <math.h>
#include <string.h>

#include "strc/values.h"

double strc_of_half(uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    const double size = exponent == 31  ? (fraction == 0 ? HUGE_VAL : NAN)
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

double strc_of_bfloat16(uint16_t bits) {
    const uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return (double)value;
}

/// The bits without the sign, of a format whose fraction has so many bits and whose exponents begin at `least`, the first one that
/// has all of them, in a word whose exponents count to `most` and one more, that of the infinite.
static unsigned nearest(double size, int fraction, int least, int most) {
    const unsigned infinite = (unsigned)(most - least + 2) << fraction;
    if (isnan(size)) return infinite | 1u << (fraction - 1);
    if (isinf(size)) return infinite;
    int exponent;
    frexp(size, &exponent);
    --exponent;  // size is 1.x * 2^exponent
    if (size == 0 || exponent < least) exponent = least;
    const double steps =
        nearbyint(ldexp(size, fraction - exponent));  // a carry goes on into the exponent
    if (exponent > most) return infinite;
    const unsigned bits = ((unsigned)(exponent - least) << fraction) + (unsigned)steps;
    return bits < infinite ? bits : infinite;
}

uint16_t strc_to_half(double value) {
    return (uint16_t)((signbit(value) ? 0x8000u : 0) | nearest(fabs(value), 10, -14, 15));
}

uint16_t strc_to_bfloat16(double value) {
    return (uint16_t)((signbit(value) ? 0x8000u : 0) | nearest(fabs(value), 7, -126, 127));
}
