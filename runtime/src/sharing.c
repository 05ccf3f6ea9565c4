#include "sharing.h"

#include <stddef.h>

#include "thread.h"

enum {
    kShared = 8000000,  ///< ns that chunks of one transaction should take
    kChunk = 100000,  ///< ns of a thread that are worth the hand-overs of a chunk
    kFirstTrial = 50000000,  ///< ns
    kTried = 2000000,  ///< ns of a way that a trial measures
    kRememberedTrial = 500000000,
    kLongestTrial = 2000000000,
    kFewestAThread = 2,  ///< chunks
    kMost = 4096,
    kNumbersOfThreads = 4,  ///< that are tried: one, all, half and a quarter of them
};

/// Less than that is no reason for threads, nor for more of them, nor for other chunks.
static const double least_gain = 1.03;
static const double slowest = 1e30;  ///< ns
static const double most_slower = 1.25;  ///< than of late, as far as one transaction counts

strc_sharing_limits strc_sharing_limits_of(const strc_chunks *chunks, uint32_t threads) {
    if (!chunks) return (strc_sharing_limits){.threads = 1, .slices = 1, .usual = 1};
    return (strc_sharing_limits){.threads = threads,
                                 .slices = chunks->slices,
                                 .usual = chunks->usual,
                                 .has_coarse = chunks->coarse.carries != NULL};
}

void strc_sharing_begin(strc_sharing *sharing, strc_sharing_limits limits, int always) {
    *sharing = (strc_sharing){.limits = limits,
                              .trial = kFirstTrial,
                              .is_always = always,
                              .delays = strc_delays(),
                              .last = STRC_SHARING_WAYS};
    strc_division division = {1, limits.usual, 0};
    sharing->ways[sharing->count++].division = division;
    for (division.threads = limits.threads;
         division.threads > 1 && sharing->count < kNumbersOfThreads; division.threads /= 2)
        sharing->ways[sharing->count++].division = division;
}

/// The first of them that has not been measured; `count`: all have been.
static uint32_t first_unknown(const strc_sharing *sharing) {
    uint32_t k = 0;
    while (k < sharing->count && sharing->ways[k].is_known) ++k;
    return k;
}

/// `count`: it is none of them.
static uint32_t find(const strc_sharing *sharing, strc_division wanted) {
    uint32_t k = 0;
    for (; k < sharing->count; ++k) {
        const strc_division *each = &sharing->ways[k].division;
        if (each->threads == wanted.threads && each->slices == wanted.slices &&
            each->is_coarse == wanted.is_coarse)
            break;
    }
    return k;
}

/// The fewest threads with which it is as fast as with any number, or nearly so; of ways with so many threads the one that was there first.
static uint32_t choose(const strc_sharing *sharing) {
    uint32_t best = 0;
    for (uint32_t k = 1; k < sharing->count; ++k) {
        const strc_sharing_way *way = &sharing->ways[k];
        if (!way->is_known) continue;
        const int is_fewer = way->division.threads < sharing->ways[best].division.threads;
        const double than = sharing->ways[best].each;
        if (is_fewer ? way->each < than * least_gain : way->each * least_gain < than) best = k;
    }
    return best;
}

// ---- ways that are like the one in use

static int is_possible(const strc_sharing_limits *limits, strc_division division) {
    return division.slices >= 1 && division.slices <= limits->slices &&
           division.is_coarse <= (uint32_t)limits->has_coarse &&
           (!limits->is_fixed || (division.slices == limits->usual && !division.is_coarse));
}

/// Unless it is there already, cannot be, or there are too many.
static void add(strc_sharing *sharing, strc_division division) {
    if (!is_possible(&sharing->limits, division) || sharing->count == STRC_SHARING_WAYS ||
        find(sharing, division) != sharing->count)
        return;
    sharing->ways[sharing->count] = (strc_sharing_way){.division = division};
    ++sharing->count;
}

/// So many slices that a chunk takes long enough, by what chunks took with the way that is used. The plan knows an estimate alone.
static uint32_t long_enough(const strc_sharing *sharing) {
    const strc_sharing_way *used = &sharing->ways[sharing->used];
    const double each = used->chunk * used->division.threads / used->division.slices;
    uint32_t slices = used->division.slices;
    while (2 * slices <= sharing->limits.slices && 2 * slices * each <= kChunk) slices *= 2;
    return slices;
}

/// Chunks of half and of twice the length, longer ones if these are short, and those with other sections.
static void add_neighbours(strc_sharing *sharing) {
    const strc_division used = sharing->ways[sharing->used].division;
    if (used.threads <= 1) return;
    const uint32_t enough = long_enough(sharing);
    if (enough > 2 * used.slices)
        add(sharing, (strc_division){used.threads, enough, used.is_coarse});
    add(sharing, (strc_division){used.threads, used.slices / 2, used.is_coarse});
    add(sharing, (strc_division){used.threads, used.slices * 2, used.is_coarse});
    add(sharing, (strc_division){used.threads, used.slices, !used.is_coarse});
}

/// The other ways are tried before long: the machine may have become busier since then, or idler. One thread is tried first.
void strc_sharing_remember(strc_sharing *sharing, const strc_tuning *known) {
    strc_division usual = known->division;
    usual.slices = sharing->limits.usual;
    usual.is_coarse = 0;
    const uint32_t threads = find(sharing, usual);
    if (sharing->is_always || threads == 0 || threads == sharing->count) return;
    if (!is_possible(&sharing->limits, known->division)) return;
    add(sharing, known->division);
    const uint32_t shared = find(sharing, known->division);
    sharing->ways[0].is_known = sharing->ways[shared].is_known = 1;
    sharing->ways[0].each = known->alone;
    sharing->ways[shared].each = known->shared;
    sharing->ways[shared].chunk = known->chunk;
    sharing->used = choose(sharing);
    sharing->is_remembered = sharing->used != 0;
    sharing->trial = sharing->is_remembered ? kFirstTrial : kRememberedTrial;
    sharing->until = strc_nanoseconds() + sharing->trial;
}

