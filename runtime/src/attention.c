// Attention on a device (strc/attention.h): which kernel does it, and with how many blocks of threads.
#include "device.h"

enum {
    kMany = 64,  ///< queries of a tile, if there are tiles enough
    kManyWide = 32,  ///< of the widest
    kFew = 16,
    kMostGrid = 65535,
};

static void place(strc_attention *a, const strc_device_op *op, const strc_device_address *places,
                  const strc_attention_loop *first, const cu_address *at) {
    cu_address begin[STRC_ATTENTION_ARRAYS] = {0};
    for (uint32_t k = 0; k < op->address_count; ++k) {
        begin[k] = at[k] + (cu_address)((int64_t)first->step[k] * (int64_t)sizeof(float));
        a->per_firing[k] = places[k].per_firing / (int64_t)sizeof(float);
    }
    a->out = (float *)(uintptr_t)begin[STRC_ATTENTION_OUT];
    a->query = (const float *)(uintptr_t)begin[STRC_ATTENTION_QUERY];
    a->key = (const float *)(uintptr_t)begin[STRC_ATTENTION_KEY];
    a->value = (const float *)(uintptr_t)begin[STRC_ATTENTION_VALUE];
    a->mask = (const float *)(uintptr_t)begin[STRC_ATTENTION_MASK];
}

static strc_attention_width width_of(const strc_attention *a) {
    const int most = a->width.trips > a->values.trips ? a->width.trips : a->values.trips;
    return most <= 32 ? STRC_ATTENTION_32 : most <= 64 ? STRC_ATTENTION_64 : STRC_ATTENTION_128;
}

int strc_attention_launch(strc_device *d, const strc_device_op *op, const cu_address *at) {
    const strc_device_attention *from = &d->program->attentions[op->what];
    const strc_attention_loop *loops = d->program->attention_loops + from->first_loop;
    strc_attention a = {.queries = loops[1],
                        .keys = loops[2],
                        .width = loops[3],
                        .values = loops[4],
                        .outer_count = (int)from->outer_count,
                        .batches = 1,
                        .firings = (int)op->count,
                        .is_causal = (int)from->is_causal,
                        .scale = from->scale};
    for (int k = 0; k < a.outer_count; ++k) {
        a.outer[k] = loops[5 + k];
        a.batches *= a.outer[k].trips;
    }
    place(&a, op, d->program->places + op->first_address, loops, at);
    const strc_attention_width width = width_of(&a);
    const int many = width == STRC_ATTENTION_128 ? kManyWide : kMany;
    const int64_t all = (int64_t)a.batches * a.firings;
    const int has_many = (a.queries.trips + many - 1) / many * all >= d->processors;
    const int rows = has_many ? many : kFew;
    void *parameters[] = {&a};
    return strc_device_check(
        d,
        d->driver->launch(d->attends[has_many][width],
                          (unsigned)((a.queries.trips + rows - 1) / rows),
                          all > kMostGrid ? kMostGrid : (unsigned)all, 1, STRC_ATTENTION_THREADS, 1,
                          1, 0, d->stream, parameters, NULL),
        "began attention");
}
