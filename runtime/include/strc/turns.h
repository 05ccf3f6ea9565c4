/// Several inputs, or several outputs, of a main stream whose items take turns: first so many of the first, then so many of
/// the second, ..., which is a round, and so on.
#ifndef STRC_TURNS_H
#define STRC_TURNS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct strc_turns {
    const uint64_t *items;  ///< of each in a round, none of them 0
    size_t count;
} strc_turns;

/// One of them in a call: an array of so many items, or with room for so many; `done` says how many were taken or given.
typedef struct strc_open_end {
    void *items;
    size_t count, done;
} strc_open_end;

/// How many items of the k-th there are among the first `all` of all.
uint64_t strc_turns_share(strc_turns, size_t k, uint64_t all);
/// How many of all come until item `items` of the k-th is next, of which it has no more.
uint64_t strc_turns_until(strc_turns, size_t k, uint64_t items);

/// `place` items have gone in earlier calls: how many of all can go in this one.
size_t strc_ends_most(strc_turns, const strc_open_end *, uint64_t place);
/// Items `first`, `first + 1`, ... of a call between its arrays and a tape.
typedef struct strc_move {
    strc_turns turns;
    const strc_open_end *ends;
    uint64_t place;  ///< items of all that went in earlier calls
    unsigned char *tape;
    size_t first, items, size;  ///< `size`: bytes of an item
    int gives;  ///< from the tape to the arrays
} strc_move;
void strc_ends_move(const strc_move *);
/// Sets what is done of each, behind so many of all.
void strc_ends_conclude(strc_turns, strc_open_end *, uint64_t place, size_t items);

#ifdef __cplusplus
}
#endif
#endif
