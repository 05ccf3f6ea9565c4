/// What the kernels of stdlib/native/cuda get: a sum of products over loops (ir/contraction.h) whose loops have been put
/// into four groups, those of rows (result and a), columns (result and b), batches (all three) and sums (a and b),
/// each as a table of offsets, in elements (Matthews, "High-Performance Tensor Contraction without Transposition",
/// SIAM J. Sci. Comput. 2018, section 5). Shared by C and CUDA.
#ifndef STRC_CONTRACTION_H
#define STRC_CONTRACTION_H

/// Offset of item i: table[i], or i * step if there is no table.
typedef struct strc_offsets {
    const int *table;
    int step;
    int unused;
} strc_offsets;

enum { STRC_ADDENDS = 2 };

typedef struct strc_addend {
    const void *at;
    long long per_firing;  ///< elements
    strc_offsets row, column, batch;
} strc_addend;

typedef struct strc_contraction {
    void *out;
    const void *a, *b;
    void *partial;  ///< of `parts` parts, each of batches x rows x columns; null: there is one
    long long out_per_firing, a_per_firing, b_per_firing;  ///< elements
    strc_offsets row_out, row_a, column_out, column_b, batch_out, batch_a, batch_b, sum_a, sum_b;
    int rows, columns, batches, sums, firings;
    int parts;  ///< of the sums
    int a_along_sums, b_along_sums;  ///< neighbours in memory are neighbours in sums
    strc_addend added[STRC_ADDENDS];  ///< arrays whose elements are added to the sums
    int addends;
    int is_bounded;  ///< what is less than `low` then becomes it, and what is greater than `high`
    float low, high;
} strc_contraction;

enum {
    STRC_TILE = 64,  ///< rows and columns of a tile, on tensor cores as well
    STRC_TILE_THREADS = 256,
    STRC_THIN_ROWS = 8,  ///< so many at the most for the kernels of few rows
    STRC_THIN_THREADS = 128,
};

#endif
