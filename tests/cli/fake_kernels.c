#include "fake_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "strc/contraction.h"

typedef struct array {
    char* at;
    int64_t per_firing;  ///< bytes
} array;

/// What all kernels of filters get first.
typedef struct head {
    struct {
        uint32_t state, site, node, unused;
        int64_t numbers[2];
    }* faults;
    uint32_t node, firings;
} head;

struct fake_function {
    const char* name;  ///< a part of the symbol; null: all others, which do nothing
    int arrays;  ///< of a filter
    int sizes[8];  ///< of the parameters if it is of no filter; 0: no more
    void (*perform)(const unsigned char* arguments);
};

static float* item(const array* of, uint32_t firing) {
    return (float*)(void*)(of->at + firing * of->per_firing);
}

static void read_arguments(const unsigned char* from, head* first, array* arrays, int count) {
    memcpy(first, from, sizeof *first);
    memcpy(arrays, from + sizeof *first, (size_t)count * sizeof *arrays);
}

/// out = 2 * in
static void twice(const unsigned char* arguments) {
    head first;
    array of[2];
    read_arguments(arguments, &first, of, 2);
    for (uint32_t f = 0; f < first.firings; ++f)
        for (int64_t k = 0; k < of[1].per_firing / 4; ++k)
            item(&of[1], f)[k] = 2 * item(&of[0], f)[k];
}

/// out = in + 1
static void next(const unsigned char* arguments) {
    head first;
    array of[2];
    read_arguments(arguments, &first, of, 2);
    for (uint32_t f = 0; f < first.firings; ++f)
        for (int64_t k = 0; k < of[1].per_firing / 4; ++k)
            item(&of[1], f)[k] = item(&of[0], f)[k] + 1;
}

/// out = the second item less the first one
static void change(const unsigned char* arguments) {
    head first;
    array of[3];
    read_arguments(arguments, &first, of, 3);
    const array *early = of[0].at < of[1].at ? &of[0] : &of[1],
                *late = early == &of[0] ? &of[1] : &of[0];
    for (uint32_t f = 0; f < first.firings; ++f)
        for (int64_t k = 0; k < of[2].per_firing / 4; ++k)
            item(&of[2], f)[k] = item(late, f)[k] - item(early, f)[k];
}

// out = in * (60 / (int) in[0]), in three steps: the ints, the quotient, the products

static void careful_ints(const unsigned char* arguments) {
    head first;
    array of[2];  // in, ints
    read_arguments(arguments, &first, of, 2);
    for (uint32_t f = 0; f < first.firings; ++f)
        for (int64_t k = 0; k < of[0].per_firing / 4; ++k)
            ((int*)(void*)item(&of[1], f))[k] = (int)item(&of[0], f)[k];
}

/// The only check of the program that can fail.
static void careful_quotient(const unsigned char* arguments) {
    head first;
    array of[2];  // ints, quotient
    read_arguments(arguments, &first, of, 2);
    for (uint32_t f = 0; f < first.firings; ++f) {
        const int divisor = *(int*)(void*)item(&of[0], f);
        if (divisor != 0) {
            *(int*)(void*)item(&of[1], f) = 60 / divisor;
        } else if (first.faults->state == 0) {
            first.faults->state = 2;
            first.faults->site = 0;
            first.faults->node = first.node;
        }
    }
}

static void careful_products(const unsigned char* arguments) {
    head first;
    array of[3];  // quotient, in, out
    read_arguments(arguments, &first, of, 3);
    for (uint32_t f = 0; f < first.firings; ++f)
        for (int64_t k = 0; k < of[2].per_firing / 4; ++k)
            item(&of[2], f)[k] = item(&of[1], f)[k] * (float)*(int*)(void*)item(&of[0], f);
}

static void rows(const unsigned char* arguments) {
    int64_t all[6];  // to, from, their steps, bytes, rows
    memcpy(all, arguments, sizeof all);
    for (int64_t row = 0; row < all[5]; ++row)
        memcpy((char*)(intptr_t)all[0] + row * all[2], (char*)(intptr_t)all[1] + row * all[3],
               (size_t)all[4]);
}

static int at(const strc_offsets* offsets, int i) {
    return offsets->table ? offsets->table[i] : i * offsets->step;
}

static void contract(const unsigned char* arguments) {
    strc_contraction c;
    memcpy(&c, arguments, sizeof c);
    for (int64_t which = 0; which < (int64_t)c.firings * c.batches; ++which) {
        const int firing = (int)(which / c.batches), batch = (int)(which % c.batches);
        float* out = (float*)c.out + firing * c.out_per_firing + at(&c.batch_out, batch);
        const float* a = (const float*)c.a + firing * c.a_per_firing + at(&c.batch_a, batch);
        const float* b = (const float*)c.b + firing * c.b_per_firing + at(&c.batch_b, batch);
        for (int row = 0; row < c.rows; ++row)
            for (int column = 0; column < c.columns; ++column) {
                float sum = 0;
                for (int k = 0; k < c.sums; ++k)
                    sum += a[at(&c.row_a, row) + at(&c.sum_a, k)] *
                           b[at(&c.column_b, column) + at(&c.sum_b, k)];
                for (int k = 0; k < c.addends; ++k) {
                    const strc_addend* added = &c.added[k];
                    sum += ((const float*)added->at)[firing * added->per_firing +
                                                     at(&added->batch, batch) +
                                                     at(&added->row, row) +
                                                     at(&added->column, column)];
                }
                if (c.is_bounded) sum = sum < c.low ? c.low : sum > c.high ? c.high : sum;
                out[at(&c.row_out, row) + at(&c.column_out, column)] = sum;
            }
    }
}

static void nothing(const unsigned char* arguments) { (void)arguments; }

static const fake_function functions[] = {
    {"_Twice_", 2, {0}, twice},
    {"_Next_", 2, {0}, next},
    {"_Change_", 3, {0}, change},
    {"_Careful_0", 2, {0}, careful_ints},
    {"_Careful_1", 2, {0}, careful_quotient},
    {"_Careful_2", 3, {0}, careful_products},
    {"strc_rows", 0, {8, 8, 8, 8, 8, 8}, rows},
    {"strc_tile_float", 0, {sizeof(strc_contraction)}, contract},
    {"strc_thin_float", 0, {sizeof(strc_contraction)}, contract},
    {"strc_tensor_float", 0, {sizeof(strc_contraction)}, contract},
    {"strc_dots_float", 0, {sizeof(strc_contraction)}, contract},
    {NULL, 0, {0}, nothing},
};

const fake_function* fake_kernel(const char* symbol) {
    const fake_function* each = functions;
    while (each->name && !strstr(symbol, each->name)) ++each;
    return each;
}

fake_launch fake_launch_of(const void* function, void** parameters) {
    fake_launch launch = {.function = function};
    unsigned char* to = launch.arguments;
    const fake_function* of = function;
    if (of->arrays > 0) {
        const int sizes[3] = {8, 4, 4};
        for (int k = 0; k < 3; ++k, to += sizes[k - 1]) memcpy(to, parameters[k], (size_t)sizes[k]);
        for (int k = 0; k < 2 * of->arrays; ++k, to += 8) memcpy(to, parameters[3 + k], 8);
    }
    for (int k = 0; of->sizes[k]; to += of->sizes[k++])
        memcpy(to, parameters[k], (size_t)of->sizes[k]);
    return launch;
}

void fake_perform(const fake_launch* launch) { launch->function->perform(launch->arguments); }
