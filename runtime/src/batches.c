#include "batches.h"

#include <stdlib.h>
#include <string.h>

#include "ahead.h"
#include "chunks.h"
#include "run.h"
#include "strc/batching.h"
#include "thread.h"

enum {
    kShort = 8000000,  ///< ns: a batch that takes less may be longer
    kLong = 20000000,
    kMostBytes = 1 << 23,  ///< of items in queues: beyond they leave near memory
    kMostTimes = 1 << 20,
    kFewestChunks = 2,
};

/// A profile counts the firings of each node, one by one.
static int has_regions(const strc_puller *p) {
    return p->demand->batches && p->env->profile == NULL && p->program->device == NULL &&
           p->program->kernels == NULL;
}

static const strc_batch_calls calls = {
    .fire = strc_batches_fire,
    .release = strc_ahead_release,
    .firings = strc_ahead_firings,
    .save = strc_ahead_save,
    .hide = strc_ahead_hide,
    .take_back = strc_ahead_take_back,
    .read = strc_ahead_read,
};

static void begin_sharing(strc_batches *batches) {
    const strc_env *env = batches->puller->env;
    for (uint32_t k = 0; k < batches->puller->demand->region_count; ++k)
        strc_sharing_begin(&batches->teams[k].sharing,
                           strc_sharing_limits_of(batches->nodes[k]->region->chunks, env->workers),
                           env->shares_always);
}

void strc_batches_begin(strc_batches *batches, strc_puller *p, strc_undo *undo) {
    *batches = (strc_batches){.puller = p, .undo = undo};
    if (!has_regions(p)) return;
    batches->sizes = calloc(p->demand->edge_count, sizeof *batches->sizes);
    batches->teams = calloc(p->demand->region_count, sizeof *batches->teams);
    batches->moved = calloc(p->demand->edge_count, sizeof *batches->moved);
    batches->were_unread = calloc(p->demand->edge_count, sizeof *batches->were_unread);
    if (strc_ahead_begin(batches) != 0) return;
    if (!batches->sizes || !batches->moved || !batches->were_unread || !batches->teams) return;
    begin_sharing(batches);
    batches->times = 2;
    p->batches = batches;
    p->batch = &calls;
}

void strc_batches_free(strc_batches *batches) {
    const strc_puller *p = batches->puller;
    for (uint32_t k = 0; batches->teams && k < p->demand->region_count; ++k)
        strc_team_free(batches->teams[k].team);
    strc_ahead_free(batches);
    free(batches->teams);
    free(batches->moved);
    free(batches->were_unread);
    free(batches->sizes);
    free(batches->kept);
}

// ---- transactions

/// Bytes of the items in a queue, those that nobody has asked for included.
static uint64_t bytes_in(const strc_batches *batches, uint32_t edge) {
    const strc_queue *queue = &batches->puller->queues[edge];
    return strc_queue_bytes(queue) + batches->unread[edge] * queue->item;
}

static uint64_t waiting(const strc_batches *batches) {
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < batches->puller->demand->edge_count; ++k)
        bytes += bytes_in(batches, k);
    return bytes;
}

/// 0: what is in the queues is kept.
static int keep_queues(strc_batches *batches) {
    const strc_puller *p = batches->puller;
    const uint64_t bytes = waiting(batches);
    if (bytes > batches->capacity) {
        char *more = realloc(batches->kept, bytes);
        if (!more) return -1;
        batches->kept = more;
        batches->capacity = bytes;
    }
    char *to = batches->kept;
    for (uint32_t k = 0; k < p->demand->edge_count; ++k) {
        batches->sizes[k] = bytes_in(batches, k);
        batches->were_unread[k] = batches->unread[k];
        if (batches->sizes[k] != 0) memcpy(to, p->queues[k].first, batches->sizes[k]);
        to += batches->sizes[k];
    }
    return 0;
}

/// The rollback has put back where the memory of queues was; it may have moved since, but has never become less.
static void put_back_queues(strc_batches *batches) {
    strc_puller *p = batches->puller;
    const char *from = batches->kept;
    for (uint32_t k = 0; k < p->demand->edge_count; ++k) {
        strc_queue *queue = &p->queues[k];
        const uint64_t bytes = batches->sizes[k];
        *queue = batches->moved[k];
        queue->first = queue->data;
        if (bytes != 0) memcpy(queue->data, from, bytes);
        batches->unread[k] = batches->were_unread[k];
        queue->last = queue->data + bytes - batches->unread[k] * queue->item;
        from += bytes;
    }
}

static void forget_what_was_under_way(strc_puller *p) {
    p->depth = 0;
    p->nesting = 0;
    p->times = 1;
    p->progress = 0;
    p->env->depth = 0;
    p->env->strings_kept = 0;
}

