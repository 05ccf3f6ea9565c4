/// What the kernels for attention of stdlib/native/cuda get: softmax(q k^T scale + mask) v of floats, as ir/attention.h tells
/// it. Shared by C and CUDA.
#ifndef STRC_ATTENTION_H
#define STRC_ATTENTION_H

enum {
    STRC_ATTENTION_OUTER = 6,  ///< loops around at the most
    STRC_ATTENTION_WIDTH = 128,  ///< numbers of a query, or of a value, at the most
    STRC_ATTENTION_THREADS = 256,
    STRC_ATTENTION_KEYS = 32,  ///< of a tile
};

/// Arrays, in the order in which they are handed on.
enum {
    STRC_ATTENTION_OUT,
    STRC_ATTENTION_QUERY,
    STRC_ATTENTION_KEY,
    STRC_ATTENTION_VALUE,
    STRC_ATTENTION_MASK,
    STRC_ATTENTION_ARRAYS
};

/// Steps are by array, in elements.
typedef struct strc_attention_loop {
    int trips;
    int step[STRC_ATTENTION_ARRAYS];
} strc_attention_loop;

typedef struct strc_attention {
    float *out;
    const float *query, *key, *value;
    const float *mask;  ///< added to the scaled products; null: there is none
    long long per_firing[STRC_ATTENTION_ARRAYS];  ///< elements
    strc_attention_loop queries, keys, width, values, outer[STRC_ATTENTION_OUTER];
    int outer_count;
    int batches;  ///< of all outer loops
    int firings;
    int is_causal;  ///< no query sees a key with a greater number
    float scale;
    int unused;
} strc_attention;

#endif
