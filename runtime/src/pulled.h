/// Flows of programs with dynamic rates: a run by demand on a stack of its own, between queues that do not grow.
/// Private to the runtime.
#ifndef STRC_PULLED_H
#define STRC_PULLED_H

#include "strc/flow.h"

typedef struct strc_pulled strc_pulled;

/// Bytes of the memory that one takes, queues and stack included.
uint64_t strc_pulled_bytes(const strc_flow_facts *);
/// In a zeroed block of so many bytes.
void strc_pulled_make(strc_pulled *, strc_flow *);
/// When the flow's state and environment are as they begin.
void strc_pulled_reset(strc_pulled *);
/// Goes on until an item is missing, or room for one.
strc_end strc_pulled_process(strc_pulled *);

// ---- as data (replay.h)

/// The generator of random numbers as it is in what is saved.
uint64_t strc_pulled_random(const strc_pulled *);

/// Else too much has happened in the iteration under way.
int strc_pulled_can_save(const strc_pulled *);
/// At most strc_replay_most_saved bytes; how many it wrote.
size_t strc_pulled_save(const strc_pulled *, unsigned char *to);
/// When it has been reset, and has the generator of random numbers; what strc_replay_is_well says to be well.
void strc_pulled_restore(strc_pulled *, const unsigned char *from);

// ---- the flow's ends in the call under way

static inline size_t strc_flow_left(const strc_flow *self) {
    return self->ends->in_count - self->taken;
}
static inline size_t strc_flow_room(const strc_flow *self) {
    return self->ends->out_count - self->given;
}
static inline void strc_flow_take(strc_flow *self, void *to, size_t items) {
    self->ends->take(self->ends->self, to, self->taken, items);
    self->taken += items;
}
static inline void strc_flow_give(strc_flow *self, const void *from, size_t items) {
    self->ends->give(self->ends->self, from, self->given, items);
    self->given += items;
}
/// What depends on parameters that have been set is computed again.
void strc_flow_update(strc_flow *);

#endif
