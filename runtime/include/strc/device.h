/// The part of a program that runs on a CUDA device: what has been compiled for it, and what is to be launched,
/// as plain data (docs/design/cuda.md). The state of a program lies on the device at the same offsets as in the
/// host's memory; what belongs to whom was decided when the program was compiled.
#ifndef STRC_DEVICE_H
#define STRC_DEVICE_H

#include "strc/attention.h"
#include "strc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The beginning of the note of `--device auto`; the reason follows.
#define STRC_NO_DEVICE "'--device auto' leaves all of it to the processor, since "

/// Loops around an operation, those of the plan and those of a body together.
#define STRC_DEVICE_DEPTH 6

/// Threads of a block that do iterations of a LAUNCH.
#define STRC_DEVICE_THREADS 256

/// Blocks of device memory.
typedef enum strc_device_memory {
    STRC_DEVICE_STATE,  ///< laid out as the host's
    STRC_DEVICE_SCRATCH,  ///< what bodies compute with
    STRC_DEVICE_WEIGHTS,  ///< stored arrays
} strc_device_memory;

/// Where something lies: at + firing * per_firing + sum of iteration(d) * per_iteration[d], bytes.
typedef struct strc_device_address {
    int64_t at;
    int64_t per_firing;
    int64_t per_iteration[STRC_DEVICE_DEPTH];
    uint32_t memory;  ///< strc_device_memory
    uint32_t unused;
} strc_device_address;

typedef enum strc_device_kind {
    STRC_DEVICE_LAUNCH,  ///< kernel `what`: its arrays are the places
    STRC_DEVICE_CONTRACT,  ///< contraction `what`; places: result, a, b, addends
    STRC_DEVICE_ATTEND,  ///< attention `what`; places: result, queries, keys, values, mask
    STRC_DEVICE_COPY,  ///< `count` rows of `bytes` bytes to the first place from the second
    STRC_DEVICE_ZERO,  ///< `count` rows of `bytes` bytes at the place
    STRC_DEVICE_UPLOAD,  ///< `bytes` bytes of the state, from the host
    STRC_DEVICE_DOWNLOAD,  ///< to the host
    STRC_DEVICE_REPEAT,  ///< the `what` operations behind it, `count` times
    STRC_DEVICE_PERSIST,  ///< kernel `what`, all of whose `threads` blocks are at work at once for each firing, in place of
    ///< the `skips` operations behind it; if they do not fit, these
} strc_device_kind;

typedef struct strc_device_op {
    uint32_t kind;
    uint32_t what;
    uint32_t node;  ///< of a firing
    uint32_t first_address, address_count;
    uint32_t first_iteration,
        iteration_count;  ///< LAUNCH, PERSIST: the loops whose iterations it gets
    uint32_t skips;  ///< PERSIST
    uint64_t count;  ///< LAUNCH, CONTRACT, ATTEND, PERSIST: firings, all at once
    uint64_t
        threads;  ///< LAUNCH: of one firing; 0: neighbouring threads do neighbouring firings, each all of its own
    uint64_t bytes;
} strc_device_op;

/// ir/contraction.h: loops are those without a step in b (rows), then those without one in a (columns), then those with
/// steps in all three (batch), then those that are summed over.
typedef struct strc_device_contraction {
    uint32_t element;  ///< strc_device_element
    uint32_t first_loop;
    uint32_t rows, columns, batch, sums;  ///< how many loops of each kind
    uint32_t addends;  ///< arrays whose elements are added to the sums
    uint32_t
        is_bounded;  ///< what is less than `low` then becomes it, and what is greater than `high`
    float low, high;
    uint32_t is_for_tensor_cores;  ///< which are chosen if its sizes are worth it
    uint32_t unused;
} strc_device_contraction;

/// Of the factors. Sums of half and bfloat16, results and addends are floats, else they are as the factors.
typedef enum strc_device_element {
    STRC_DEVICE_FLOAT,
    STRC_DEVICE_DOUBLE,
    STRC_DEVICE_INT,
    STRC_DEVICE_HALF,
    STRC_DEVICE_BFLOAT16,
} strc_device_element;

