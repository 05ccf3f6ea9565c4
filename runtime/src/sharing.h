/// Decides among how many threads a run is shared, and how many chunks at a time, by trying one way after the other now and then.
/// Private to the runtime.
#ifndef STRC_SHARING_H
#define STRC_SHARING_H

#include <stdint.h>

#include "tuning.h"

enum { STRC_SHARING_WAYS = 4 };

typedef struct strc_sharing_way {
    uint32_t threads;
    int runs;  ///< that have been measured, as far as it matters
    double each;  ///< ns for a steady state, of late
    double chunk;  ///< ns for a chunk, these threads being at work; 0: unknown
} strc_sharing_way;

typedef struct strc_sharing {
    strc_sharing_way ways[STRC_SHARING_WAYS];  ///< one thread, all of them, half of them, ...
    uint32_t count;  ///< of ways
    uint32_t used;  ///< the way in use
    uint32_t tried;  ///< the last one that was not
    int64_t until;  ///< ns: then another way is tried; 0: nothing has been decided yet
    int64_t trial;  ///< ns from one trial to the next
    int is_trial;
    int is_always;  ///< nothing is tried
} strc_sharing;

/// What a transaction took, in ns since the same moment.
typedef struct strc_sharing_run {
    int64_t begin, end;
    uint64_t states;  ///< steady states
    uint64_t chunks;  ///< 0: it was not shared
    uint32_t threads;  ///< if it was
} strc_sharing_run;

/// Among so many threads at the most. `always`: among all, whatever it gains.
void strc_sharing_begin(strc_sharing *, uint32_t threads, int always);

/// Begins with what a run before has measured.
void strc_sharing_remember(strc_sharing *, const strc_tuning *);
/// What has been measured; 0: not enough yet.
int strc_sharing_known(const strc_sharing *, strc_tuning *to);

/// How many threads the next transaction should have.
uint32_t strc_sharing_wanted(strc_sharing *);
/// Its chunks, if these are several.
uint64_t strc_sharing_chunks(const strc_sharing *, uint32_t threads);

void strc_sharing_measured(strc_sharing *, strc_sharing_run);
/// A transaction that was shared took too long: not again for a while.
void strc_sharing_failed(strc_sharing *);

#endif
