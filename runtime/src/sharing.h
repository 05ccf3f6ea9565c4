/// Decides how chunks are shared, and how many there are at a time, by trying one way after the other now and then. Private to the runtime.
#ifndef STRC_SHARING_H
#define STRC_SHARING_H

#include <stdint.h>

#include "strc/chunks.h"
#include "tuning.h"

enum { STRC_SHARING_WAYS = 16 };

typedef struct strc_sharing_way {
    strc_division division;
    int has_run;
    int is_known, is_measured;  ///< in a run before or in this one; in this one
    double each;  ///< ns for a steady state, of late
    double chunk;  ///< ns for a chunk, these threads being at work; 0: unknown
} strc_sharing_way;

/// What has been measured of a way that is being tried.
typedef struct strc_sharing_attempt {
    uint32_t way;
    double time, states;  ///< ns, and steady states, of those that count
} strc_sharing_attempt;

/// The ways that there are.
typedef struct strc_sharing_limits {
    uint32_t threads;
    uint32_t slices, usual;  ///< strc_chunks.slices, strc_chunks.usual
    int has_coarse;  ///< strc_chunks.coarse can be chosen
    int is_fixed;  ///< chunks are as they usually are; only the number of threads is tried
} strc_sharing_limits;

typedef struct strc_sharing {
    strc_sharing_limits limits;
    /// One thread, all of them, half of them, a quarter of them; then ways like the best one, in the order in which they were tried.
    strc_sharing_way ways[STRC_SHARING_WAYS];
    uint32_t count;  ///< of ways
    uint32_t used;  ///< the way in use
    uint32_t tried;  ///< the last one that was not
    int64_t until;  ///< ns: then another way is tried; 0: nothing has been decided yet
    int64_t trial;  ///< ns from one trial to the next
    int is_trial;
    int is_remembered;  ///< what is used was found in a run before, and one thread has not been tried since
    strc_sharing_attempt attempt;
    uint32_t last;  ///< the way of the last transaction
    int is_always;  ///< nothing is tried
    uint32_t
        delays;  ///< for tests: not 0 if chunks are to be as long as a random number says (strc_delays)
} strc_sharing;

/// What a transaction took, in ns since the same moment.
typedef struct strc_sharing_run {
    int64_t begin, end;
    uint64_t states;  ///< steady states
    uint64_t chunks;  ///< 0: it was not shared
    strc_division division;  ///< if it was
} strc_sharing_run;

/// What can be tried with so many threads. `chunks` null: there is nothing to share.
strc_sharing_limits strc_sharing_limits_of(const strc_chunks *chunks, uint32_t threads);

/// `always`: among all threads, whatever it gains.
void strc_sharing_begin(strc_sharing *, strc_sharing_limits, int always);

/// Begins with what a run before has measured.
void strc_sharing_remember(strc_sharing *, const strc_tuning *);
/// What has been measured; 0: not enough yet.
int strc_sharing_known(const strc_sharing *, strc_tuning *to);

/// How the next transaction should be shared.
strc_division strc_sharing_wanted(strc_sharing *);
/// Its chunks, if it is.
uint64_t strc_sharing_chunks(const strc_sharing *, strc_division);

void strc_sharing_measured(strc_sharing *, strc_sharing_run);
/// There was too little to do for chunks of that division.
void strc_sharing_lacks(strc_sharing *, strc_division);
/// A transaction that was shared took too long: not again for a while.
void strc_sharing_failed(strc_sharing *);

#endif
