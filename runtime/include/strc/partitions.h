/// A phase that several threads share within one call of a library: partitions of its steps, each with the state of its filters, in slices
/// of the same number of steady states. All items of the phase have places of their own, so a slice may be done as soon as
/// what it reads is there. What comes of it has the bits of one thread.
#ifndef STRC_PARTITIONS_H
#define STRC_PARTITIONS_H

#include <stdint.h>

#include "strc/runtime.h"

/// A slice of partition p may be done when the same slice, and all before, of each of its needs are: all of them, if either has
/// one slice alone. If it is `in_order` the slices of p before have to be done as well.
typedef struct strc_partition {
    void (*run)(strc_env *, void *state, uint64_t slice);
    const uint32_t *needs;  ///< partitions
    uint32_t need_count;
    uint32_t slices;  ///< 1, or strc_partitioning.slices
    uint32_t in_order;
    uint32_t random;  ///< it draws random numbers; only one does
    uint32_t home;  ///< the thread that looks for it first; 0: the caller's
    uint32_t node;  ///< that stands for it
} strc_partition;

/// Messages from one partition to a filter of another one, which needs it. No other partition sends to that filter.
typedef struct strc_post {
    uint32_t from, to;  ///< partitions
    uint32_t box;  ///< mailbox of the filter
} strc_post;

/// There are at most so many of either.
#define STRC_MOST_SLICES 32
#define STRC_MOST_PARTITIONS 64

typedef struct strc_partitioning {
    const uint64_t *reads;  ///< items of each input in the phase
    uint64_t iterations;  ///< steady states
    void (*begin)(strc_env *, void *state);  ///< by the calling thread, before all else
    void (*end)(strc_env *, void *state);  ///< likewise, when all else is done
    const strc_partition *partitions;  ///< in the order in which threads look for something to do
    uint32_t count;
    uint32_t slices;
    uint64_t work;  ///< estimated: some 3000 to 20000 in a microsecond
    const uint32_t *owners;  ///< partitions by mailbox; null: there are no messages
    const strc_post *posts;
    uint64_t post_count;
} strc_partitioning;

#endif
