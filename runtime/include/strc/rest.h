/// For how many blocks something is not tried after it has failed, which costs time. So that this is rare where it fails often,
/// each rest is twice as long as the one before, and half as long again once many blocks have gone well. So helpers rest which the system has
/// stopped within a slice, as that is waited for, and phases of many steady states whose messages had no room.
#ifndef STRC_REST_H
#define STRC_REST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct strc_rest {
    uint64_t left;  ///< blocks without a try that are to come
    uint64_t length;  ///< of the last rest; 0: there was none of late
    uint64_t sound;  ///< blocks with a try since then, of which none failed
} strc_rest;

/// A try has failed.
void strc_rest_begin(strc_rest *);
/// Nonzero: the next block has none.
int strc_rest_lasts(strc_rest *);
/// A block with a try has gone well.
void strc_rest_sound(strc_rest *);

#ifdef __cplusplus
}
#endif

#endif
