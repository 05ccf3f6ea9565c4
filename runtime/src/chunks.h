/// Runs chunks (strc/chunks.h) on several threads. Private to the runtime.
#ifndef STRC_RUN_CHUNKS_H
#define STRC_RUN_CHUNKS_H

#include "division.h"
#include "strc/chunks.h"

typedef struct strc_team strc_team;

/// Threads for chunks of a program, as many as env->workers, each with a copy of `state`, as it is after the phase `init`. Null: there
/// is no memory.
strc_team *strc_team_new(const strc_program *, const strc_chunks *, const strc_env *,
                         const void *state);
void strc_team_free(strc_team *);

/// Does `count` chunks from what `state` is, divided that way. Returns how many of them went well before the first that did not. Only if all did,
/// `state` and the state of the generator of random numbers are what they are afterwards; else both are as before, and `*why`
/// says what happened. The host's functions are called in the order of chunks, by one thread at a time.
uint64_t strc_team_run(strc_team *, strc_env *, void *state, uint64_t count, strc_division,
                       strc_end *why);

/// Ends what the team does as soon as possible, since the run is to end or takes too long; any thread may call it.
void strc_team_stop(strc_team *);

#endif
