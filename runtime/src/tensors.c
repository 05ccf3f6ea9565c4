// The text of tensors, as NumPy 2.3 and later show arrays (numpy.array2string with its usual options).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "run.h"
#include "strc/values.h"

enum {
    kLineWidth = 75,
    kThreshold = 1000,  // with more elements only the edges are shown
    kEdge = 3,
    kPrecision = 8,  // digits behind the point
    kRoom = 64,
};

// ---- elements

static int is_real(strc_element element) { return element >= STRC_ELEMENT_HALF; }

static int64_t whole_at(strc_element element, const void *elements, uint64_t at) {
    switch (element) {
        case STRC_ELEMENT_BOOLEAN: return ((const uint8_t *)elements)[at] != 0;
        case STRC_ELEMENT_INT8: return ((const int8_t *)elements)[at];
        case STRC_ELEMENT_INT: {
            int32_t value;
            memcpy(&value, (const char *)elements + 4 * at, sizeof value);
            return value;
        }
        default: {
            int64_t value;
            memcpy(&value, (const char *)elements + 8 * at, sizeof value);
            return value;
        }
    }
}

static double real_at(strc_element element, const void *elements, uint64_t at) {
    if (element == STRC_ELEMENT_HALF || element == STRC_ELEMENT_BFLOAT16) {
        uint16_t bits;
        memcpy(&bits, (const char *)elements + 2 * at, sizeof bits);
        return element == STRC_ELEMENT_HALF ? strc_of_half(bits) : strc_of_bfloat16(bits);
    }
    if (element != STRC_ELEMENT_DOUBLE) {
        float value;
        memcpy(&value, (const char *)elements + 4 * at, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, (const char *)elements + 8 * at, sizeof value);
    return value;
}

// ---- digits of a finite number that is not negative

/// 0.d1d2d3... * 10^point; none for zero.
typedef struct digits {
    char text[kRoom];
    int count;
    int point;
} digits;

static void trim(digits *of) {
    while (of->count > 0 && of->text[of->count - 1] == '0') --of->count;
}

/// Rounded to so many digits, exactly; halves to even.
static void round_to(digits *to, double value, int count) {
    char text[kRoom];
    snprintf(text, sizeof text, "%.*e", count - 1, value);
    const char *exponent = strchr(text, 'e');
    to->text[0] = text[0];
    // snprintf writes the locale's decimal point, which is skipped.
    memcpy(to->text + 1, exponent - (count - 1), (size_t)(count - 1));
    to->count = count;
    to->point = atoi(exponent + 1) + 1;
    trim(to);
}

static int is_same(strc_element element, const char *text, double value) {
    if (element != STRC_ELEMENT_DOUBLE) return (double)strtof(text, NULL) == value;
    return strtod(text, NULL) == value;
}

/// Does the number that is written there round to this half?
static int is_half(const digits *number, double value) {
    int64_t whole = 0;
    for (int k = 0; k < number->count; ++k) whole = 10 * whole + (number->text[k] - '0');
    double power = 1;
    const int exponent = number->point - number->count;
    for (int k = 0; k < abs(exponent); ++k) power *= 10;
    const double there = exponent < 0 ? (double)whole / power : (double)whole * power;
    int binary;
    const double first = frexp(value, &binary);
    const double unit = ldexp(1, binary - 11 > -24 ? binary - 11 : -24);
    const int is_narrow = there < value && first == 0.5 && unit > ldexp(1, -24);
    const double capacity = is_narrow ? unit / 4 : unit / 2;
    const double apart = fabs(there - value);
    return apart < capacity || (apart == capacity && fmod(value / unit, 2) == 0);
}

/// One more in digit `count`.
static void increase(digits *number, int count) {
    while (number->count < count) number->text[number->count++] = '0';
    while (number->count > 0 && number->text[number->count - 1] == '9') --number->count;
    if (number->count > 0) {
        ++number->text[number->count - 1];
        return;
    }
    number->text[number->count++] = '1';
    ++number->point;
}

/// The shortest that tell it from its neighbours.
static void find_shortest(digits *to, strc_element element, double value) {
    if (element == STRC_ELEMENT_HALF) {
        for (int count = 1; count <= 5; ++count) {
            round_to(to, value, count);
            if (is_half(to, value)) return;
            increase(to, count);  // above a power of two there is more room than below
            if (is_half(to, value)) return;
        }
    }
    const strc_decimal decimal = element != STRC_ELEMENT_DOUBLE ? strc_shortest_float((float)value)
                                                                : strc_shortest_double(value);
    to->count = snprintf(to->text, sizeof to->text, "%llu", (unsigned long long)decimal.digits);
    to->point = to->count + decimal.exponent;
    if (to->count != 2) return;
    // Java writes the smallest numbers with two digits where one is enough.
    digits one;
    round_to(&one, value, 1);
    char text[kRoom];
    snprintf(text, sizeof text, "%ce%d", one.text[0], one.point - 1);
    if (is_same(element, text, value)) *to = one;
}

/// At most so many digits behind the point.
static void digits_of_plain(digits *to, strc_element element, double value, int after) {
    to->count = to->point = 0;
    if (value == 0) return;
    find_shortest(to, element, value);
    if (to->count - to->point <= after) return;
    const int count = to->point + after;
    if (count >= 1) return round_to(to, value, count);
    to->count = to->point = 0;
}

/// At most so many digits behind the first.
static void digits_of_scientific(digits *to, strc_element element, double value, int after,
                                 int is_exact) {
    to->count = 0;
    to->point = 1;
    if (value == 0) return;
    find_shortest(to, element, value);
    const int have = to->count - 1;
    if (have > after || (is_exact && have < after)) round_to(to, value, after + 1);
}

// ---- one element

typedef struct layout {
    strc_element element;
    int is_scientific;
    int before;  // width of all that stands before the point; of integers and truths
    int after;  // of all that stands behind it; real numbers
    int precision;  // scientific: digits behind the point
    int exponent;  // its digits
} layout;

static char *put_digit(char *to, const digits *from, int k) {
    *to = k >= 0 && k < from->count ? from->text[k] : '0';
    return to + 1;
}

static int exponent_of(const digits *from) { return from->count == 0 ? 0 : from->point - 1; }

static int width_of_exponent(int exponent) { return abs(exponent) >= 100 ? 3 : 2; }

static char *put_exponent(char *to, int exponent, int width) {
    return to + sprintf(to, "e%c%0*d", exponent < 0 ? '-' : '+', width, abs(exponent));
}

static int width_of_plain(const digits *from) { return from->point > 1 ? from->point : 1; }

static int places_of(const digits *from) {
    return from->count > from->point ? from->count - from->point : 0;
}

/// As many digits behind the point as there are, at least `least`.
static char *put_plain(char *to, const digits *from, int least) {
    const int before = width_of_plain(from);
    for (int k = 0; k < before; ++k) to = put_digit(to, from, from->point - before + k);
    *to++ = '.';
    const int after = places_of(from) > least ? places_of(from) : least;
    for (int k = 0; k < after; ++k) to = put_digit(to, from, from->point + k);
    return to;
}

static char *put_odd(char *to, double value) {
    const char *text = isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
    return to + sprintf(to, "%s", text);
}

static char *put_real(char *to, const layout *how, double value) {
    if (!isfinite(value)) return put_odd(to, value);
    if (signbit(value)) *to++ = '-';
    digits number;
    if (!how->is_scientific) {
        digits_of_plain(&number, how->element, fabs(value), kPrecision);
        return put_plain(to, &number, 0);
    }
    digits_of_scientific(&number, how->element, fabs(value), how->precision, 1);
    to = put_digit(to, &number, 0);
    *to++ = '.';
    for (int k = 1; k <= how->precision; ++k) to = put_digit(to, &number, k);
    return put_exponent(to, exponent_of(&number), how->exponent);
}

/// Both ends filled up with blanks; returns the length.
static int put_element(char *to, const layout *how, const void *elements, uint64_t at) {
    char text[kRoom];
    int before;
    char *end;
    if (is_real(how->element)) {
        const double value = real_at(how->element, elements, at);
        end = put_real(text, how, value);
        const char *point = memchr(text, '.', (size_t)(end - text));
        before = how->before - (int)((point ? point : end) - text);
        if (!isfinite(value)) before = how->before + how->after + 1 - (int)(end - text);
    } else {
        const int64_t value = whole_at(how->element, elements, at);
        if (how->element == STRC_ELEMENT_BOOLEAN)
            end = text + sprintf(text, "%s", value ? "True" : "False");
        else
            end = text + sprintf(text, "%lld", (long long)value);
        before = how->before - (int)(end - text);
    }
    const int width = is_real(how->element) ? how->before + 1 + how->after : how->before;
    memset(to, ' ', (size_t)width);
    memcpy(to + before, text, (size_t)(end - text));
    return width;
}

// ---- what all elements have in common

typedef struct tensor {
    const int64_t *extents;
    uint32_t rank;
    int is_summary;
    const void *elements;
    layout how;
} tensor;

typedef struct survey {
    double least, most;  // of absolute values that are not zero
    int has_finite, has_odd, has_minus_infinity;
} survey;

typedef void visit_element(void *self, const tensor *of, uint64_t at);

static int is_cut(const tensor *of, int64_t extent) { return of->is_summary && extent > 2 * kEdge; }

static void for_each_shown(const tensor *of, uint32_t axis, uint64_t row, visit_element *visit,
                           void *self) {
    if (axis == of->rank) return visit(self, of, row);
    const int64_t extent = of->extents[axis];
    for (int64_t k = 0; k < extent; ++k) {
        if (is_cut(of, extent) && k == kEdge) k = extent - kEdge;
        for_each_shown(of, axis + 1, row * (uint64_t)extent + (uint64_t)k, visit, self);
    }
}

static void look_at(void *self, const tensor *of, uint64_t at) {
    survey *all = self;
    const double value = real_at(of->how.element, of->elements, at);
    if (!isfinite(value)) {
        all->has_odd = 1;
        all->has_minus_infinity |= isinf(value) && value < 0;
        return;
    }
    all->has_finite = 1;
    const double size = fabs(value);
    if (size == 0) return;
    if (all->most == 0 || size > all->most) all->most = size;
    if (all->least == 0 || size < all->least) all->least = size;
}

static void widen(int *width, int to) {
    if (to > *width) *width = to;
}

static void measure_real(void *self, const tensor *of, uint64_t at) {
    layout *how = self;
    const double value = real_at(how->element, of->elements, at);
    if (!isfinite(value)) return;
    const int sign = signbit(value) != 0;
    digits number;
    if (!how->is_scientific) {
        digits_of_plain(&number, how->element, fabs(value), kPrecision);
        widen(&how->before, sign + width_of_plain(&number));
        widen(&how->after, places_of(&number));
        return;
    }
    digits_of_scientific(&number, how->element, fabs(value), kPrecision, 0);
    widen(&how->before, sign + 1);
    widen(&how->precision, number.count - 1);
    widen(&how->exponent, width_of_exponent(exponent_of(&number)));
}

static void measure_whole(void *self, const tensor *of, uint64_t at) {
    layout *how = self;
    char text[kRoom];
    const int64_t value = whole_at(how->element, of->elements, at);
    widen(&how->before, how->element == STRC_ELEMENT_BOOLEAN
                            ? 5 - (value != 0)
                            : sprintf(text, "%lld", (long long)value));
}

/// Divided and compared as numbers of the type are.
static int needs_exponents(strc_element element, double least, double most) {
    if (most == 0) return 0;
    if (element == STRC_ELEMENT_HALF)  // 0.0001, and 1000 with what is rounded to it
        return most >= 1e3 || least < 0x1.a38p-14 || (float)most / (float)least > 1000.25f;
    if (element != STRC_ELEMENT_DOUBLE)
        return most >= 1e6 || (float)least < 0.0001f || (float)most / (float)least > 1000.0f;
    return most >= 1e8 || least < 0.0001 || most / least > 1000.0;
}

static void find_layout(tensor *of) {
    layout *how = &of->how;
    if (!is_real(how->element)) {
        for_each_shown(of, 0, 0, measure_whole, how);
        // NumPy writes " True" where nothing is False, too.
        if (how->element == STRC_ELEMENT_BOOLEAN) how->before = 5;
        return;
    }
    survey all = {0};
    for_each_shown(of, 0, 0, look_at, &all);
    how->is_scientific = needs_exponents(how->element, all.least, all.most);
    for_each_shown(of, 0, 0, measure_real, how);
    if (how->is_scientific) how->after = how->exponent + 2 + how->precision;
    if (!all.has_odd) return;
    widen(&how->before, 3 - (how->after + 1));
    widen(&how->before, 3 + all.has_minus_infinity - (how->after + 1));
}

// ---- lines

typedef struct printer {
    const tensor *of;
    strc_put *put;
    void *self;
    int column;  // with the blanks that are still to be written
    int blanks;  // only if something follows in the line
} printer;

static void put_text(printer *to, const char *text, int size) {
    static const char blanks[] = "                                ";
    for (int left = to->blanks; left > 0; left -= 32)
        to->put(to->self, blanks, (uint64_t)(left < 32 ? left : 32));
    to->blanks = 0;
    to->put(to->self, text, (uint64_t)size);
}

static void new_line(printer *to, int lines, int indent) {
    to->blanks = 0;
    for (; lines > 0; --lines) to->put(to->self, "\n", 1);
    to->blanks = to->column = indent;
}

static void put_word(printer *to, const char *word, int size) {
    const int indent = (int)to->of->rank;
    const int width = kLineWidth - (int)to->of->rank;
    if (to->column + size > width && to->column > indent) new_line(to, 1, indent);
    to->column += size;
    int end = size;
    while (end > 0 && word[end - 1] == ' ') --end;
    put_text(to, word, end);
    to->blanks = size - end;
}

static void put_blank(printer *to) {
    ++to->blanks;
    ++to->column;
}

static void put_row(printer *to, uint64_t row) {
    const tensor *of = to->of;
    const int64_t extent = of->extents[of->rank - 1];
    char word[2 * kRoom];
    for (int64_t k = 0; k < extent; ++k) {
        if (k != 0) put_blank(to);
        if (is_cut(of, extent) && k == kEdge) {
            put_word(to, "...", 3);
            put_blank(to);
            k = extent - kEdge;
        }
        put_word(to, word,
                 put_element(word, &of->how, of->elements, row * (uint64_t)extent + (uint64_t)k));
    }
}

static void put_rows(printer *to, uint32_t axis, uint64_t row) {
    const tensor *of = to->of;
    const int64_t extent = of->extents[axis];
    put_text(to, "[", 1);
    if (axis + 1 == of->rank) {
        to->column = (int)of->rank;
        put_row(to, row);
    } else {
        const int lines = (int)(of->rank - axis - 1);
        for (int64_t k = 0; k < extent; ++k) {
            if (k != 0) new_line(to, lines, (int)axis + 1);
            if (is_cut(of, extent) && k == kEdge) {
                put_text(to, "...", 3);
                new_line(to, lines, (int)axis + 1);
                k = extent - kEdge;
            }
            put_rows(to, axis + 1, row * (uint64_t)extent + (uint64_t)k);
        }
    }
    put_text(to, "]", 1);
}

/// Without dimensions: as a number of Python.
static int put_single(char *to, strc_element element, const void *elements) {
    const layout how = {.element = element};
    if (!is_real(element)) {
        const int64_t value = whole_at(element, elements, 0);
        if (element != STRC_ELEMENT_BOOLEAN) return sprintf(to, "%lld", (long long)value);
        return sprintf(to, "%s", value ? "True" : "False");
    }
    const double value = real_at(element, elements, 0);
    if (!isfinite(value)) return (int)(put_odd(to, value) - to);
    const double size = fabs(value);
    const double limit = element == STRC_ELEMENT_HALF     ? 1e3
                         : element == STRC_ELEMENT_DOUBLE ? 1e16
                                                          : 1e6;
    char *end = to;
    if (signbit(value)) *end++ = '-';
    digits number = {.count = 0, .point = 0};
    if (size != 0) find_shortest(&number, how.element, size);
    if (size == 0 || (size >= 1e-4 && size < limit)) return (int)(put_plain(end, &number, 1) - to);
    end = put_digit(end, &number, 0);
    if (number.count > 1) *end++ = '.';
    for (int k = 1; k < number.count; ++k) end = put_digit(end, &number, k);
    const int exponent = exponent_of(&number);
    return (int)(put_exponent(end, exponent, width_of_exponent(exponent)) - to);
}

void strc_text_of_tensor(const int64_t *shape, const void *elements, strc_put *put, void *self) {
    tensor of = {shape + 2, (uint32_t)shape[1], 0, elements, {.element = (strc_element)shape[0]}};
    char text[kRoom];
    if (of.rank == 0) return put(self, text, (uint64_t)put_single(text, of.how.element, elements));
    uint64_t count = 1;
    for (uint32_t k = 0; k < of.rank; ++k) count *= (uint64_t)of.extents[k];
    if (count == 0) return put(self, "[]", 2);
    of.is_summary = count > kThreshold;
    find_layout(&of);
    printer to = {&of, put, self, 0, 0};
    put_rows(&to, 0, 0);
}

// ---- for generated code

static void give(void *self, const char *text, uint64_t size) {
    strc_env *env = self;
    if (env->host->print(env->host->self, text, size) != 0) strc_leave(env, STRC_END_STOPPED);
}

void strc_print_tensor(strc_env *env, const int64_t *shape, const void *elements) {
    strc_text_of_tensor(shape, elements, give, env);
}
