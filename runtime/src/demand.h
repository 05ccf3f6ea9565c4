/// Programs with dynamic rates (language.md 13). Private to the runtime.
#ifndef STRC_DEMAND_H
#define STRC_DEMAND_H

#include "strc/demand.h"
#include "strc/ending.h"

typedef struct strc_request {
    uint32_t edge, asker;  ///< who waits for it; STRC_NONE: the firing that asked
    uint64_t items;
} strc_request;

typedef struct strc_puller strc_puller;

/// Where queues have their memory.
typedef struct strc_queue_memory {
    /// Room for so many bytes behind the last item. 0: it is there.
    int (*grow)(strc_puller *, strc_queue *, uint64_t bytes);
    /// The same for so many items of a body that writes them without asking; it traps if there is none.
    void (*reserve)(strc_puller *, uint32_t node, strc_queue *, int64_t items);
    /// For one more request. 0: it is there.
    int (*more_requests)(strc_puller *);
    /// Before something fires while nothing else does; null: there is nothing to do.
    void (*between)(strc_puller *);
    /// Before an iteration; null: there is nothing to do.
    void (*before_iteration)(strc_puller *);
    void *self;
} strc_queue_memory;

struct strc_batches;

/// What a run in batches (batches.h, ahead.h) does differently; libraries have no part of it.
typedef struct strc_batch_calls {
    void (*fire)(struct strc_batches *, const strc_node *, strc_queue *in, strc_queue *out,
                 uint64_t times);
    uint64_t (*release)(struct strc_batches *, const strc_node *, strc_queue *out, uint64_t times);
    uint64_t (*firings)(struct strc_batches *, const strc_node *, uint64_t times);
    void (*save)(struct strc_batches *, const strc_node *, const strc_queue *in,
                 const strc_queue *out);
    void (*hide)(struct strc_batches *, const strc_node *, strc_queue *out, uint64_t fired,
                 uint64_t times);
    void (*take_back)(struct strc_batches *);
    uint64_t (*read)(struct strc_batches *, uint32_t edge, uint64_t items);
} strc_batch_calls;

/// A run by demand.
struct strc_puller {
    const strc_program *program;
    const strc_demand *demand;
    strc_env *env;
    void *state;
    const strc_queue_memory *memory;
    strc_queue *queues;  ///< in the state, by edge
    strc_actor *actors;  ///< in the state, by node
    uint64_t bytes_left;  ///< that queues which grow may still take
    strc_request *requests;  ///< a stack: graphs are thousands of nodes deep
    uint64_t depth, capacity;
    uint32_t acting;  ///< who began to fire last
    uint32_t under_way;  ///< whose firing is timed, or STRC_NOBODY
    uint32_t nesting;  ///< firings under way
    int progress;  ///< a sink has fired in this iteration
    uint64_t done;  ///< iterations
    uint64_t
        times;  ///< iterations that are done as one, which is undone if one of them cannot be done
    struct strc_batches *batches;  ///< null: each is done alone
    const strc_batch_calls *batch;  ///< for those
    int has_begun;  ///< the first items of feedback loops are there
    int is_draining;  ///< no input comes any more
    uint32_t sink;  ///< that is asked next, then
    int moves;  ///< somebody has fired in this round
};

/// Queues that grow, all together by no more than the program's limit.
extern const strc_queue_memory strc_growing_queues;

static inline uint64_t strc_queue_bytes(const strc_queue *queue) {
    return (uint64_t)(queue->last - queue->first);
}

/// In the zeroed state.
void strc_puller_begin(strc_puller *, const strc_queue_memory *, const strc_program *, strc_env *,
                       void *state);
/// `times` of them as one, in which each sink has all its firings at a stretch. STRC_END_ITERATIONS: they are done.
strc_end strc_puller_iterate(strc_puller *, uint64_t times);
/// When the input has ended: as long as anything moves that depends on it.
strc_end strc_puller_drain(strc_puller *);
/// What stays in queues: items, and before whom most of them lie.
strc_waiting strc_puller_waiting(const strc_puller *);
/// After the end, whatever it was: counts the iteration under way, and lets out what has been made.
/// Nonzero: the host did not take it.
int strc_puller_conclude(strc_puller *);
/// Gives back the memory of queues that grow.
void strc_puller_free(strc_puller *);

#endif
