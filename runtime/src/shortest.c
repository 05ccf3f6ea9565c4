// The shortest digits of a binary number after R. Giulietti, "The Schubfach way to render doubles"
// (2021).
//
// A number c * 2^q is what all reals of an interval around it round to. With 10^k the largest power
// of ten that is not wider than the interval, a multiple of 10^k lies in it, and at most one of
// 10^(k+1): that one is shorter if it exists; else of the two multiples of 10^k around the number
// the closer one that lies in the interval. All comparisons are exact on four times the values,
// whose fraction is only known to be there or not ("rounded to odd").
#include <string.h>

#include "decimal.h"

// Floors of logarithms, right for |e| < 1100 and |e| < 400: log10(2^e), log10(3/4 * 2^e),
// log2(10^e).
static int log10_of_power_of_two(int e) { return (e * 1262611) >> 22; }
static int log10_of_three_quarters(int e) { return (e * 1262611 - 524031) >> 22; }
static int log2_of_power_of_ten(int e) { return (e * 1741647) >> 19; }

/// A number and the ends of its interval in units of 10^k / 4, rounded to odd.
typedef struct scaled {
    uint64_t below, value, above;
    uint64_t open;  ///< 1 if the ends themselves round elsewhere
} scaled;

static strc_decimal without_zeros(uint64_t digits, int exponent) {
    while (digits % 10 == 0) {
        digits /= 10;
        ++exponent;
    }
    return (strc_decimal){digits, exponent};
}

static strc_decimal choose(scaled number, int k) {
    uint64_t lower = number.value / 4;
    if (lower >= 10) {
        uint64_t tens = lower / 10;
        int down = number.below + number.open <= 40 * tens;
        int up = 40 * tens + 40 + number.open <= number.above;
        if (down != up) return without_zeros(tens + (uint64_t)up, k + 1);
    }
    int down = number.below + number.open <= 4 * lower;
    int up = 4 * lower + 4 + number.open <= number.above;
    if (down == up) {
        uint64_t middle = 4 * lower + 2;
        up = number.value > middle || (number.value == middle && lower % 2 == 1);
    }
    return without_zeros(lower + (uint64_t)up, k);
}

/// Power * factor / 2^64, rounded to odd; the power is a little too large, which shows as a 1 in
/// the first bits that are cut off, where the exact product cannot have it.
static uint64_t product_64(uint64_t power, uint32_t factor) {
    unsigned __int128 product = (unsigned __int128)power * factor;
    return (uint64_t)(product >> 64) | ((uint32_t)(product >> 32) > 1);
}

static uint64_t product_128(strc_wide power, uint64_t factor) {
    unsigned __int128 low = (unsigned __int128)power.low * factor;
    unsigned __int128 high = (unsigned __int128)power.high * factor + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

strc_decimal strc_shortest_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t fraction = bits & 0x7fffff;
    int biased = (int)(bits >> 23);
    uint32_t c = biased ? fraction | 0x800000 : fraction;
    int q = (biased ? biased : 1) - 150;
    if (-23 <= q && q <= 0 && (c & ((1u << -q) - 1)) == 0) return without_zeros(c >> -q, 0);
    // Below a power of two the numbers lie twice as densely.
    int uneven = fraction == 0 && biased > 1;
    int k = uneven ? log10_of_three_quarters(q) : log10_of_power_of_two(q);
    int shift = q + log2_of_power_of_ten(-k) + 1;
    uint64_t power = strc_power_of_ten_64(-k);
    scaled number = {
        product_64(power, (4 * c - 2 + (uint32_t)uneven) << shift),
        product_64(power, (4 * c) << shift),
        product_64(power, (4 * c + 2) << shift),
        c & 1,
    };
    return choose(number, k);
}

strc_decimal strc_shortest_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & 0xfffffffffffff;
    int biased = (int)(bits >> 52);
    uint64_t c = biased ? fraction | 0x10000000000000 : fraction;
    int q = (biased ? biased : 1) - 1075;
    if (-52 <= q && q <= 0 && (c & ((1ull << -q) - 1)) == 0) return without_zeros(c >> -q, 0);
    int uneven = fraction == 0 && biased > 1;
    int k = uneven ? log10_of_three_quarters(q) : log10_of_power_of_two(q);
    int shift = q + log2_of_power_of_ten(-k) + 1;
    strc_wide power = strc_power_of_ten_128(-k);
    scaled number = {
        product_128(power, (4 * c - 2 + (uint64_t)uneven) << shift),
        product_128(power, (4 * c) << shift),
        product_128(power, (4 * c + 2) << shift),
        c & 1,
    };
    return choose(number, k);
}
