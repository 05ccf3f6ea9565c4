/// The header of NumPy's files: the text of a Python dict.
#ifndef STRC_NPY_H
#define STRC_NPY_H

#include "numbers.h"

#define STRC_NPY_LONGEST (1 << 16)
#define STRC_NPY_WHY 160

typedef struct strc_npy_header {
    char kind;  ///< of the elements: b, i, u, f, c as in NumPy
    size_t size;  ///< of one, bytes
    int big_endian;
    uint64_t count;  ///< elements
    uint64_t start;  ///< where they begin
} strc_npy_header;

/// 0, or -1 and why not.
int strc_npy_parse(const char *text, size_t size, strc_npy_header *, char why[STRC_NPY_WHY]);

#endif
