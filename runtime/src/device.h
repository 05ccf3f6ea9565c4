/// A device that runs a part of a program. Private to the runtime.
#ifndef STRC_DEVICE_PRIVATE_H
#define STRC_DEVICE_PRIVATE_H

#include "driver.h"
#include "strc/contraction.h"
#include "strc/device.h"

/// How a contraction is done.
typedef enum strc_way {
    STRC_WAY_TILE,
    STRC_WAY_THIN,
    STRC_WAY_DOTS,
    STRC_WAY_TENSOR,  ///< tiles on tensor cores, of some elements alone
    STRC_WAYS
} strc_way;

/// A CONTRACT operation, ready but for the addresses of its arrays.
typedef struct strc_product {
    strc_contraction how;
    strc_way way;
    uint32_t element;
    unsigned grid[3];
    int is_swapped;  ///< a and b have changed places
    int is_for_tensor_cores;  ///< it may be done by STRC_WAY_TENSOR
} strc_product;

/// Kernels for attention, by how wide queries and values may be.
typedef enum strc_attention_width {
    STRC_ATTENTION_32,
    STRC_ATTENTION_64,
    STRC_ATTENTION_128,
    STRC_ATTENTION_WIDTHS
} strc_attention_width;

enum { STRC_ELEMENTS = STRC_DEVICE_BFLOAT16 + 1 };

typedef struct strc_device {
    const strc_driver *driver;
    const strc_device_program *program;
    strc_env *env;
    char *state;  ///< the host's
    uint64_t state_size;
    cu_device device;
    cu_handle context, stream, code, library;
    cu_handle up, down, event;  ///< of copies beside the work; null: no segment is in parts
    const strc_device_segment *segment;  ///< that runs
    int is_cut;  ///< its copies have streams of their own
    uint32_t node, last;  ///< who is at work, for errors; or the first and the last of several
    cu_handle *kernels;
    int *fits;  ///< by kernel: blocks that are at work at the same time; 0: nobody has asked yet
    cu_handle ways[STRC_ELEMENTS][STRC_WAYS], gathers[STRC_ELEMENTS], rows;
    cu_handle attends[2][STRC_ATTENTION_WIDTHS];  ///< tiles of few queries, and of many
    cu_address memories[3];  ///< by strc_device_memory
    cu_address tables, partial, faults, shadow;
    cu_address
        barriers;  ///< strc_device_barrier of each firing that persistent kernels do at a time
    strc_product *products;  ///< by operation; of those that are none it does not matter
    cu_handle *graphs;  ///< by segment, once they have been captured
    unsigned char *has_run;  ///< by segment
    strc_device_env *fault;  ///< what came back of the device's, in memory that it can reach
    strc_device_range *pinned;  ///< of the host's state, whole pages
    uint64_t pinned_count;
    int is_pinned;  ///< all that is copied to and fro
    int processors;
    int64_t iterations[STRC_DEVICE_DEPTH];
} strc_device;

/// Everything is fine, or env->device_error says what is not: nonzero then.
int strc_device_check(strc_device *, cu_result, const char *what);
/// Whom an error from now on is about; STRC_NOBODY.
void strc_device_at_work(strc_device *, uint32_t node, uint32_t last);
/// Memory, or 0 after filling in env->device_error; 0 bytes take 1.
cu_address strc_device_allocate(strc_device *, uint64_t bytes, const char *what);

/// Tables and ways of all contractions. 0, or -1 with env->device_error.
int strc_products_prepare(strc_device *);
/// `at`: the places of the operation.
int strc_products_launch(strc_device *, const strc_device_op *, const cu_address *at);

/// Attention; `at`: the places of the operation.
int strc_attention_launch(strc_device *, const strc_device_op *, const cu_address *at);

#endif
