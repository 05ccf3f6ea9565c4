// Transactions: a copy of the state is all that it takes, since a state has no pointers inside.
#include "undo.h"

#include <stdlib.h>
#include <string.h>

#include "thread.h"

enum {
    kBytesPerTick = 1 << 22,  ///< copied in a small part of a tick
    kMostBytes = 1 << 28,  ///< beyond, transactions would have to be too long
    kTeamTicks = 20,  ///< that some chunks may take: they are meant to take one
    kPatience = 4,  ///< ticks more than it should take
    /// The shortest transaction: its memory should still be in a near cache at its end, and beginning one
    /// must cost next to nothing of that time.
    kShortest = 200000,  ///< ns
    kPerByte = 3,  ///< ns for each byte of the state: some thirty times what the copy takes
};

void strc_undo_init(strc_undo *undo, strc_env *env, strc_watch *watch, void *state, uint64_t size) {
    *undo = (strc_undo){.env = env, .watch = watch, .state = state, .size = size};
    undo->length = 1 + (uint32_t)(size / kBytesPerTick);
}

void strc_undo_free(strc_undo *undo) {
    free(undo->copy);
    undo->copy = NULL;
}

int strc_undo_begin(strc_undo *undo) {
    if (undo->size > kMostBytes) return 1;
    if (!undo->copy) undo->copy = malloc(undo->size ? undo->size : 1);
    if (!undo->copy) return 1;
    memcpy(undo->copy, undo->state, undo->size);
    undo->random = undo->env->random;
    undo->env->host->begin(undo->env->host->self);
    undo->is_open = undo->is_copied = 1;
    undo->due = strc_nanoseconds() + kShortest + (int64_t)undo->size * kPerByte;
    strc_watch_arm(undo->watch, undo->length + kPatience);
    return 0;
}

void strc_undo_begin_team(strc_undo *undo) {
    undo->env->host->begin(undo->env->host->self);
    undo->is_open = 1;
    undo->is_copied = 0;
    strc_watch_arm(undo->watch, kTeamTicks);
}

int strc_undo_is_due(const strc_undo *undo) {
    return strc_nanoseconds() >= undo->due || strc_watch_ticks(undo->watch) >= undo->length;
}

int strc_undo_commit(strc_undo *undo) {
    if (!undo->is_open) return 0;
    strc_watch_disarm(undo->watch);
    undo->is_open = 0;
    return undo->env->host->commit(undo->env->host->self);
}

void strc_undo_rollback(strc_undo *undo) {
    if (!undo->is_open) return;
    strc_watch_disarm(undo->watch);
    undo->is_open = 0;
    if (undo->is_copied) {
        memcpy(undo->state, undo->copy, undo->size);
        undo->env->random = undo->random;
    }
    undo->env->host->rollback(undo->env->host->self);
}
