#include "strc/turns.h"

#include <string.h>

static uint64_t before(strc_turns turns, size_t k) {
    uint64_t items = 0;
    for (size_t j = 0; j < k; ++j) items += turns.items[j];
    return items;
}

static uint64_t round_of(strc_turns turns) { return before(turns, turns.count); }

uint64_t strc_turns_share(strc_turns turns, size_t k, uint64_t all) {
    const uint64_t round = round_of(turns), first = before(turns, k), turn = turns.items[k];
    const uint64_t last = all % round;
    const uint64_t some = last < first ? 0 : last - first;
    return all / round * turn + (some < turn ? some : turn);
}

uint64_t strc_turns_until(strc_turns turns, size_t k, uint64_t items) {
    const uint64_t turn = turns.items[k];
    return items / turn * round_of(turns) + before(turns, k) + items % turn;
}

size_t strc_ends_most(strc_turns turns, const strc_open_end *ends, uint64_t place) {
    const uint64_t start = place % round_of(turns);
    uint64_t least = UINT64_MAX;
    for (size_t k = 0; k < turns.count; ++k) {
        const uint64_t have = strc_turns_share(turns, k, start) + ends[k].count;
        const uint64_t until = strc_turns_until(turns, k, have);
        if (until < least) least = until;
    }
    return (size_t)(least - start);
}

/// Most pieces are a number.
static void copy(unsigned char *to, const unsigned char *from, size_t bytes) {
    if (bytes == sizeof(uint32_t))
        memcpy(to, from, sizeof(uint32_t));
    else
        memcpy(to, from, bytes);
}

/// Moves the items of end `k`, which lie on the tape in pieces as long as a turn.
static void move_one(const strc_move *all, size_t k) {
    const strc_turns turns = all->turns;
    const uint64_t turn = turns.items[k], round = round_of(turns), size = all->size;
    const uint64_t start = all->place % round, from = start + all->first;
    const uint64_t end = strc_turns_share(turns, k, from + all->items);
    uint64_t item = strc_turns_share(turns, k, from);
    uint64_t at = strc_turns_until(turns, k, item) - from;
    unsigned char *here =
        (unsigned char *)all->ends[k].items + (item - strc_turns_share(turns, k, start)) * size;
    for (uint64_t left = turn - item % turn, some; item < end; item += some, left = turn) {
        some = end - item < left ? end - item : left;
        const size_t bytes = (size_t)(some * size);
        unsigned char *tape = all->tape + at * size;
        copy(all->gives ? here : tape, all->gives ? tape : here, bytes);
        here += bytes;
        at += some + round - turn;
    }
}

void strc_ends_move(const strc_move *all) {
    for (size_t k = 0; k < all->turns.count; ++k)
        if (all->ends[k].count != 0) move_one(all, k);
}

void strc_ends_conclude(strc_turns turns, strc_open_end *ends, uint64_t place, size_t items) {
    const uint64_t start = place % round_of(turns);
    for (size_t k = 0; k < turns.count; ++k)
        ends[k].done =
            (size_t)(strc_turns_share(turns, k, start + items) - strc_turns_share(turns, k, start));
}
