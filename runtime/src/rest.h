/// For how many blocks no helper is called after the system has stopped one within a slice, which is waited for. So that this is rare on a busy
/// machine, each rest is twice as long as the one before, and half as long again once many blocks have gone well. Private to the runtime.
#ifndef STRC_REST_H
#define STRC_REST_H

#include <stdint.h>

typedef struct strc_rest {
    uint64_t left;  ///< blocks without helpers that are to come
    uint64_t length;  ///< of the last rest; 0: there was none of late
    uint64_t sound;  ///< blocks with helpers since then, of which none was stopped
} strc_rest;

/// A helper was stopped.
void strc_rest_begin(strc_rest *);
/// Nonzero: the next block has no helpers.
int strc_rest_lasts(strc_rest *);
/// A block with helpers has gone well.
void strc_rest_sound(strc_rest *);

#endif
