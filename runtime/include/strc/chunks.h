/// How several threads run a program: chunks of steady states, each done by one thread in a copy of the state of its own, while other
/// threads do the chunks before and behind. What a chunk needs of the one before is carried: state of filters, items that stay on
/// tapes, and the turn to print, read or write (docs/design/cores.md). Constants of a compiled program.
#ifndef STRC_CHUNKS_H
#define STRC_CHUNKS_H

#include <stdint.h>

#include "strc/runtime.h"

typedef enum strc_carry_kind {
    STRC_CARRY_BYTES,  ///< bytes of the state; none: only the turn
    STRC_CARRY_AFFINE,  ///< an int x of the state, which a slice makes (x * factor + summand) & mask
    STRC_CARRY_COUNTER,  ///< 8 bytes of the state, which grow by `summand` in a slice
    STRC_CARRY_RANDOM,  ///< strc_env.random
    STRC_CARRY_MAIL  ///< what waits in a strc_mailbox of the state; what was sent in this chunk comes behind it
} strc_carry_kind;

/// A chunk takes it before it begins with segment `taken`, and gives it once the segments before `given` are done. Affine numbers and
/// counters: at once.
typedef struct strc_carry {
    uint64_t from;  ///< offset into the state, where a chunk of one slice leaves it
    uint64_t per_slice;  ///< bytes that it lies further on for each further slice
    uint64_t to;  ///< offset into the state, where all phases expect it
    uint64_t size;  ///< bytes
    uint64_t at;  ///< offset into what is handed over
    uint32_t taken, given;
    uint32_t kind;  ///< strc_carry_kind
    uint32_t factor, summand, mask;
} strc_carry;

typedef struct strc_hand_overs {
    const strc_carry *carries;  ///< by `taken`, in ascending order
    const uint32_t *given;  ///< their numbers, by `given`, in ascending order
} strc_hand_overs;

/// A chunk has 1 to `slices` slices. A segment is done for all of them, one after the other, before the next segment is.
typedef struct strc_chunks {
    const uint64_t *reads;  ///< items of each input in a slice
    uint64_t iterations;  ///< steady states in a slice
    uint64_t handed;  ///< bytes of all that is handed over
    void (*const *segments)(strc_env *, void *state, uint64_t slice);
    strc_hand_overs fine;
    strc_hand_overs coarse;  ///< at fewer boundaries; null: there is no such choice
    uint32_t segment_count, carry_count;
    uint32_t slices;  ///< of a chunk at the most
    uint32_t usual;  ///< likewise, that it should have by the estimate
} strc_chunks;

#endif
