// Operators by oneDNN. When a program starts, each gets its primitive, weights that never change are brought into the order
// that this likes best, and all memory is taken; operands in another order are copied before and after a call.
#include "onednn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "provider.h"

enum { kOperands = 3, kAlignment = 64, kAllDimensions = 12 };
enum { kSource, kWeights, kResult };

/// `given`: as the program has it; `used`: as the primitive takes it, the same if nothing is copied.
typedef struct operand {
    nn_memory given, used;
    nn_primitive copy;  ///< between them; null: none
    uint64_t at;  ///< of `used`, in the memory that all operators share
    void *packed;  ///< weights that never change; owned
} operand;

typedef struct kernel {
    nn_primitive primitive;
    operand operands[kOperands];
    nn_memory scratch;
    uint64_t scratch_at;
} kernel;

typedef struct provider {
    const strc_onednn *nn;
    nn_engine engine;
    nn_stream stream;
    nn_attributes attributes;
    kernel *kernels;
    uint64_t count;
    unsigned char *shared;  ///< one operator after the other computes in it
    uint64_t shared_bytes;
} provider;

static char last_words[200];

static uint64_t aligned(uint64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

static void *allocate(uint64_t bytes) {
    return aligned_alloc(kAlignment, bytes ? aligned(bytes) : kAlignment);
}

// ---- one operator

static int create_view(const strc_onednn *nn, nn_view *made, const strc_kernel_view *from) {
    return nn->view_create(made, (int)from->rank, from->extents, NN_FLOAT, from->steps);
}

/// In whatever order suits.
static int create_free_view(const strc_onednn *nn, nn_view *made, const strc_kernel_view *from) {
    return nn->view_create_any(made, (int)from->rank, from->extents, NN_FLOAT, NN_ANY);
}

static int choose(const provider *self, const strc_kernel *what, nn_view views[kOperands],
                  nn_choice *made) {
    const strc_onednn *nn = self->nn;
    if (what->kind == STRC_MATMUL)
        return nn->matmul(made, self->engine, views[kSource], views[kWeights], NULL, views[kResult],
                          self->attributes);
    int64_t dilations[STRC_KERNEL_SPACE], none[STRC_KERNEL_SPACE] = {0};
    for (int k = 0; k < STRC_KERNEL_SPACE; ++k) dilations[k] = what->dilations[k] - 1;
    return nn->convolution(made, self->engine, NN_INFERENCE, NN_DIRECT, views[kSource],
                           views[kWeights], NULL, views[kResult], what->strides, dilations, none,
                           none, self->attributes);
}

static int create_copy(const provider *self, nn_view from, nn_view to, nn_primitive *made) {
    nn_choice choice = NULL;
    int failed = self->nn->reorder(&choice, from, self->engine, to, self->engine, NULL);
    if (!failed) failed = self->nn->primitive_create(made, choice);
    if (choice) self->nn->choice_destroy(choice);
    return failed;
}

/// `at`: the end of what the operator needs of the shared memory.
static int prepare_operand(const provider *self, operand *one, nn_view given, nn_view used,
                           int is_result, uint64_t *at) {
    const strc_onednn *nn = self->nn;
    if (nn->memory_create(&one->given, given, self->engine, NULL) != 0) return -1;
    if (nn->view_equal(given, used)) {
        one->used = one->given;
        return 0;
    }
    if (nn->memory_create(&one->used, used, self->engine, NULL) != 0) return -1;
    one->at = *at;
    *at += aligned(nn->view_bytes(used));
    return create_copy(self, is_result ? used : given, is_result ? given : used, &one->copy);
}

static int execute(const provider *self, nn_primitive what, const nn_argument *arguments,
                   int count) {
    return self->nn->primitive_execute(what, self->stream, count, arguments);
}

static int run_copy(const provider *self, const operand *one, int is_result) {
    const nn_argument arguments[] = {{NN_SOURCE, is_result ? one->used : one->given},
                                     {NN_RESULT, is_result ? one->given : one->used}};
    return one->copy ? execute(self, one->copy, arguments, 2) : 0;
}

/// Reorders weights, which never change, once, before the program runs.
static int pack(const provider *self, operand *one, const float *weights, uint64_t bytes) {
    const strc_onednn *nn = self->nn;
    if (nn->memory_place(one->given, (void *)(uintptr_t)weights) != 0) return -1;
    if (!one->copy) return 0;
    one->packed = allocate(bytes);
    if (!one->packed || nn->memory_place(one->used, one->packed) != 0) return -1;
    if (run_copy(self, one, 0) != 0) return -1;
    nn->primitive_destroy(one->copy);
    one->copy = NULL;
    return 0;
}

static int prepare(provider *self, const strc_kernel *what, const float *weights, kernel *made) {
    const strc_onednn *nn = self->nn;
    const strc_kernel_view *given[kOperands] = {&what->source, &what->weights, &what->result};
    static const int queries[kOperands] = {NN_SOURCE_VIEW, NN_WEIGHTS_VIEW, NN_RESULT_VIEW};
    nn_view views[kOperands] = {NULL}, wanted[kOperands] = {NULL};
    nn_choice choice = NULL;
    uint64_t at = 0;
    int failed = 0;
    for (int k = 0; k < kOperands && !failed; ++k) {
        const int is_free = what->kind == STRC_CONVOLUTION || (k == kWeights && weights);
        failed = create_view(nn, &views[k], given[k]);
        if (!failed) failed = (is_free ? create_free_view : create_view)(nn, &wanted[k], given[k]);
    }
    if (!failed) failed = choose(self, what, wanted, &choice);
    if (!failed) failed = nn->primitive_create(&made->primitive, choice);
    for (int k = 0; k < kOperands && !failed; ++k) {
        nn_view used = nn->choice_view(choice, queries[k], 0);
        const int is_packed = k == kWeights && weights;
        uint64_t aside = 0;
        failed = prepare_operand(self, &made->operands[k], views[k], used, k == kResult,
                                 is_packed ? &aside : &at);
        if (!failed && is_packed)
            failed = pack(self, &made->operands[k], weights, nn->view_bytes(used));
    }
    if (!failed) {
        nn_view scratch = nn->choice_view(choice, NN_SCRATCH_VIEW, 0);
        made->scratch_at = at;
        at += aligned(nn->view_bytes(scratch));
        failed = nn->memory_create(&made->scratch, scratch, self->engine, NULL);
    }
    if (at > self->shared_bytes) self->shared_bytes = at;
    for (int k = 0; k < kOperands; ++k) {
        if (views[k]) nn->view_destroy(views[k]);
        if (wanted[k]) nn->view_destroy(wanted[k]);
    }
    if (choice) nn->choice_destroy(choice);
    return failed;
}

/// Now that there is the memory that all share.
static int place(const provider *self, kernel *made) {
    int failed = self->nn->memory_place(made->scratch, self->shared + made->scratch_at);
    for (int k = 0; k < kOperands && !failed; ++k) {
        operand *one = &made->operands[k];
        if (one->copy) failed = self->nn->memory_place(one->used, self->shared + one->at);
    }
    return failed;
}

// ---- beginning and end

static void close_onednn(void *of) {
    provider *self = of;
    const strc_onednn *nn = self->nn;
    for (uint64_t k = 0; k < self->count; ++k) {
        kernel *one = &self->kernels[k];
        for (int i = 0; i < kOperands; ++i) {
            operand *each = &one->operands[i];
            if (each->used && each->used != each->given) nn->memory_destroy(each->used);
            if (each->given) nn->memory_destroy(each->given);
            if (each->copy) nn->primitive_destroy(each->copy);
            free(each->packed);
        }
        if (one->scratch) nn->memory_destroy(one->scratch);
        if (one->primitive) nn->primitive_destroy(one->primitive);
    }
    if (self->attributes) nn->attributes_destroy(self->attributes);
    if (self->stream) nn->stream_destroy(self->stream);
    if (self->engine) nn->engine_destroy(self->engine);
    free(self->kernels);
    free(self->shared);
    free(self);
}

static const char *begin(provider *self, const strc_kernel_program *program) {
    const strc_onednn *nn = self->nn;
    self->kernels = calloc(program->kernel_count, sizeof *self->kernels);
    if (!self->kernels) return "there is not enough memory";
    self->count = program->kernel_count;
    if (nn->engine_create(&self->engine, NN_CPU, 0) != 0 ||
        nn->stream_create(&self->stream, self->engine, NN_IN_ORDER) != 0 ||
        nn->attributes_create(&self->attributes) != 0 ||
        nn->attributes_scratch(self->attributes, NN_SCRATCH_OF_USER) != 0)
        return "oneDNN cannot be started";
    for (uint64_t k = 0; k < self->count; ++k) {
        const int status = prepare(self, &program->kernels[k], strc_kernel_weights_of(program, k),
                                   &self->kernels[k]);
        if (status == 0) continue;
        snprintf(last_words, sizeof last_words, "oneDNN does not take operator %d (status %d)",
                 (int)k, status);
        return last_words;
    }
    if (!(self->shared = allocate(self->shared_bytes))) return "there is not enough memory";
    for (uint64_t k = 0; k < self->count; ++k)
        if (place(self, &self->kernels[k]) != 0) return "oneDNN cannot be started";
    return NULL;
}

/// Limits the OpenMP library to one thread. Returns how many it had, as the process may use it, too.
static int use_one_thread(const strc_onednn *nn) {
    const int before = nn->threads();
    if (before != 1) nn->set_threads(1);
    return before;
}

static void *open_onednn(const strc_kernel_program *program, const char *library,
                         const char **why) {
    const strc_onednn *nn = strc_onednn_get(library, why);
    provider *self = nn ? calloc(1, sizeof *self) : NULL;
    if (!self) return NULL;
    self->nn = nn;
    const int threads = use_one_thread(nn);
    *why = begin(self, program);
    if (threads != 1) nn->set_threads(threads);
    if (!*why) return self;
    close_onednn(self);
    return NULL;
}

// ---- a call

static int run(const provider *self, const kernel *one, void *const places[kOperands]) {
    for (int k = 0; k < kOperands; ++k)
        if (places[k] && self->nn->memory_place(one->operands[k].given, places[k]) != 0) return -1;
    for (int k = 0; k < kResult; ++k)
        if (run_copy(self, &one->operands[k], 0) != 0) return -1;
    const nn_argument arguments[] = {{NN_SOURCE, one->operands[kSource].used},
                                     {NN_WEIGHTS, one->operands[kWeights].used},
                                     {NN_RESULT, one->operands[kResult].used},
                                     {NN_SCRATCH, one->scratch}};
    if (execute(self, one->primitive, arguments, 4) != 0) return -1;
    return run_copy(self, &one->operands[kResult], 1);
}

static int run_onednn(void *of, uint64_t kernel, float *result, const float *source,
                      const float *weights) {
    const provider *self = of;
    void *const places[kOperands] = {(void *)(uintptr_t)source, (void *)(uintptr_t)weights, result};
    const int threads = use_one_thread(self->nn);
    const int failed = run(self, &self->kernels[kernel], places);
    if (threads != 1) self->nn->set_threads(threads);
    return failed;
}

const strc_provider strc_onednn_provider = {"STRC_ONEDNN_LIB", open_onednn, run_onednn,
                                            close_onednn};
