/// What the compiler shares with the programs it compiles beyond runtime_functions.def, so that every
/// engine gives the same text for a number and draws the same random numbers.
#ifndef STRC_VALUES_H
#define STRC_VALUES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes that `to` has room for: more than any text, since what lies behind it may be written over.
#define STRC_TEXT_ROOM 384

/// Text of numbers (language.md 18), not terminated; returns its length. Shortest digits in the layout of
/// Java, or with c_format as "%f" of C, whatever the locale ("nan" without a sign).
uint32_t strc_text_of_int(char *to, int32_t value);
uint32_t strc_text_of_float(char *to, float value, int c_format);
uint32_t strc_text_of_double(char *to, double value, int c_format);
/// As "a+bi".
uint32_t strc_text_of_complex(char *to, float re, float im, int c_format);

/// Advances the generator of language.md 16.3; uniform in [0, 1), 53 random bits.
double strc_random_next(uint64_t *state);

#ifdef __cplusplus
}
#endif
#endif
