/// How a run by demand is saved in the middle of a firing, which is on a stack and no data (docs/design/state.md): a snapshot of the state between
/// two iterations, and the items that have been taken since. Who goes on from it does the rest again, and leaves out what has been given
/// and printed. Private to the runtime.
#ifndef STRC_REPLAY_H
#define STRC_REPLAY_H

#include "demand.h"
#include "strc/flow.h"

/// What has been done since the snapshot.
typedef struct strc_since {
    uint64_t taken, given, printed;  ///< items and texts
} strc_since;

typedef struct strc_replay {
    const strc_flow *flow;  ///< whose facts may come to lie elsewhere
    unsigned char *snapshot;  ///< as many bytes as a snapshot has at most
    uint64_t size;  ///< of the snapshot. 0: the run has not begun
    uint64_t random, has_begun;  ///< of the run, at the snapshot
    strc_since since;
    uint64_t again;  ///< items of the log that have been taken again
    uint64_t given_again, printed_again;  ///< that are still left out
    int is_lost;  ///< more has happened than the log has room for, or parameters have changed: until the next snapshot
    unsigned char *log;  ///< the items
} strc_replay;

/// Bytes of its memory: snapshot and log.
uint64_t strc_replay_bytes(const strc_flow_facts *);
void strc_replay_make(strc_replay *, const strc_flow *, unsigned char *memory);
/// The run begins again.
void strc_replay_reset(strc_replay *);

static inline int strc_replays(const strc_replay *self) {
    return self->again < self->since.taken || self->given_again != 0 || self->printed_again != 0;
}

/// Between two iterations: a snapshot, if there is none of this run or enough has been done since.
void strc_replay_remember(strc_replay *, const strc_puller *, const unsigned char *parameters);
/// So many items have been taken.
void strc_replay_note(strc_replay *, const void *items, uint64_t count);
/// The next item of the log again; 0: there is none.
int strc_replay_take(strc_replay *, void *to);

// ---- as data

uint64_t strc_replay_most_saved(const strc_flow_facts *);
size_t strc_replay_save(const strc_replay *, unsigned char *to);
/// Are so many bytes what was saved of a run of that program?
int strc_replay_is_well(const strc_flow_facts *, const unsigned char *from, size_t size);
/// Into a run that begins, with the generator of the snapshot: the state, queues and parameters.
void strc_replay_restore(strc_replay *, strc_puller *, unsigned char *parameters,
                         const unsigned char *from);

#endif
