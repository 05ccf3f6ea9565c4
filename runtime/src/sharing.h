/// Decides whether a run is shared among threads, and how many chunks at a time, by trying both ways now and then. Private to the
/// runtime.
#ifndef STRC_SHARING_H
#define STRC_SHARING_H

#include <stdint.h>

#include "tuning.h"

typedef struct strc_sharing_way {
    double each;  ///< ns for a steady state, of late
    int runs;  ///< that have been measured, as far as it matters
} strc_sharing_way;

typedef struct strc_sharing {
    strc_sharing_way alone, shared;
    double chunk;  ///< ns for a chunk, all threads being at work; 0: unknown
    int64_t until;  ///< ns: then the other way is tried; 0: nothing has been decided yet
    int64_t trial;  ///< ns from one trial to the next
    int is_shared;  ///< the way in use
    int is_trial;
    int is_always;  ///< nothing is tried
} strc_sharing;

/// What a transaction took, in ns since the same moment.
typedef struct strc_sharing_run {
    int64_t begin, end;
    uint64_t states;  ///< steady states
    uint64_t chunks;  ///< 0: it was not shared
} strc_sharing_run;

/// `always`: shared whatever it gains.
void strc_sharing_begin(strc_sharing *, int always);

/// Begins with what a run before has measured.
void strc_sharing_remember(strc_sharing *, const strc_tuning *);
/// What has been measured; 0: not enough yet.
int strc_sharing_known(const strc_sharing *, strc_tuning *to);

/// Shall the next transaction be shared?
int strc_sharing_wanted(strc_sharing *);
/// Its chunks, if so.
uint64_t strc_sharing_chunks(const strc_sharing *, uint32_t threads);

void strc_sharing_measured(strc_sharing *, strc_sharing_run);
/// A transaction that was shared took too long: not again for a while.
void strc_sharing_failed(strc_sharing *);

#endif
