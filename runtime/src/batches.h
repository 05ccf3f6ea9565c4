/// Iterations of a program with dynamic rates in batches: several as one transaction, so that its static regions have many firings at a
/// stretch, which are done in vectors and by threads. A batch ends in the state that so many iterations end in: firings of a node
/// see the same items in any order of nodes, and which firings there are follows from what the sinks ask for (Kahn, "The semantics
/// of a simple language for parallel programming", IFIP 1974). Private to the runtime.
#ifndef STRC_BATCHES_H
#define STRC_BATCHES_H

#include "demand.h"
#include "sharing.h"
#include "undo.h"

/// Threads that share the firings of a region.
typedef struct strc_region_team {
    struct strc_team *team;  ///< once they have been at work
    strc_sharing sharing;
} strc_region_team;

/// Firings of a region beyond those that are asked for: their items lie behind the end of its queue until they are.
typedef struct strc_region_ahead {
    uint64_t asked;  ///< firings, in this batch
    uint64_t expected;  ///< likewise, by what the batch before asked for
    uint64_t ahead;  ///< firings
    uint64_t fired;  ///< in the last run, with those ahead
    char *saved;  ///< its ranges as they were before that
    char *first, *last;  ///< likewise, of its queues
} strc_region_ahead;

typedef struct strc_batches {
    strc_puller *puller;
    strc_undo *undo;
    uint64_t times;  ///< iterations of the next batch; 0: each is done alone
    uint64_t alone_until;  ///< iterations: before that each is done alone
    uint64_t patience;  ///< how many are, after a batch was given up
    char *
        kept;  ///< the items of all queues, one queue behind the other, as they were before the batch
    uint64_t capacity;  ///< bytes
    uint64_t *sizes;  ///< bytes of each queue among them
    strc_queue *moved;  ///< the queues when a batch was given up
    uint64_t *were_unread;  ///< `unread` before the batch
    uint64_t before;  ///< iterations of the batch before; 0: there was none
    uint64_t firings;  ///< strc_env.firings before the batch
    strc_region_team *teams;  ///< by strc_region.number
    strc_region_ahead *ahead;  ///< likewise
    const strc_node **nodes;  ///< likewise
    uint64_t *
        unread;  ///< by edge: items of the program's input behind the end of the queue, which nobody has asked for
} strc_batches;

/// For a run whose puller has begun.
void strc_batches_begin(strc_batches *, strc_puller *, strc_undo *);
/// Iterations until there are so many in all, or until another end.
strc_end strc_batches_run(strc_batches *, uint64_t iterations);
/// If a batch was under way when the run ended so, undoes it. Nonzero: the run goes on, with each iteration alone for a while, to its end.
int strc_batches_undo(strc_batches *, strc_end);
void strc_batches_free(strc_batches *);

/// So many firings of a region, `in` and `out` being its queues, which have the items and the room for them.
void strc_batches_fire(strc_batches *, const strc_node *, strc_queue *in, strc_queue *out,
                       uint64_t times);

#endif
