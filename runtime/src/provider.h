/// A library that does operators. Private to the runtime.
#ifndef STRC_PROVIDER_H
#define STRC_PROVIDER_H

#include "strc/kernels.h"

typedef struct strc_provider {
    const char *variable;  ///< of the environment, which names another library; null: none does
    /// Makes all operators; null, with a word about it at `why`, which stays. Nothing is made later on.
    void *(*open)(const strc_kernel_program *, const char *library, const char **why);
    /// 0: fine. Operands are where their views begin.
    int (*run)(void *self, uint64_t kernel, float *result, const float *source,
               const float *weights);
    void (*close)(void *self);
} strc_provider;

extern const strc_provider strc_onednn_provider, strc_torch_provider;

/// The bytes of what never changes, where its view begins; null: it does change.
const float *strc_kernel_weights_of(const strc_kernel_program *, uint64_t kernel);

#endif
