// Several instances in one call: those that stand at the same place in lanes, the others one by one.
#include "strc/lanes.h"

enum { kFewest = 3 };  ///< instances for which lanes are worth it

/// Instances that go on together.
typedef struct strc_group {
    size_t members[STRC_MOST_LANES];  ///< their numbers
    strc_lane lanes[STRC_MOST_LANES];
    size_t count;
} strc_group;

static void conclude(const strc_many *call, size_t k, size_t taken, size_t given, int together) {
    const strc_stretch all = {.k = k, .taken = taken, .given = given};
    call->done(call->self, &all, together);
}

/// The rest of what instance `k` has to do, behind so many items.
static void go_on(const strc_many *call, size_t k, size_t taken, size_t given) {
    strc_stretch rest = {.k = k,
                         .behind_in = taken,
                         .behind_out = given,
                         .in_count = call->in_count - taken,
                         .out_count = call->out_capacity - given};
    call->alone(call->self, &rest);
    conclude(call, k, taken + rest.taken, given + rest.given, 0);
}

/// What each does better without the others; how far all are then.
static void go_on_alone(const strc_many *call, strc_group *group, size_t *taken, size_t *given) {
    strc_lanes_alone(group->lanes[0].flow, call->in_count, call->out_capacity, taken, given);
    for (size_t k = 0; *taken + *given != 0 && k < group->count; ++k) {
        strc_lane *lane = &group->lanes[k];
        strc_stretch first = {.k = group->members[k], .in_count = *taken, .out_count = *given};
        call->alone(call->self, &first);
        lane->taken = first.taken;
        lane->given = first.given;
    }
}

/// Without those that a check has ended.
static void drop_failed(const strc_many *call, strc_group *group) {
    size_t left = 0;
    for (size_t k = 0; k < group->count; ++k) {
        const strc_lane *lane = &group->lanes[k];
        if (lane->flow->has_failed) {
            conclude(call, group->members[k], lane->taken, lane->given, 0);
            continue;
        }
        group->members[left] = group->members[k];
        group->lanes[left++] = *lane;
    }
    group->count = left;
}

static void go_on_together(const strc_many *call, strc_group *group) {
    size_t taken = 0, given = 0;
    if (group->count >= kFewest) {
        go_on_alone(call, group, &taken, &given);
        drop_failed(call, group);
    }
    if (group->count >= kFewest) {
        strc_lanes_process(group->lanes, group->count, call->in_count - taken,
                           call->out_capacity - given);
    }
    for (size_t k = 0; k < group->count; ++k) {
        const strc_lane *lane = &group->lanes[k];
        if (strc_lanes_done(lane, call->in_count))
            conclude(call, group->members[k], lane->taken, lane->given, 1);
        else
            go_on(call, group->members[k], lane->taken, lane->given);
    }
    group->count = 0;
}

static int has_arrays(const strc_many *call, size_t k) {
    return (call->in_count == 0 || (call->in && call->in[k])) &&
           (call->out_capacity == 0 || (call->out && call->out[k]));
}

static int fits(const strc_many *call, const strc_group *group, const strc_flow *flow, size_t k) {
    if (!flow || !has_arrays(call, k)) return 0;
    return strc_lanes_fit(flow, group->count == 0 ? flow : group->lanes[0].flow);
}

static void add(strc_group *group, const strc_many *call, strc_flow *flow, size_t k) {
    group->members[group->count] = k;
    group->lanes[group->count++] = (strc_lane){
        .flow = flow, .in = call->in ? call->in[k] : NULL, .out = call->out ? call->out[k] : NULL};
}

void strc_many_process(const strc_many *call) {
    strc_group group = {.count = 0};
    for (size_t k = 0; k < call->count; ++k) {
        strc_flow *flow = call->flow(call->self, k);
        if (!fits(call, &group, flow, k)) {
            go_on(call, k, 0, 0);
            continue;
        }
        add(&group, call, flow, k);
        if (group.count == flow->facts->program->lanes->count) go_on_together(call, &group);
    }
    go_on_together(call, &group);
}
