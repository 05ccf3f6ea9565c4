// Several handles in one call.
#include "handle.h"
#include "strc/lanes.h"

/// The arguments of a call.
typedef struct strc_handles {
    strc_library *const *handles;
    const unsigned char *const *in;
    unsigned char *const *out;
    size_t *consumed, *produced;
    int status;  ///< of the first handle that failed
} strc_handles;

static strc_flow *flow_of(void *of, size_t k) {
    const strc_handles *call = of;
    return call->handles[k] ? call->handles[k]->flow : NULL;
}

static void alone(void *of, strc_stretch *part) {
    strc_handles *call = of;
    strc_library *self = call->handles[part->k];
    const unsigned char *in = call->in ? call->in[part->k] : NULL;
    unsigned char *out = call->out ? call->out[part->k] : NULL;
    if (in && self) in += part->behind_in * self->facts.in_size;
    if (out && self) out += part->behind_out * self->facts.out_size;
    const int status = strc_library_process(self, in, part->in_count, out, part->out_count,
                                            &part->taken, &part->given);
    if (call->status == STRC_LIBRARY_OK) call->status = status;
}

static void done(void *of, const strc_stretch *all, int together) {
    const strc_handles *call = of;
    if (together) call->handles[all->k]->message[0] = '\0';
    if (call->consumed) call->consumed[all->k] = all->taken;
    if (call->produced) call->produced[all->k] = all->given;
}

STRC_EXPORTED int strc_library_process_many(strc_library *const *handles, size_t count,
                                            const void *const *in, size_t in_count,
                                            void *const *out, size_t out_capacity, size_t *consumed,
                                            size_t *produced) {
    if (!handles && count != 0) return STRC_LIBRARY_CALL;
    strc_handles call = {.handles = handles,
                         .in = (const unsigned char *const *)in,
                         .out = (unsigned char *const *)out,
                         .consumed = consumed,
                         .produced = produced};
    strc_many_process(&(strc_many){.self = &call,
                                   .flow = flow_of,
                                   .alone = alone,
                                   .done = done,
                                   .count = count,
                                   .in = call.in,
                                   .out = call.out,
                                   .in_count = in_count,
                                   .out_capacity = out_capacity});
    return call.status;
}
