#include "sharing.h"

#include "thread.h"

enum {
    kShared = 8000000,  ///< ns that chunks of one transaction should take
    kFirstTrial = 50000000,  ///< ns
    kRememberedTrial = 500000000,
    kLongestTrial = 2000000000,
    kFewestAThread = 2,  ///< chunks
    kMost = 4096,
};

/// What is measured first is slower: memory is touched, threads are made.
enum { kMeasured = 2 };

/// Less than that is no reason for threads, nor for more of them.
static const double least_gain = 1.03;

void strc_sharing_begin(strc_sharing *sharing, uint32_t threads, int always) {
    *sharing = (strc_sharing){.trial = kFirstTrial, .is_always = always, .count = 1};
    sharing->ways[0].threads = 1;
    for (; threads > 1 && sharing->count < STRC_SHARING_WAYS; threads /= 2)
        sharing->ways[sharing->count++].threads = threads;
}

static int is_known(const strc_sharing_way *way) { return way->runs >= kMeasured; }

/// The first of them that has not been measured; `count`: all have been.
static uint32_t first_unknown(const strc_sharing *sharing) {
    uint32_t k = 0;
    while (k < sharing->count && is_known(&sharing->ways[k])) ++k;
    return k;
}

static uint32_t find(const strc_sharing *sharing, uint32_t threads) {
    uint32_t k = 0;
    while (k + 1 < sharing->count && sharing->ways[k].threads != threads) ++k;
    return k;
}

/// The fewest threads with which it is as fast as with any number, or nearly so.
static uint32_t choose(const strc_sharing *sharing) {
    uint32_t best = 0;
    for (uint32_t k = 1; k < sharing->count; ++k) {
        const strc_sharing_way *way = &sharing->ways[k];
        if (!is_known(way)) continue;
        const int is_fewer = way->threads < sharing->ways[best].threads;
        const double than = sharing->ways[best].each;
        if (is_fewer ? way->each < than * least_gain : way->each * least_gain < than) best = k;
    }
    return best;
}

/// The other ways are tried before long: the machine may have become busier since then, or idler.
void strc_sharing_remember(strc_sharing *sharing, const strc_tuning *known) {
    const uint32_t shared = find(sharing, known->threads);
    if (sharing->is_always || shared == 0 || sharing->ways[shared].threads != known->threads)
        return;
    sharing->ways[0] = (strc_sharing_way){1, kMeasured, known->alone, 0};
    sharing->ways[shared] =
        (strc_sharing_way){known->threads, kMeasured, known->shared, known->chunk};
    sharing->used = choose(sharing);
    sharing->trial = kRememberedTrial;
    sharing->until = strc_nanoseconds() + sharing->trial;
}

int strc_sharing_known(const strc_sharing *sharing, strc_tuning *to) {
    if (sharing->is_always || !is_known(&sharing->ways[0])) return 0;
    uint32_t shared = sharing->used;
    for (uint32_t k = 1; shared == 0 && k < sharing->count; ++k)
        if (is_known(&sharing->ways[k])) shared = k;
    if (shared == 0) return 0;
    const strc_sharing_way *way = &sharing->ways[shared];
    *to = (strc_tuning){sharing->ways[0].each, way->each, way->chunk, way->threads};
    return 1;
}

uint32_t strc_sharing_wanted(strc_sharing *sharing) {
    if (sharing->is_always) return sharing->ways[sharing->count > 1 ? 1 : 0].threads;
    const int waits = strc_nanoseconds() < sharing->until;
    if (waits) return sharing->ways[sharing->used].threads;
    const uint32_t unknown = first_unknown(sharing);
    if (unknown < sharing->count) return sharing->ways[unknown].threads;
    sharing->is_trial = 1;
    do sharing->tried = (sharing->tried + 1) % sharing->count;
    while (sharing->tried == sharing->used && sharing->count > 1);
    return sharing->ways[sharing->tried].threads;
}

uint64_t strc_sharing_chunks(const strc_sharing *sharing, uint32_t threads) {
    const uint64_t fewest = (uint64_t)kFewestAThread * threads;
    const double chunk = sharing->ways[find(sharing, threads)].chunk;
    if (chunk <= 0) return fewest;
    const double wanted = kShared / chunk;
    return wanted < (double)fewest ? fewest : wanted > kMost ? kMost : (uint64_t)wanted;
}

static void note(strc_sharing_way *way, double each) {
    const int is_first = way->runs < kMeasured;
    way->each = is_first ? each : 0.75 * way->each + 0.25 * each;
    if (is_first) ++way->runs;
}

static void decide(strc_sharing *sharing, int64_t now) {
    const uint32_t before = sharing->used;
    sharing->used = choose(sharing);
    if (!sharing->is_trial && sharing->until != 0) return;
    sharing->is_trial = 0;
    sharing->trial = before != sharing->used          ? kFirstTrial
                     : sharing->trial < kLongestTrial ? 2 * sharing->trial
                                                      : kLongestTrial;
    sharing->until = now + sharing->trial;
}

void strc_sharing_measured(strc_sharing *sharing, strc_sharing_run run) {
    if (run.states == 0) return;
    const double time = (double)(run.end - run.begin);
    strc_sharing_way *way = &sharing->ways[run.chunks == 0 ? 0 : find(sharing, run.threads)];
    note(way, time / (double)run.states);
    if (run.chunks != 0) way->chunk = time / (double)run.chunks;
    if (first_unknown(sharing) == sharing->count) decide(sharing, run.end);
}

void strc_sharing_failed(strc_sharing *sharing) {
    sharing->used = 0;
    sharing->is_trial = 0;
    if (sharing->trial < kLongestTrial) sharing->trial *= 2;
    sharing->until = strc_nanoseconds() + sharing->trial;
}
