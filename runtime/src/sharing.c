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

static const double least_gain = 1.03;

void strc_sharing_begin(strc_sharing *sharing, int always) {
    *sharing = (strc_sharing){.trial = kFirstTrial, .is_always = always};
}

static int is_known(const strc_sharing_way *way) { return way->runs >= kMeasured; }

/// The other way is tried before long: the machine may have become busier since then, or idler.
void strc_sharing_remember(strc_sharing *sharing, const strc_tuning *known) {
    if (sharing->is_always) return;
    sharing->alone = (strc_sharing_way){known->alone, kMeasured};
    sharing->shared = (strc_sharing_way){known->shared, kMeasured};
    sharing->chunk = known->chunk;
    sharing->is_shared = known->shared * least_gain < known->alone;
    sharing->trial = kRememberedTrial;
    sharing->until = strc_nanoseconds() + sharing->trial;
}

int strc_sharing_known(const strc_sharing *sharing, strc_tuning *to) {
    *to = (strc_tuning){sharing->alone.each, sharing->shared.each, sharing->chunk};
    return !sharing->is_always && is_known(&sharing->alone) && is_known(&sharing->shared);
}

int strc_sharing_wanted(strc_sharing *sharing) {
    if (sharing->is_always) return 1;
    if (!is_known(&sharing->alone)) return 0;
    if (!is_known(&sharing->shared)) return strc_nanoseconds() >= sharing->until;
    if (strc_nanoseconds() < sharing->until) return sharing->is_shared;
    sharing->is_trial = 1;
    return !sharing->is_shared;
}

uint64_t strc_sharing_chunks(const strc_sharing *sharing, uint32_t threads) {
    const uint64_t fewest = (uint64_t)kFewestAThread * threads;
    if (sharing->chunk <= 0) return fewest;
    const double wanted = kShared / sharing->chunk;
    return wanted < (double)fewest ? fewest : wanted > kMost ? kMost : (uint64_t)wanted;
}

static void note(strc_sharing_way *way, double each) {
    const int is_first = way->runs < kMeasured;
    way->each = is_first ? each : 0.75 * way->each + 0.25 * each;
    if (is_first) ++way->runs;
}

static void decide(strc_sharing *sharing, int64_t now) {
    const int was_shared = sharing->is_shared;
    sharing->is_shared = sharing->shared.each * least_gain < sharing->alone.each;
    if (!sharing->is_trial && sharing->until != 0) return;
    sharing->is_trial = 0;
    sharing->trial = was_shared != sharing->is_shared ? kFirstTrial
                     : sharing->trial < kLongestTrial ? 2 * sharing->trial
                                                      : kLongestTrial;
    sharing->until = now + sharing->trial;
}

void strc_sharing_measured(strc_sharing *sharing, strc_sharing_run run) {
    if (run.states == 0) return;
    const double time = (double)(run.end - run.begin);
    note(run.chunks != 0 ? &sharing->shared : &sharing->alone, time / (double)run.states);
    if (run.chunks != 0) sharing->chunk = time / (double)run.chunks;
    if (is_known(&sharing->alone) && is_known(&sharing->shared)) decide(sharing, run.end);
}

void strc_sharing_failed(strc_sharing *sharing) {
    sharing->is_shared = sharing->is_trial = 0;
    if (sharing->trial < kLongestTrial) sharing->trial *= 2;
    sharing->until = strc_nanoseconds() + sharing->trial;
}