typedef struct strc_device_loop {
    int32_t trips, out, a, b;  ///< steps, in elements
    int32_t added[2];
} strc_device_loop;

/// ir/attention.h: rows of strc_device_program.attention_loops from `first_loop` on are the first elements, queries, keys,
/// width, values, and the loops around.
typedef struct strc_device_attention {
    uint32_t first_loop, outer_count;
    uint32_t is_causal;
    float scale;
} strc_device_attention;

/// Operations between two pieces of work of the host. Loops of the plan around it are `depth`. If it has several parts,
/// uploads begin one: they may go on during the work of the part before, and its downloads during that of the next.
typedef struct strc_device_segment {
    uint32_t first_op, op_count;
    uint32_t depth;
    uint32_t parts;
} strc_device_segment;

/// A stored array; `bytes` is a pointer to the pointer if the array is found when the program starts.
typedef struct strc_device_weight {
    const void *bytes;
    uint64_t size, at;
    uint64_t is_pointer;
} strc_device_weight;

/// A range of the state, in bytes.
typedef struct strc_device_range {
    uint64_t at, size;
} strc_device_range;

struct strc_device;
/// The functions that the runtime calls; only programs with a part on a device are linked with them.
typedef struct strc_device_calls {
    /// Is there such a device? 0, or -1 with the error filled in. Starts nothing on it.
    int (*probe)(int32_t ordinal, strc_device_error *);
    /// Loads code and weights, and takes all memory that there will be. Null with env->device_error filled in.
    struct strc_device *(*open)(const strc_program *, strc_env *, void *state);
    void (*close)(struct strc_device *);
    /// For transactions: keeps and brings back what the device alone knows. 0, or -1 with env->device_error.
    int (*save)(struct strc_device *);
    int (*restore)(struct strc_device *);
} strc_device_calls;
extern const strc_device_calls strc_device_functions;

typedef struct strc_device_program {
    const strc_device_calls *calls;  ///< strc_device_functions
    const char *code;  ///< PTX, ends in NUL
    const void *library;  ///< the kernels of stdlib/native/cuda, as cuModuleLoadData takes them
    const char *names;  ///< of kernels, each ends in NUL
    const uint32_t *kernels;  ///< where a kernel's name begins
    const strc_device_op *ops;
    const strc_device_address *places;
    const strc_device_contraction *contractions;
    const strc_device_loop *loops;
    const strc_device_attention *attentions;
    const strc_attention_loop *attention_loops;
    const strc_device_segment *segments;
    const strc_device_weight *weights;
    const strc_device_range *kept;  ///< what the device alone knows between two phases
    const strc_device_range *shared;  ///< what is copied to and fro; ascending
    uint64_t kernel_count, op_count, contraction_count, loop_count, attention_count, segment_count;
    uint64_t weight_count, kept_count, shared_count;
    uint64_t scratch_size, weights_size;
    int32_t ordinal;  ///< of the device
    uint32_t is_fast;  ///< --fast-math
    uint32_t most[3];  ///< by strc_device_memory: who needs most of it; STRC_NOBODY
    uint32_t unused;
} strc_device_program;

/// Where the blocks of a PERSIST operation that do one firing wait for each other; nobody has arrived before and after it.
typedef struct strc_device_barrier {
    uint32_t arrived;  ///< blocks, of those that wait now
    uint32_t passed;  ///< times that all have come, ever
} strc_device_barrier;

/// Kernels get a pointer to this instead of strc_env. The first check that fails stores its site here.
typedef struct strc_device_env {
    uint32_t state;  ///< 0: nothing has failed; 1: somebody writes; 2: written
    uint32_t site, node, unused;
    int64_t numbers[2];
} strc_device_env;

#ifdef __cplusplus
}
#endif
#endif
