/// Functions that the compiler and the programs that it compiles share beyond runtime_functions.def, so that every
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

/// Elements of tensors.
typedef enum strc_element {
    STRC_ELEMENT_BOOLEAN,
    STRC_ELEMENT_INT8,
    STRC_ELEMENT_INT,
    STRC_ELEMENT_LONG,
    STRC_ELEMENT_HALF,
    STRC_ELEMENT_BFLOAT16,
    STRC_ELEMENT_FLOAT,
    STRC_ELEMENT_DOUBLE,
} strc_element;

/// The values of a half and of a bfloat16, by their bits, and the bits of the nearest ones of a number: halves to even, one rounding.
double strc_of_half(uint16_t bits);
double strc_of_bfloat16(uint16_t bits);
uint16_t strc_to_half(double value);
uint16_t strc_to_bfloat16(double value);

typedef void strc_put(void *self, const char *text, uint64_t size);
/// The text of a tensor, as NumPy shows it, piece by piece. `shape`: its strc_element, how many dimensions
/// it has, and their extents.
void strc_text_of_tensor(const int64_t *shape, const void *elements, strc_put *put, void *self);

/// Advances the generator of language.md 16.3; uniform in [0, 1), 53 random bits.
double strc_random_next(uint64_t *state);

#ifdef __cplusplus
}
#endif
#endif
