/// The interface of the shared library strc_torch. Both sides must be of one version of strc, so it has no version numbers.
#ifndef STRC_TORCH_H
#define STRC_TORCH_H

#include <stddef.h>

#include "strc/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/// strc_kernel_weights_of
typedef const float *strc_torch_weights(const strc_kernel_program *, uint64_t kernel);

/// strc_provider; words about what is wrong go to `why`.
typedef void *strc_torch_open_function(const strc_kernel_program *, strc_torch_weights *, char *why,
                                       size_t size);
typedef int strc_torch_run_function(void *self, uint64_t kernel, float *result, const float *source,
                                    const float *weights);
typedef void strc_torch_close_function(void *self);

#ifdef __cplusplus
}
#endif
#endif