int strc_sharing_known(const strc_sharing *sharing, strc_tuning *to) {
    if (sharing->is_always || !sharing->ways[0].is_known) return 0;
    uint32_t shared = sharing->used;
    for (uint32_t k = 1; shared == 0 && k < sharing->count; ++k)
        if (sharing->ways[k].is_known) shared = k;
    if (shared == 0) return 0;
    const strc_sharing_way *way = &sharing->ways[shared];
    *to = (strc_tuning){sharing->ways[0].each, way->each, way->chunk, way->division};
    return 1;
}

/// All threads. In tests with delays each transaction is divided in another way.
static strc_division always(strc_sharing *sharing) {
    strc_division division = sharing->ways[sharing->count > 1 ? 1 : 0].division;
    if (sharing->delays == 0 || sharing->limits.is_fixed) return division;
    sharing->delays = sharing->delays * 1664525 + 1013904223;
    division.slices = 1 + (sharing->delays >> 8) % sharing->limits.slices;
    division.is_coarse = sharing->limits.has_coarse && sharing->delays >> 31 != 0;
    return division;
}

strc_division strc_sharing_wanted(strc_sharing *sharing) {
    if (sharing->is_always) return always(sharing);
    const int waits = strc_nanoseconds() < sharing->until;
    if (waits) return sharing->ways[sharing->used].division;
    if (sharing->is_remembered) {
        sharing->is_remembered = 0;
        sharing->is_trial = 1;
        sharing->tried = 0;
    }
    if (sharing->is_trial) return sharing->ways[sharing->tried].division;
    if (sharing->until != 0 && first_unknown(sharing) == sharing->count) add_neighbours(sharing);
    const uint32_t unknown = first_unknown(sharing);
    if (unknown < sharing->count) return sharing->ways[unknown].division;
    sharing->is_trial = 1;
    do sharing->tried = (sharing->tried + 1) % sharing->count;
    while (sharing->tried == sharing->used && sharing->count > 1);
    return sharing->ways[sharing->tried].division;
}

uint64_t strc_sharing_chunks(const strc_sharing *sharing, strc_division division) {
    const uint64_t fewest = (uint64_t)kFewestAThread * division.threads;
    const uint32_t way = find(sharing, division);
    const double chunk = way < sharing->count ? sharing->ways[way].chunk : 0;
    if (chunk <= 0) return fewest;
    const double wanted = kShared / chunk;
    return wanted < (double)fewest ? fewest : wanted > kMost ? kMost : (uint64_t)wanted;
}

/// The first transaction behind one of another way does not count: memory is touched, threads are made, and those that worked before
/// still look for more.
static int comes_first(strc_sharing *sharing, uint32_t number) {
    strc_sharing_way *way = &sharing->ways[number];
    const int is_first = number != sharing->last && (way->is_known || !way->has_run);
    sharing->last = number;
    way->has_run = 1;
    return is_first;
}

/// Of a way that is tried as many transactions count as make a time that can be compared. Nonzero: that is so; `each` becomes their mean.
static int is_tried(strc_sharing *sharing, uint32_t number, strc_sharing_run run, double *each) {
    strc_sharing_attempt *attempt = &sharing->attempt;
    if (attempt->way != number) *attempt = (strc_sharing_attempt){.way = number};
    attempt->time += (double)(run.end - run.begin);
    attempt->states += (double)run.states;
    if (attempt->time < kTried) return 0;
    *each = attempt->time / attempt->states;
    *attempt = (strc_sharing_attempt){.way = number};
    return 1;
}

/// One transaction that the system stopped for some ms says nothing: only several in a row make a way much slower.
static void note(strc_sharing_way *way, double each) {
    const double most = way->each * most_slower;
    if (way->is_measured && each > most) each = most;
    way->each = way->is_measured ? 0.75 * way->each + 0.25 * each : each;
    way->is_known = way->is_measured = 1;
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
    const uint32_t number = run.chunks == 0 ? 0 : find(sharing, run.division);
    if (number == sharing->count) return;
    strc_sharing_way *way = &sharing->ways[number];
    if (run.chunks != 0) way->chunk = time / (double)run.chunks;
    const int is_first = comes_first(sharing, number);
    // A trial ends where there was too little to do for the way that is tried.
    if (!sharing->is_trial || number == sharing->tried) {
        double each = time / (double)run.states;
        const int is_used = way->is_known && number == sharing->used && !sharing->is_trial;
        if (is_first || (!is_used && !is_tried(sharing, number, run, &each))) return;
        note(way, each);
    }
    if (sharing->is_trial || first_unknown(sharing) == sharing->count) decide(sharing, run.end);
}

/// Longer chunks than usual are not waited for: they count as the slowest way.
void strc_sharing_lacks(strc_sharing *sharing, strc_division division) {
    const uint32_t number = find(sharing, division);
    if (division.slices <= sharing->limits.usual || number == sharing->count) return;
    if (sharing->ways[number].is_known) return;
    sharing->ways[number].is_known = 1;
    sharing->ways[number].each = slowest;
}

void strc_sharing_failed(strc_sharing *sharing) {
    sharing->used = 0;
    sharing->is_trial = 0;
    if (sharing->trial < kLongestTrial) sharing->trial *= 2;
    sharing->until = strc_nanoseconds() + sharing->trial;
}
