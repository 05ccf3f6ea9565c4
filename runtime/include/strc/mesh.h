/// Large products whose parts several processes do, each some of them. All processes run the same program on the same input, so all come
/// to the same products in the same order, and each has the whole result behind one. What the parts are is said when code is made and
/// does not depend on how many processes there are, so neither do the results. docs/design/mesh.md.
#ifndef STRC_MESH_H
#define STRC_MESH_H

#include <stdint.h>

#include "strc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How the processes reach each other: two collectives, which all of them call in the same order. They return 0, or nonzero after
/// which the run ends with STRC_MESH_FAILED, and a word about it in `why`. The same error with `bytes` tells that memory has not so many.
typedef struct strc_mesh {
    void *self;
    uint32_t rank, count;
    /// `bytes` bytes of each, by rank, to `all`.
    int (*gather)(void *self, const void *own, uint64_t bytes, void *all);
    /// Block k of `bytes` bytes of `out` goes to rank k; what comes is by rank in `in`.
    int (*exchange)(void *self, const void *out, uint64_t bytes, void *in);
    const char *(*why)(void *self);
    /// In front of each steady state of a run, in all processes: nonzero: it ends. Null: only what is read and written says so.
    int (*is_over)(void *self);
} strc_mesh;

#define STRC_SPREAD_LOOPS 8

typedef enum strc_spread_sums {
    STRC_SPREAD_RESULT,  ///< parts are of the result
    /// Parts are of the sums: each gives a whole result of its own, row by row in the order of `loops`, and these are added part by
    /// part, from the first one on, in the type of the elements.
    STRC_SPREAD_FLOATS,
    STRC_SPREAD_DOUBLES,
    STRC_SPREAD_INTS,
} strc_spread_sums;

typedef struct strc_spread_loop {
    int64_t trips, step;  ///< in elements of the result
} strc_spread_loop;

/// A product in parts. Constant.
typedef struct strc_spread_plan {
    uint32_t sums;  ///< strc_spread_sums
    uint32_t element;  ///< bytes
    uint32_t stays_apart;  ///< each process needs no more than its own parts of the result
    uint32_t loop_count;
    int64_t parts;
    int64_t grain;  ///< iterations of a part; the last one may have fewer
    int64_t first;  ///< elements from the address of the result on
    strc_spread_loop split;  ///< the loop that is parted; of sums it has no step
    strc_spread_loop loops[STRC_SPREAD_LOOPS];  ///< the others of the result, outermost first
} strc_spread_plan;

/// The first part of a rank; that of rank `count` is the number of parts.
int64_t strc_spread_first(int64_t parts, uint32_t rank, uint32_t count);

#ifdef __cplusplus
}
#endif
#endif
