/// Items as numbers: what formats that know only numbers (all but raw) make of an item type, and what
/// their readers share.
#ifndef STRC_NUMBERS_H
#define STRC_NUMBERS_H

#include "strc/files/format.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An item of `count` numbers of one kind, which lie one after the other in memory. `complex` counts as one
/// number, float2 as two; a struct is what its fields are, if these are equal numbers. The count is 0 for an item that files do not hold.
typedef struct strc_numbers {
    strc_kind kind;  ///< BOOLEAN to COMPLEX
    size_t size;  ///< bytes of one
    uint64_t count;
} strc_numbers;
strc_numbers strc_numbers_of(const strc_item *);
/// Can such items be sounds? Without complex numbers: pictures?
int strc_holds_numbers(const strc_item *);
int strc_holds_samples(const strc_item *);
int strc_holds_pixels(const strc_item *);

/// A number on its way from one kind to another.
typedef struct strc_number {
    double real, imag;
    int64_t integer;
    int exact;  ///< `integer` is the value
} strc_number;
static inline strc_number strc_integer(int64_t value) {
    return (strc_number){(double)value, 0, value, 1};
}
static inline strc_number strc_real(double value) { return (strc_number){value, 0, 0, 0}; }

/// Converts as a cast of the language does; integers outside of 32 bits (signed or not) are refused, as is
/// what is neither 0 nor 1 for a bit or boolean. 0: refused.
int strc_number_store(strc_number, strc_kind, void *to);
strc_number strc_number_load(strc_kind, const void *from);
/// What a cast to int makes of it.
int32_t strc_int_of(double);

/// Is a sample, in units of the file, more than rounding beyond the greatest? A number of just 1 is not.
static inline int strc_is_beyond(double sample, double full_scale, strc_kind kind) {
    return sample < -full_scale || sample > (kind == STRC_INT ? full_scale - 1 : full_scale);
}

/// Begins the own data of readers of numbers: what came of an item whose rest is still to come.
typedef struct strc_number_reader {
    strc_numbers item;
    unsigned char *part;
    size_t part_size;
    /// Reads up to `count` numbers, at least one except at the end.
    int64_t (*read)(strc_reader *, unsigned char *to, uint64_t count);
} strc_number_reader;

/// Own data of `size` bytes that begin with a strc_number_reader; null after reporting.
void *strc_number_reader_begin(strc_reader *, size_t size,
                               int64_t (*read)(strc_reader *, unsigned char *, uint64_t));
/// strc_format::read of them.
int64_t strc_numbers_read(strc_reader *, void *to, uint64_t count);

/// Begins the own data of writers that need nothing else.
typedef struct strc_number_writer {
    strc_numbers item;
} strc_number_writer;
/// strc_format::open_writer of those.
int strc_number_writer_open(strc_writer *);
/// strc_format::flush of those that keep nothing themselves.
int strc_numbers_flush(strc_writer *);

#ifdef __cplusplus
}
#endif

#endif
