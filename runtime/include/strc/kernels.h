/// Operators on tensors that a library does (docs/design/kernels.md): what they are, as plain data. Everything that such
/// a library needs is made when the program starts; a call only hands on where the operands are.
#ifndef STRC_KERNELS_H
#define STRC_KERNELS_H

#include "strc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRC_KERNEL_RANK 6
#define STRC_KERNEL_SPACE 3

typedef enum strc_kernel_provider {
    STRC_ONEDNN,
    STRC_TORCH,
    STRC_PROVIDERS,
} strc_kernel_provider;

typedef enum strc_kernel_kind {
    STRC_MATMUL,
    STRC_CONVOLUTION,
} strc_kernel_kind;

/// Extents and steps in elements, outermost dimension first; `first`: where it begins in its operand.
typedef struct strc_kernel_view {
    int64_t first;
    int64_t rank;
    int64_t extents[STRC_KERNEL_RANK];
    int64_t steps[STRC_KERNEL_RANK];
} strc_kernel_view;

/// On floats; operators/operator.h says what it means.
typedef struct strc_kernel {
    uint32_t kind;
    uint32_t is_swapped;  ///< the source is the second operand, and the weights the first one
    strc_kernel_view source, weights, result;
    int64_t strides[STRC_KERNEL_SPACE], dilations[STRC_KERNEL_SPACE];
} strc_kernel;

/// Weights, which never change. `bytes` is a pointer to the pointer if they are found when the program starts; null: there are none.
typedef struct strc_kernel_weights {
    const void *bytes;
    uint64_t is_pointer;
} strc_kernel_weights;

struct strc_kernels;
/// The functions that the runtime calls; only programs with such operators are linked with them.
typedef struct strc_kernel_calls {
    /// Loads the library and makes all operators. Null with env->device_error filled in.
    struct strc_kernels *(*open)(const strc_program *, strc_env *);
    void (*close)(struct strc_kernels *);
} strc_kernel_calls;
extern const strc_kernel_calls strc_kernel_functions;

typedef struct strc_kernel_program {
    const strc_kernel_calls *calls;  ///< strc_kernel_functions
    const char *library;  ///< a path, or a name beside the executable (STRC_BESIDE); ends in NUL
    const strc_kernel *kernels;
    const strc_kernel_weights *weights;  ///< of the kernels, in order
    uint64_t kernel_count;
    uint32_t provider;  ///< strc_kernel_provider
    uint32_t unused;
} strc_kernel_program;

#ifdef __cplusplus
}
#endif
#endif
