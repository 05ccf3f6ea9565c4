/// A program for several instances at once: the same phases on vectors in which each instance has a lane.
#ifndef STRC_LANES_H
#define STRC_LANES_H

#include "strc/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

/// `count` pieces of `bytes` bytes one behind the other in the state of an instance; in that of all each has one for every lane beside it.
typedef struct strc_lane_piece {
    uint64_t at, in_lanes;  ///< bytes into the states
    uint64_t bytes, count;
} strc_lane_piece;

typedef struct strc_lanes {
    /// Its items of all lanes lie beside each other. Where a check fails, it fails in the one program, too.
    const strc_program *program;
    uint64_t count;  ///< of lanes
    uint64_t has_state;  ///< filters have; else phases of one instance are in vectors, too
    /// All that phases leave to each other and that is not the same in all instances.
    uint64_t piece_count;
    const strc_lane_piece *pieces;
} strc_lanes;

/// Lanes that a program may have.
enum { STRC_MOST_LANES = 16 };

/// An instance of a call for several.
typedef struct strc_lane {
    strc_flow *flow;
    const unsigned char *in;
    unsigned char *out;
    size_t taken, given;  ///< in the call
} strc_lane;

/// The state of all lanes lies on the stack if it has no more bytes, else in memory that the first instance of a group takes once, and keeps.
enum { STRC_LANES_ON_STACK = 256 * 1024 };
/// Frees that memory.
void strc_lanes_free(strc_flow *);

/// Can the flow have a lane at the side of another one? Both are flows of one program with lanes (`other` may be the same).
int strc_lanes_fit(const strc_flow *, const strc_flow *other);

/// Of the steady states that are possible with so many items and so much room, those that each instance had better do alone, before the
/// others: as the items that it takes, and gives, for them.
void strc_lanes_alone(const strc_flow *, size_t in_count, size_t out_count, size_t *takes,
                      size_t *gives);

/// Is there nothing left to do of a call that brings so many items?
int strc_lanes_done(const strc_lane *, size_t in_count);

/// As many steady states of all `count` instances, which fit with each other, as there are items for and room: at most strc_lanes.count
/// instances, each with `in_count` items and room for `out_count`. None if there is no memory, or a check of one fails: items may have been
/// written then, and each has to go on alone.
void strc_lanes_process(strc_lane *lanes, size_t count, size_t in_count, size_t out_count);

// ---- calls for many instances

/// What instance `k` is to do by itself: so many items of its arrays, behind those that it has taken and given in the call.
typedef struct strc_stretch {
    size_t k;
    size_t behind_in, behind_out;
    size_t in_count, out_count;
    size_t taken, given;  ///< set by who does it
} strc_stretch;

/// A call for many instances, whose flows are all different. Those that stand at the same place go on together, the others one by one.
typedef struct strc_many {
    void *self;  ///< of the functions
    strc_flow *(*flow)(void *self, size_t k);  ///< null: it cannot go on with others
    void (*alone)(void *self, strc_stretch *);
    /// All of instance `k` is done: so many items. `together`: in lanes, with nothing left for `alone`.
    void (*done)(void *self, const strc_stretch *all, int together);
    size_t count;
    const unsigned char *const *in;  ///< arrays, by instance
    unsigned char *const *out;
    size_t in_count, out_capacity;
} strc_many;
void strc_many_process(const strc_many *);

#ifdef __cplusplus
}
#endif
#endif
