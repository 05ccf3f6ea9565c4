// The text of numbers.
#include <math.h>
#include <string.h>

#include "decimal.h"
#include "strc/values.h"

static const char pairs[201] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546"
    "4748"
    "4950515253545556575859606162636465666768697071727374757677787980818283848586878889909192939495"
    "9697"
    "9899";

enum {
    kDigits = 20,  // of the largest uint64_t
    kBehind = 28,  // a plain number has up to 7 digits before its point
};

/// Writes the digits so that they end before `end`; returns where they begin.
static char *digits_before(char *end, uint64_t value) {
    while (value >= 100) {
        end -= 2;
        memcpy(end, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        end -= 2;
        memcpy(end, pairs + 2 * value, 2);
        return end;
    }
    *--end = (char)('0' + value);
    return end;
}

// Copies of constant size are much quicker than exact ones: more is written than belongs to the text, and
// what follows writes over it. STRC_TEXT_ROOM has room for that.

/// Digits that end at buffer + kDigits, with zeros behind them.
typedef struct digit_text {
    char buffer[kDigits + kBehind];
    const char *first;
    int count;
} digit_text;

static void make_digits(digit_text *text, uint64_t value) {
    memset(text->buffer + kDigits, '0', kBehind);
    text->first = digits_before(text->buffer + kDigits, value);
    text->count = (int)(text->buffer + kDigits - text->first);
}

static char *put_digits(char *to, const digit_text *text, int from, int count) {
    memcpy(to, text->first + from, kDigits);
    return to + count;
}

/// Up to eight.
static char *put_zeros(char *to, int count) {
    memset(to, '0', 8);
    return to + count;
}

static char *put_integer(char *to, uint64_t value) {
    digit_text digits;
    make_digits(&digits, value);
    return put_digits(to, &digits, 0, digits.count);
}

// ---- Java: plain for 1e-3 <= |x| < 1e7, otherwise "d.dddEn"

static char *put_scientific(char *to, const digit_text *digits, int exponent) {
    *to++ = digits->first[0];
    *to++ = '.';
    // A single digit is followed by the 0 behind it.
    to = put_digits(to, digits, 1, digits->count > 1 ? digits->count - 1 : 1);
    *to++ = 'E';
    if (exponent < 0) *to++ = '-';
    return put_integer(to, (uint64_t)(exponent < 0 ? -exponent : exponent));
}

static char *put_decimal(char *to, strc_decimal number) {
    digit_text digits;
    make_digits(&digits, number.digits);
    int exponent = number.exponent + digits.count - 1;  // of the first digit
    if (exponent < -3 || exponent >= 7) return put_scientific(to, &digits, exponent);
    if (exponent < 0) {
        to = put_zeros(to, -exponent + 1);
        to[exponent] = '.';
        return put_digits(to, &digits, 0, digits.count);
    }
    // Zeros stand behind the digits: as many as needed before the point, and one after it.
    int after = digits.count - exponent - 1;
    to = put_digits(to, &digits, 0, exponent + 1);
    *to++ = '.';
    return put_digits(to, &digits, exponent + 1, after > 0 ? after : 1);
}

// ---- C: "%f"; not by the C library, whose point depends on the locale

static char *put_six_digits(char *to, uint64_t millionths) {
    *to++ = '.';
    for (uint64_t unit = 100000; unit; unit /= 10) *to++ = (char)('0' + millionths / unit % 10);
    return to;
}

/// An integer of up to 1024 bits, c * 2^q.
static char *put_large(char *to, uint64_t c, int q) {
    enum { kWords = 34, kPieces = 36 };
    uint32_t words[kWords] = {0};
    int lowest = q / 32;
    unsigned __int128 shifted = (unsigned __int128)c << (q % 32);
    for (int i = 0; i < 3; ++i) words[lowest + i] = (uint32_t)(shifted >> (32 * i));
    uint32_t pieces[kPieces];  // of nine digits, lowest first
    int used = 0;
    for (int top = lowest + 3; top > 0;) {
        uint64_t rest = 0;
        for (int i = top; i-- > 0;) {
            uint64_t here = rest << 32 | words[i];
            words[i] = (uint32_t)(here / 1000000000);
            rest = here % 1000000000;
        }
        pieces[used++] = (uint32_t)rest;
        while (top > 0 && words[top - 1] == 0) --top;
    }
    to = put_integer(to, pieces[--used]);
    while (used > 0) {
        digit_text digits;
        make_digits(&digits, pieces[--used]);
        to = put_zeros(to, 9 - digits.count);
        to = put_digits(to, &digits, 0, digits.count);
    }
    return to;
}

/// x finite and not negative; rounds to nearest, halves to even.
static char *put_fixed(char *to, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int biased = (int)(bits >> 52);
    uint64_t c = (bits & 0xfffffffffffff) | (biased ? 0x10000000000000 : 0);
    int q = (biased ? biased : 1) - 1075;
    if (q >= 0) return put_six_digits(put_large(to, c, q), 0);
    uint64_t whole = 0, millionths = 0;
    if (q >= -73) {  // else less than half of a millionth
        unsigned __int128 scaled = (unsigned __int128)c * 1000000;
        unsigned __int128 half = (unsigned __int128)1 << (-q - 1);
        unsigned __int128 rest = scaled & (2 * half - 1);
        unsigned __int128 total = scaled >> -q;
        total += rest > half || (rest == half && (total & 1));
        whole = (uint64_t)(total / 1000000);
        millionths = (uint64_t)(total % 1000000);
    }
    return put_six_digits(put_integer(to, whole), millionths);
}

// ---- both

static char *put_word(char *to, const char *word) {
    size_t size = strlen(word);
    memcpy(to, word, size);
    return to + size;
}

static char *put_special(char *to, double value, int c_format) {
    if (isnan(value)) return put_word(to, c_format ? "nan" : "NaN");
    if (signbit(value)) *to++ = '-';
    if (isinf(value)) return put_word(to, c_format ? "inf" : "Infinity");
    return put_word(to, "0.0");
}

uint32_t strc_text_of_int(char *to, int32_t value) {
    char *at = to;
    if (value < 0) *at++ = '-';
    at = put_integer(at, (uint64_t)(value < 0 ? -(int64_t)value : value));
    return (uint32_t)(at - to);
}

static uint32_t text_like_c(char *to, double value) {
    if (!isfinite(value)) return (uint32_t)(put_special(to, value, 1) - to);
    char *at = to;
    if (signbit(value)) *at++ = '-';
    return (uint32_t)(put_fixed(at, fabs(value)) - to);
}

uint32_t strc_text_of_float(char *to, float value, int c_format) {
    if (c_format) return text_like_c(to, value);
    if (!isfinite(value) || value == 0) return (uint32_t)(put_special(to, value, 0) - to);
    char *at = to;
    if (value < 0) *at++ = '-';
    return (uint32_t)(put_decimal(at, strc_shortest_float(fabsf(value))) - to);
}

uint32_t strc_text_of_double(char *to, double value, int c_format) {
    if (c_format) return text_like_c(to, value);
    if (!isfinite(value) || value == 0) return (uint32_t)(put_special(to, value, 0) - to);
    char *at = to;
    if (value < 0) *at++ = '-';
    return (uint32_t)(put_decimal(at, strc_shortest_double(fabs(value))) - to);
}

uint32_t strc_text_of_complex(char *to, float re, float im, int c_format) {
    uint32_t size = strc_text_of_float(to, re, c_format);
    char *second = to + size + 1;
    uint32_t more = strc_text_of_float(second, im, c_format);
    if (second[0] == '-')
        memmove(second - 1, second, more);
    else {
        second[-1] = '+';
        ++more;
    }
    to[size + more] = 'i';
    return size + more + 1;
}
