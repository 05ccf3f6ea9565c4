/// What trials of a run have found, kept for the next run of the same program on the same processor: a small file in
/// $XDG_CACHE_HOME/strc, or ~/.cache/strc. No run fails for it: what cannot be read is not there, what cannot be written is left.
/// STRC_CACHE=off leaves it alone. Private to the runtime.
#ifndef STRC_TUNING_H
#define STRC_TUNING_H

#include <stdint.h>

#include "division.h"

typedef struct strc_tuning {
    double alone, shared;  ///< ns for a steady state, by one thread and by several
    double chunk;  ///< ns for a chunk, these being at work
    strc_division division;  ///< how they are
} strc_tuning;

/// `key`: strc_env.tuning; `threads`: that could share the program. 1 if there is something.
int strc_tuning_load(uint64_t key, uint32_t threads, strc_tuning *to);
void strc_tuning_store(uint64_t key, uint32_t threads, const strc_tuning *);

#endif
