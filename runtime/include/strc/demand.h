/// Programs with dynamic rates as constants (docs/design/compiled.md): which node fires when depends on
/// data, and src/demand.c finds it out while the program runs.
#ifndef STRC_DEMAND_TABLES_H
#define STRC_DEMAND_TABLES_H

#include "strc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRC_NONE UINT32_MAX

/// A channel while the program runs: items in a row in memory that grows. In the state.
typedef struct strc_queue {
    char *first, *last;  ///< where the items begin, and behind the last one
    char *data, *end;  ///< of the memory
    uint64_t item;  ///< bytes of one
} strc_queue;

/// The run-time data of a node, which lies in the state.
typedef struct strc_actor {
    int64_t fired;
    int64_t empty, last_empty;  ///< firings in a row that did nothing, and the last one of them
    uint32_t is_firing;
    uint32_t is_waiting;  ///< its sources are asked for items
} strc_actor;

/// One kind of firing.
typedef struct strc_rates {
    int64_t need;  ///< items that have to be there before; 0 where the firing asks for them itself
    int64_t pop;  ///< items of these that it takes
    int64_t push;  ///< items that have to have room; 0 where the firing asks for that itself
    int64_t is_dynamic;  ///< the firing asks for its input
    int64_t firings;  ///< that it counts for: a region is a node here
} strc_rates;

struct strc_chunks;

/// Bytes of the state.
typedef struct strc_range {
    uint64_t at, size;
} strc_range;

/// A node whose firings, from the second one on, may be done at once: where iterations are done in batches.
typedef struct strc_region {
    void (*run)(strc_env *, void *state);  ///< so many firings, between the queues
    uint64_t iterations;
    const struct strc_chunks *chunks;  ///< null: threads have nothing to share
    uint64_t number;  ///< among those that are
    const strc_range *ranges;  ///< what a firing leaves in the state, beside the ends of queues
    uint64_t range_count;
    uint32_t input;  ///< edge, or STRC_NONE: it makes its items
    uint32_t
        runs_ahead;  ///< it may fire before it is asked: nobody could tell, if it is taken back at the end of a batch
} strc_region;

typedef enum strc_node_kind {
    STRC_NODE_FILTER,
    STRC_NODE_IDENTITY,
    STRC_NODE_READER,
    STRC_NODE_WRITER,
    STRC_NODE_DISPLAY,
    STRC_NODE_DUPLICATE,  ///< from here on no filters
    STRC_NODE_SPLITTER,
    STRC_NODE_JOINER,
} strc_node_kind;

typedef struct strc_node {
    uint32_t kind;
    uint32_t host;  ///< readers, writers: input or output of the program
    uint32_t mailbox;  ///< or STRC_NONE
    uint32_t inputs, outputs;  ///< how many
    uint32_t first_edge;  ///< into strc_demand::lists: its inputs, then its outputs
    uint32_t first_weight;  ///< of round robins: by port of the many side
    uint32_t first_guard, guards;
    uint32_t full;  ///< site: no memory for a queue
    uint32_t push_full;  ///< site: no memory for what it pushes
    uint32_t unused;
    const strc_region *region;  ///< null: it fires alone
    strc_rates first, later;  ///< filters
    /// Fires a filter with code. If its rates are static, all items that it reads are in `in`, and `out` has room for its pushes.
    void (*fire)(strc_env *, void *state, strc_queue *in, strc_queue *out, int32_t is_first);
} strc_node;

typedef struct strc_edge {
    uint32_t from;  ///< STRC_NONE: the open input
    uint32_t item;  ///< bytes of one
    uint32_t to;  ///< STRC_NONE: the open output
    uint32_t full;  ///< site: it has as many items as it may, in a program with a bound
    uint32_t owner;  ///< the node that this is told of
    uint32_t unused;
    int64_t need;  ///< items that a splitter or joiner needs to fire
    int64_t kept;  ///< items that its reader leaves there; negative: what stays is not told
    uint64_t initial_count;
    const void *initial;  ///< items that are there at the start
    uint64_t is_queue;  ///< else a region has it in memory of its own
} strc_edge;

typedef struct strc_sink {
    uint32_t node;
    uint32_t depends;  ///< on the input, so that it is asked as long as that gives anything
    uint64_t firings;  ///< in an iteration
} strc_sink;

/// The node fires only when another one is so far that no message comes too late (language.md 14.5).
typedef struct strc_guard {
    const strc_route *route;
    int64_t latency;
    uint32_t waits_for;
    uint32_t unused;
} strc_guard;

typedef struct strc_demand {
    const strc_node *nodes;  ///< strc_program::node_count
    const strc_edge *edges;
    const uint32_t *lists;
    const int64_t *weights;
    const strc_guard *guards;
    const strc_sink *sinks;  ///< asked for in this order
    const uint32_t *drained;  ///< nodes that fire as long as they can afterwards, in this order
    uint64_t queues_at, actors_at;  ///< offsets into the state
    uint32_t edge_count, sink_count, drained_count;
    uint32_t output_edge;  ///< of the open output, or STRC_NONE
    uint32_t input, output;  ///< the open ones among those of the program
    uint32_t region_count;
    uint32_t batches;  ///< strc_batching: if what is done at once can be undone
} strc_demand;

#ifdef __cplusplus
}
#endif
#endif