int strc_batches_undo(strc_batches *batches, strc_end why) {
    strc_puller *p = batches->puller;
    if (!batches->undo->is_open || why == STRC_END_ITERATIONS) return 0;
    const uint64_t times = p->times;
    memcpy(batches->moved, p->queues, p->demand->edge_count * sizeof *batches->moved);
    strc_undo_rollback(batches->undo);
    put_back_queues(batches);
    strc_ahead_forget(batches);
    forget_what_was_under_way(p);
    p->env->firings = batches->firings;
    if (why == STRC_END_INTERRUPTED && strc_watch_interrupted(batches->undo->watch)) return 0;
    batches->times = times > 2 ? times / 2 : 2;
    batches->patience = 2 * batches->patience + times;
    batches->alone_until = p->done + batches->patience;
    return 1;
}

/// The most iterations of a batch now; 1: the next one is done alone. The first one primes what nothing has been asked of yet.
static uint64_t size_of_next(const strc_batches *batches, uint64_t iterations) {
    const strc_puller *p = batches->puller;
    if (p->demand->batches == STRC_BATCHING_UNCOUNTED && iterations != UINT64_MAX) return 1;
    const uint64_t left = iterations - p->done;
    if (batches->times == 0 || p->done == 0 || p->done < batches->alone_until) return 1;
    return batches->times < left ? batches->times : left;
}

static void adapt(strc_batches *batches, int64_t begun) {
    const int64_t took = strc_nanoseconds() - begun;
    if (took > kLong && batches->times > 2) batches->times /= 2;
    const int is_small = waiting(batches) < kMostBytes && batches->times < kMostTimes;
    if (took < kShort && is_small) batches->times *= 2;
}

strc_end strc_batches_run(strc_batches *batches, uint64_t iterations) {
    strc_puller *p = batches->puller;
    while (p->done < iterations) {
        const uint64_t times = size_of_next(batches, iterations);
        const int64_t begun = times > 1 ? strc_nanoseconds() : 0;
        const int is_batch =
            times > 1 && keep_queues(batches) == 0 && strc_undo_begin(batches->undo) == 0;
        batches->firings = p->env->firings;
        if (is_batch) strc_ahead_expect(batches, times, batches->before);
        batches->before = is_batch ? times : 0;
        const strc_end end = strc_puller_iterate(p, is_batch ? times : 1);
        if (end != STRC_END_ITERATIONS) return end;
        if (!is_batch) continue;
        if (strc_undo_commit(batches->undo) != 0) return STRC_END_STOPPED;
        adapt(batches, begun);
    }
    return STRC_END_ITERATIONS;
}

// ---- regions

/// The team of a region, which is made when it is first needed; null: there is no memory.
static strc_team *team_of(strc_batches *batches, const strc_region *region) {
    const strc_puller *p = batches->puller;
    strc_region_team *all = &batches->teams[region->number];
    if (!all->team) all->team = strc_team_new(p->program, region->chunks, p->env, p->state);
    return all->team;
}

/// How many chunks threads do of so many firings; 0: they had better not. `division`: how.
static uint64_t chunks_of(strc_batches *batches, const strc_region *region, uint64_t times,
                          strc_division *division) {
    const strc_chunks *chunks = region->chunks;
    if (!chunks || batches->puller->env->workers <= 1) return 0;
    if (times / chunks->iterations < kFewestChunks) return 0;
    strc_sharing *sharing = &batches->teams[region->number].sharing;
    *division = strc_sharing_wanted(sharing);
    if (division->threads <= 1) return 0;
    const uint64_t count = times / (chunks->iterations * division->slices);
    if (count < kFewestChunks) strc_sharing_lacks(sharing, *division);
    return count >= kFewestChunks && team_of(batches, region) ? count : 0;
}

static void share(strc_batches *batches, const strc_region *region, uint64_t count,
                  strc_division division) {
    strc_puller *p = batches->puller;
    strc_region_team *all = &batches->teams[region->number];
    strc_end why = STRC_END_INTERRUPTED;
    strc_watch_team(batches->undo->watch, all->team);
    const uint64_t done = strc_team_run(all->team, p->env, p->state, count, division, &why);
    strc_watch_team(batches->undo->watch, NULL);
    if (done == count) return;
    if (why == STRC_END_INTERRUPTED) strc_sharing_failed(&all->sharing);
    strc_leave(p->env, why);
}

void strc_batches_fire(strc_batches *batches, const strc_node *node, strc_queue *in,
                       strc_queue *out, uint64_t times) {
    strc_puller *p = batches->puller;
    const strc_region *region = node->region;
    strc_sharing_run measured = {.states = times};
    measured.chunks = chunks_of(batches, region, times, &measured.division);
    if (region->chunks) measured.begin = strc_nanoseconds();
    if (measured.chunks != 0) {
        share(batches, region, measured.chunks, measured.division);
        times -= measured.chunks * region->chunks->iterations * measured.division.slices;
    }
    for (; times >= region->iterations; times -= region->iterations) {
        region->run(p->env, p->state);
        strc_strings_release(p->env);
    }
    for (; times != 0; --times) node->fire(p->env, p->state, in, out, 0);
    if (!region->chunks || p->env->workers <= 1) return;
    measured.end = strc_nanoseconds();
    strc_sharing_measured(&batches->teams[region->number].sharing, measured);
}
