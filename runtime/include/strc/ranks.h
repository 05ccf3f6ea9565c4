/// One program on several processes, its ranks: each does some neighbouring segments of every chunk (strc/chunks.h), so that ranks are
/// the stages of a pipeline. What crosses a boundary are the items that lie on tapes there; a rank keeps the state of its segments.
/// docs/design/ranks.md tells how they run.
#ifndef STRC_RANKS_H
#define STRC_RANKS_H

#include <stdint.h>

#include "strc/chunks.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRC_NO_SEGMENT UINT32_MAX

/// A tape that segments of a chunk share: `kept` bytes stay on it from chunk to chunk, behind them lie `bytes` for each slice.
typedef struct strc_rank_tape {
    uint64_t at;  ///< offset into the state
    uint64_t kept, bytes;
    uint64_t room;  ///< bytes that it has
    uint32_t written;  ///< the first segment that writes
    uint32_t read;  ///< the last one that reads
    uint32_t taken;  ///< in front of which what stays is put there; STRC_NO_SEGMENT: nothing does
    uint32_t unused;
} strc_rank_tape;

/// A program as far as it matters who does what. Constants.
typedef struct strc_ranks {
    const double *work;  ///< by segment: ns of a slice, estimated
    const uint32_t *
        may_begin;  ///< by segment: 1: a rank may begin with it, 0: it shares something with the one before
    const strc_rank_tape *tapes;
    const uint32_t *inputs, *outputs;  ///< by port: the segment that reads or writes there
    double latency;  ///< ns from rank to rank
    double pace;  ///< bytes in a ns likewise
    uint64_t tape_count;
    uint32_t segments;
    uint32_t slices;  ///< of a chunk
    uint32_t prints;  ///< the segment that prints; STRC_NO_SEGMENT: none does
    uint32_t unused;
} strc_ranks;

/// Bytes of a chunk that lie on tapes in front of a segment, between two ranks.
uint64_t strc_cut_bytes(const strc_ranks *, uint32_t segment);
/// The part of a tape of that: `*first` bytes behind its beginning; 0 bytes: none.
uint64_t strc_cut_piece(const strc_ranks *, const strc_rank_tape *, uint32_t segment,
                        uint64_t *first);

/// Cuts the segments into at most `ranks` parts, of which the slowest is as fast as can be; among the cuts that are nearly so the
/// one where the least crosses (a linear partition by dynamic programming: Bokhari, "Partitioning problems in parallel, pipelined,
/// and distributed computing", IEEE Trans. Computers 37, 1988). Rank k has segments first[k] to before first[k + 1]; `first` has
/// room for ranks + 1. Returns how many parts there are, which may be fewer; 0: no memory.
uint32_t strc_cut(const strc_ranks *, uint32_t ranks, uint32_t *first);

/// What a cut is predicted to do, in ns.
typedef struct strc_cut_speed {
    double alone;  ///< a chunk on one rank
    double slowest;  ///< the most that a rank has to do for a chunk, messages included
    double link;  ///< the most that the network takes for one
    double
        chunk;  ///< a chunk in the long run, by simulation: waits at the end of transactions are in it
} strc_cut_speed;

/// Simulates `count` ranks of a cut, chunk by chunk.
strc_cut_speed strc_cut_predict(const strc_ranks *, uint32_t count, const uint32_t *first);
/// Chunks that ranks do before they wait for each other, and that may be on their way between two of them.
uint64_t strc_cut_transaction(double chunk);
uint32_t strc_cut_window(uint64_t bytes);

struct strc_env;

/// How strc_execute hands chunks to other ranks. It runs on rank 0, which does alone whatever is no chunk.
typedef struct strc_rank_calls {
    void *self;
    /// So many chunks should be done by all; 0: go on alone.
    uint64_t (*wanted)(void *self);
    /// Does them, as strc_team_run does: the number of those that went well, which is `count`, or all is as before and `*why` says why.
    uint64_t (*run)(void *self, strc_env *, void *state, uint64_t count, strc_end *why);
    /// The state of all filters comes back to `state`. Nonzero: it is lost.
    int (*settle)(void *self, strc_env *, void *state);
    /// Nonzero: the run goes on behind `*done` steady states, from a checkpoint that is in `state` now.
    int (*resume)(void *self, strc_env *, void *state, uint64_t *done);
    /// Between two transactions, after so many steady states. Nonzero: the run ends.
    int (*committed)(void *self, strc_env *, const void *state, uint64_t done);
    /// Called for each chunk, by one thread at a time: what the rank before has on tapes comes to `state`, or goes from there to the rank
    /// behind. They may leave by strc_stop.
    void (*receive)(void *self, strc_env *, void *state);
    void (*send)(void *self, strc_env *, const void *state);
} strc_rank_calls;

/// What strc_execute does before a run: the state as it is before init, and what belongs to the thread.
void strc_rank_part_prepare(const strc_program *, strc_env *, void *state);

/// The segments of one rank, which threads of its process share as those of a whole program.
typedef struct strc_rank_part strc_rank_part;

/// Segments `first` to before `end`; env->workers threads, and env->ranks for what crosses. Null: no memory.
strc_rank_part *strc_rank_part_new(const strc_program *, const strc_ranks *, uint32_t first,
                                   uint32_t end, const strc_env *, const void *state);
void strc_rank_part_free(strc_rank_part *);
/// Does chunks from what `state` is. STRC_END_ITERATIONS: all went well. Else the state is as before.
strc_end strc_rank_part_run(strc_rank_part *, strc_env *, void *state, uint64_t count);
/// The last run is undone.
void strc_rank_part_undo(strc_rank_part *, strc_env *, void *state);
/// What the segments from `first` to before `end` carry from chunk to chunk.
uint64_t strc_rank_part_bytes(const strc_program *, uint32_t first, uint32_t end);
void strc_rank_part_save(const strc_program *, uint32_t first, uint32_t end, const strc_env *,
                         const void *state, void *to);
void strc_rank_part_restore(const strc_program *, uint32_t first, uint32_t end, strc_env *,
                            void *state, const void *from);

#ifdef __cplusplus
}
#endif
#endif
