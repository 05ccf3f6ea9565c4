/// An executable as several processes (docs/design/ranks.md). Rank 0 runs the program as if it were alone; it asks others for their files,
/// and has them do their segments of chunks.
#ifndef STRC_MAIN_RANKS_H
#define STRC_MAIN_RANKS_H

#include "host.h"
#include "link.h"
#include "strc/ranks.h"

typedef struct strc_rank {
    strc_environment *all;
    const strc_executable *about;
    strc_link link;
    uint32_t parts;  ///< ranks that have segments: the first ones
    uint32_t *first;  ///< by rank: its first segment
    unsigned char *others_inputs, *others_outputs;  ///< by port: nonzero: another rank's
    strc_host own;  ///< of its files
    strc_host host;  ///< of the program, in rank 0
    strc_rank_calls calls;
    strc_rank_part *part;
    uint32_t threads;  ///< of this rank, if nobody asks for another number
    uint64_t window;  ///< chunks that may be on their way to the next rank
    uint64_t chunks;  ///< of the next transaction
    int is_apart;  ///< each rank has the state of its segments
    int have_state;  ///< the others have got the whole state once
    int has_failed;  ///< another rank could not do what it was asked for
    int64_t saved;  ///< ns: when the last checkpoint was written
    // of a run whose ranks share products (mesh.c):
    double start, looked;  ///< strc_clock: at its beginning, and when rank 0 last looked at it
    uint64_t states_left,
        stride;  ///< steady states until it looks again, of which there are so many from look to look
    uint64_t epoch;  ///< steady states behind which that was; 0: there is none
} strc_rank;

/// What main does with it, of an executable that was built for it.
typedef struct strc_rank_services {
    /// Finds out which rank this is, with the others: all->ranks is set if there are any. 0, or -1 after reporting.
    int (*begin)(strc_environment *);
    /// When the inputs are open, or could not be: what they tell is known to all, and whether all could; 0 if so.
    int (*opened)(strc_environment *, int status);
    /// When the outputs are open, or could not be: 0 if all have theirs.
    int (*agree)(strc_environment *, int status);
    /// The run: strc_execute in rank 0.
    strc_end (*run)(strc_environment *, const strc_program *, strc_env *, void *state,
                    uint64_t *done);
    /// When all files are closed. `ran`: it came to `run`. The status of the others: 0, or as an exit status.
    int (*end)(strc_environment *, int ran);
} strc_rank_services;

/// The rank that has a segment.
uint32_t strc_rank_of(const strc_rank *, uint32_t segment);
uint32_t strc_rank_of_input(const strc_rank *, uint32_t input);
uint32_t strc_rank_of_output(const strc_rank *, uint32_t output);
uint32_t strc_rank_that_prints(const strc_rank *);

/// A hash of what the command line says of the program: the values of its parameters, and the limit of what it gives.
uint64_t strc_rank_settings(const strc_rank *);

/// A rank is gone: reports it, and ends the process.
_Noreturn void strc_rank_lost(strc_rank *);
/// strc_link_wait, and that.
strc_message_in *strc_rank_wait(strc_rank *, uint32_t from, uint32_t wanted);

/// The host of the program: own files, and those of others (host_apart.c).
strc_host strc_rank_host(strc_rank *);
/// Does what rank 0 calls for.
void strc_rank_serve_call(strc_rank *, const strc_message_in *);

/// Transactions (rank_run.c).
strc_rank_calls strc_rank_calls_of(strc_rank *);
void strc_rank_serve_go(strc_rank *, const strc_program *, strc_env *, void *state,
                        const strc_message_in *);

/// The run of an executable whose ranks share products (mesh.c), in each of them.
strc_end strc_rank_run_mesh(strc_rank *, const strc_program *, strc_env *, void *state,
                            uint64_t *done);

/// Checkpoints (checkpoint.c): a file for each rank, and one that says which of them belong together. 0, or -1 after reporting.
int strc_checkpoint_write(strc_rank *, const strc_env *, const void *state, uint64_t epoch);
int strc_checkpoint_keep(strc_rank *, uint64_t epoch);
/// Removes what other runs, and interrupted ones, have left: files of this rank other than those of epoch `kept`, which is complete, and
/// files of ranks that there are not.
void strc_checkpoint_clean(strc_rank *, uint64_t kept);
/// 1: there is one, `*epoch`; 0: there is none yet.
int strc_checkpoint_find(strc_rank *, uint64_t *epoch);
int strc_checkpoint_read(strc_rank *, strc_env *, void *state, uint64_t epoch);
/// Can outputs be taken up again where they were?
int strc_checkpoint_check(strc_rank *);
/// Of a run that begins anew: nobody goes on from the checkpoint of one before.
int strc_checkpoint_forget(strc_rank *);

#endif
