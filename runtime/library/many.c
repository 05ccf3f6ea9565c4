// Several handles in one call: those that stand at the same place in lanes, the others one by one.
#include "handle.h"
#include "strc/lanes.h"

enum { kFewest = 3 };  ///< instances for which lanes are worth it

/// The arguments of a call.
typedef struct strc_many {
    strc_library *const *handles;
    const unsigned char *const *in;
    unsigned char *const *out;
    size_t in_count, out_capacity;
    size_t *consumed, *produced;
    int status;  ///< of the first handle that failed
} strc_many;

/// Handles that go on together.
typedef struct strc_group {
    size_t members[STRC_MOST_LANES];  ///< numbers of handles
    strc_lane lanes[STRC_MOST_LANES];
    size_t count;
} strc_group;

/// What there is to say of handle `k`.
static void conclude(strc_many *call, size_t k, int status, size_t taken, size_t given) {
    if (call->status == STRC_LIBRARY_OK) call->status = status;
    if (call->consumed) call->consumed[k] = taken;
    if (call->produced) call->produced[k] = given;
}

/// The rest of what handle `k` has to do, behind so many items.
static void go_on(strc_many *call, size_t k, size_t taken, size_t given) {
    const strc_library *self = call->handles[k];
    const unsigned char *in = call->in ? call->in[k] : NULL;
    unsigned char *out = call->out ? call->out[k] : NULL;
    size_t more_taken = 0, more_given = 0;
    if (in && self) in += taken * self->facts.in_size;
    if (out && self) out += given * self->facts.out_size;
    const int status = strc_library_process(call->handles[k], in, call->in_count - taken, out,
                                            call->out_capacity - given, &more_taken, &more_given);
    conclude(call, k, status, taken + more_taken, given + more_given);
}

/// What each does better without the others; how far all are then.
static void go_on_alone(strc_many *call, strc_group *group, size_t *taken, size_t *given) {
    strc_lanes_alone(group->lanes[0].flow, call->in_count, call->out_capacity, taken, given);
    for (size_t k = 0; *taken + *given != 0 && k < group->count; ++k) {
        strc_lane *lane = &group->lanes[k];
        (void)strc_library_process(call->handles[group->members[k]], lane->in, *taken, lane->out,
                                   *given, &lane->taken, &lane->given);  // no check can fail
    }
}

static void go_on_together(strc_many *call, strc_group *group) {
    size_t taken = 0, given = 0;
    if (group->count >= kFewest) {
        go_on_alone(call, group, &taken, &given);
        strc_lanes_process(group->lanes, group->count, call->in_count - taken,
                           call->out_capacity - given);
    }
    for (size_t k = 0; k < group->count; ++k) {
        const strc_lane *lane = &group->lanes[k];
        const size_t member = group->members[k];
        if (!strc_lanes_done(lane, call->in_count)) {
            go_on(call, member, lane->taken, lane->given);
            continue;
        }
        call->handles[member]->message[0] = '\0';
        conclude(call, member, STRC_LIBRARY_OK, lane->taken, lane->given);
    }
    group->count = 0;
}

static int has_arrays(const strc_many *call, size_t k) {
    return (call->in_count == 0 || (call->in && call->in[k])) &&
           (call->out_capacity == 0 || (call->out && call->out[k]));
}

static int fits(const strc_many *call, const strc_group *group, size_t k) {
    const strc_library *self = call->handles[k];
    if (!self || !has_arrays(call, k)) return 0;
    return strc_lanes_fit(self->flow, group->count == 0 ? self->flow : group->lanes[0].flow);
}

static void add(strc_group *group, const strc_many *call, size_t k) {
    group->members[group->count] = k;
    group->lanes[group->count++] = (strc_lane){.flow = call->handles[k]->flow,
                                               .in = call->in ? call->in[k] : NULL,
                                               .out = call->out ? call->out[k] : NULL};
}

STRC_EXPORTED int strc_library_process_many(strc_library *const *handles, size_t count,
                                            const void *const *in, size_t in_count,
                                            void *const *out, size_t out_capacity, size_t *consumed,
                                            size_t *produced) {
    if (!handles && count != 0) return STRC_LIBRARY_CALL;
    strc_many call = {.handles = handles,
                      .in = (const unsigned char *const *)in,
                      .out = (unsigned char *const *)out,
                      .in_count = in_count,
                      .out_capacity = out_capacity,
                      .consumed = consumed,
                      .produced = produced};
    strc_group group = {.count = 0};
    for (size_t k = 0; k < count; ++k) {
        if (!fits(&call, &group, k)) {
            go_on(&call, k, 0, 0);
            continue;
        }
        add(&group, &call, k);
        if (group.count == handles[k]->facts.program->lanes->count) go_on_together(&call, &group);
    }
    go_on_together(&call, &group);
    return call.status;
}
