// Operators that a library does. Only programs with such are linked with this.
#include "strc/kernels.h"

#include <stdio.h>
#include <stdlib.h>

#include "provider.h"
#include "run.h"
#include "strc/beside.h"

typedef struct strc_kernels {
    const strc_kernel_program *program;
    const strc_provider *provider;
    void *self;
} strc_kernels;

static const strc_provider *const providers[STRC_PROVIDERS] = {&strc_onednn_provider,
                                                               &strc_torch_provider};

/// `variable`: the one of the environment that names the library, or null.
static void fail(strc_env *env, const char *library, const char *variable, const char *why) {
    strc_device_error *error = &env->device_error;
    *error = (strc_device_error){.failure = STRC_KERNELS_FAILED};
    snprintf(error->text, sizeof error->text, "%s", library);
    snprintf(error->why, sizeof error->why, "%s%s%s", variable ? variable : "",
             variable ? ": " : "", why);
}

const float *strc_kernel_weights_of(const strc_kernel_program *program, uint64_t kernel) {
    const strc_kernel_weights *weights = &program->weights[kernel];
    if (!weights->bytes) return NULL;
    const void *bytes = weights->is_pointer ? *(const void *const *)weights->bytes : weights->bytes;
    return (const float *)bytes + program->kernels[kernel].weights.first;
}

static strc_kernels *open_kernels(const strc_program *whole, strc_env *env) {
    const strc_kernel_program *program = whole->kernels;
    const strc_provider *provider = providers[program->provider];
    char path[STRC_OWN_PATH];
    const char *given = provider->variable ? getenv(provider->variable) : NULL;
    const char *library = given && *given ? given : strc_own_file(path, program->library);
    const char *why = "there is not enough memory";
    strc_kernels *self = malloc(sizeof *self);
    void *made = self ? provider->open(program, library, &why) : NULL;
    if (!made) {
        fail(env, library, library == given ? provider->variable : NULL, why);
        free(self);
        return NULL;
    }
    *self = (strc_kernels){program, provider, made};
    return self;
}

static void close_kernels(strc_kernels *self) {
    if (!self) return;
    self->provider->close(self->self);
    free(self);
}

const strc_kernel_calls strc_kernel_functions = {open_kernels, close_kernels};

void strc_kernel_run(strc_env *env, int32_t kernel, float *out, const float *a, const float *b) {
    const strc_kernels *self = env->kernels;
    const strc_kernel *what = &self->program->kernels[kernel];
    const float *source = what->is_swapped ? b : a, *weights = what->is_swapped ? a : b;
    const int failed =
        self->provider->run(self->self, (uint64_t)kernel, out + what->result.first,
                            source + what->source.first, weights + what->weights.first);
    if (!failed) return;
    fail(env, self->program->library, NULL, "an operator failed");
    strc_leave(env, STRC_END_DEVICE);
}
