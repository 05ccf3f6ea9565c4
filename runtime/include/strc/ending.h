/// The end of the input on counts (docs/design/ending.md): how often everybody can still fire for the items that are
/// there, and what stays on tapes. Compiled programs bring the table along, and phases in which nobody fires oftener.
#ifndef STRC_ENDING_H
#define STRC_ENDING_H

#include "strc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Items are counted up to here, so that sums of two stay exact (graph/flow.h).
#define STRC_MOST_COUNT (INT64_C(1) << 60)

/// An edge: items by firing of its two ends; those of a first firing differ if the filter has a prework.
typedef struct strc_ending_flow {
    uint32_t from, to;
    int64_t initial;
    int64_t push_first, push;
    int64_t pop_first, pop;
    int64_t look_first, look;  ///< that have to be there, at least pop
    uint8_t from_has_first, to_has_first;
    uint8_t is_open;  ///< an end of it is the world: nothing waits there
    uint8_t leads_back;  ///< to the joiner of a feedback loop
    uint32_t unused;
} strc_ending_flow;

/// A node of the program as it was written. The open input is one that gives an item a firing, the open output one
/// that takes one: they follow the nodes.
typedef struct strc_ending_node {
    int64_t init, steady;  ///< firings in these phases
    uint32_t place;  ///< among the numbers of strc_env.left; STRC_NOBODY: passes made others of it
    uint32_t input;  ///< of the program, which it reads; or STRC_NOBODY
    uint32_t
        is_wanted;  ///< an end or an effect that depends on the input: all of its firings count
    uint32_t is_node;  ///< 0: an open end
} strc_ending_node;

typedef struct strc_ending {
    const strc_ending_node *nodes;
    const strc_ending_flow *flows;
    uint32_t node_count, flow_count;
    int64_t
        states;  ///< steady states for which items of one input can matter when another has ended
    /// The phases with firings left out: each takes one from its number in strc_env.left, and is not done if that is 0.
    void (*init)(strc_env *, void *state);
    void (*steady)(strc_env *, void *state);
} strc_ending;

/// How often a node is to fire in all, if none fires oftener than `most` says, into `wanted`. Only firings count whose items
/// come to one that is wanted. None is less than in `fired`, which has been done. Changes `most`.
void strc_ending_find(const strc_ending *, const int64_t *fired, int64_t *most, int64_t *wanted);

typedef struct strc_waiting {
    int64_t items;  ///< on all tapes
    uint32_t most;  ///< the node before which most of them lie, or STRC_NOBODY
} strc_waiting;

/// Items that stay on tapes after so many firings. Those that a window keeps, and what goes round in a feedback loop, do
/// not count.
strc_waiting strc_ending_waiting(const strc_ending *, const int64_t *fired);

/// Draining: the counts of a run.
typedef struct strc_draining {
    const strc_ending *ending;
    int64_t *fired, *most, *wanted;  ///< by node
    int64_t *left;  ///< strc_env.left
    int64_t trips;  ///< steady states with a firing that is left
    int has_init;  ///< and the phase before them
} strc_draining;

/// A run whose input is at its end.
typedef struct strc_draining_facts {
    const strc_ending *ending;
    uint32_t places;  ///< those of strc_env.left
    int64_t states;  ///< steady states that are done; negative: not even init
    /// Items of an input behind those taken, as far as `most` matters; negative: it cannot be read.
    int64_t (*still)(void *self, uint32_t input, int64_t most);
    void *self;  ///< for `still`
} strc_draining_facts;

/// Numbers that it takes. `places`: those of strc_env.left.
uint64_t strc_draining_numbers(const strc_ending *, uint32_t places);
/// Of a compiled program: one for each node that counts firings, and the open input and the open output.
uint32_t strc_draining_places(const strc_program *);
/// Puts it together in so many numbers; 0, or -1 if an input cannot be read.
int strc_draining_begin(strc_draining *, const strc_draining_facts *, int64_t *numbers);
/// The next phase; null: there is none.
void (*strc_draining_next(strc_draining *))(strc_env *, void *);

#ifdef __cplusplus
}
#endif
#endif
