/// The header of NumPy's files: the text of a Python dict.
#ifndef STRC_NPY_H
#define STRC_NPY_H

#include "strc/files/source.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRC_NPY_LONGEST (1 << 16)
#define STRC_NPY_WHY 160
#define STRC_NPY_DIMENSIONS 64
/// Digits of the number of items in a header that is written before all of them are.
#define STRC_NPY_DIGITS 20

typedef struct strc_npy_header {
    char kind;  ///< of the elements: b, i, u, f, c as in NumPy
    size_t size;  ///< of one, bytes
    int big_endian;
    uint64_t count;  ///< elements
    uint64_t start;  ///< where they begin
    uint32_t rank;
    int64_t extents[STRC_NPY_DIMENSIONS];
} strc_npy_header;

/// 0, or -1 and why not.
int strc_npy_parse(const char *text, size_t size, strc_npy_header *, char why[STRC_NPY_WHY]);
/// Takes it from the source; -1 after reporting.
int strc_npy_read_header(strc_source *, strc_npy_header *);
/// Puts a header to `to`, with room for `longest` characters of shape ("(2, 3)"); how long it is. There is room
/// for its text and 192 bytes more.
size_t strc_npy_put_header(char *to, const char *descr, const char *shape, size_t longest);

#ifdef __cplusplus
}
#endif
#endif
