/// Shortest decimal digits of binary numbers; private to the runtime and its tests.
#ifndef STRC_DECIMAL_H
#define STRC_DECIMAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// digits * 10^exponent; digits do not end in 0.
typedef struct strc_decimal {
    uint64_t digits;
    int32_t exponent;
} strc_decimal;

/// The shortest digits that round to this finite, positive number; of several the closest to it.
strc_decimal strc_shortest_float(float value);
strc_decimal strc_shortest_double(double value);

typedef struct strc_wide {
    uint64_t high, low;
} strc_wide;

/// 10^exponent * 2^s rounded up, s such that the highest of 128 (64) bits is set; exponent within
/// [-292, 324] ([-31, 45]).
strc_wide strc_power_of_ten_128(int exponent);
uint64_t strc_power_of_ten_64(int exponent);

#ifdef __cplusplus
}
#endif
#endif
