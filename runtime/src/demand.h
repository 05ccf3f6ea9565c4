/// Programs with dynamic rates (language.md 13). Private to the runtime.
#ifndef STRC_DEMAND_H
#define STRC_DEMAND_H

#include "strc/demand.h"
#include "strc/ending.h"

typedef struct strc_request {
    uint32_t edge, asker;  ///< who waits for it; STRC_NONE: the firing that asked
    uint64_t items;
} strc_request;

/// A run by demand.
typedef struct strc_puller {
    const strc_program *program;
    const strc_demand *demand;
    strc_env *env;
    void *state;
    strc_queue *queues;  ///< in the state, by edge
    strc_actor *actors;  ///< in the state, by node
    uint64_t bytes_left;  ///< that the queues may still take
    strc_request *requests;  ///< a stack: graphs are thousands of nodes deep
    uint64_t depth, room;
    uint32_t acting;  ///< who began to fire last
    int progress;  ///< a sink has fired in this iteration
    uint64_t done;  ///< iterations
    int is_draining;  ///< no input comes any more
    uint32_t sink;  ///< that is asked next, then
    int moves;  ///< somebody has fired in this round
} strc_puller;

/// In the zeroed state.
void strc_puller_begin(strc_puller *, const strc_program *, strc_env *, void *state);
/// Iterations until there are so many in all, or until another end.
strc_end strc_puller_run(strc_puller *, uint64_t iterations);
/// When the input has ended: as long as anything moves that depends on it.
strc_end strc_puller_drain(strc_puller *);
/// What stays in queues: items, and before whom most of them lie.
strc_waiting strc_puller_waiting(const strc_puller *);
/// After the end, whatever it was: counts the iteration under way, and lets out what has been made.
/// Nonzero: the world did not take it.
int strc_puller_conclude(strc_puller *);
void strc_puller_free(strc_puller *);

#endif
