// The clock of profiles: laps, and which phases are timed.
#include "timing.h"

#include <string.h>

enum {
    kPart = 100,  ///< timing may take one part of so many
    kOfPhase = 400,  ///< ticks that it takes to time a phase, beside its laps
    kMostSkipped = 1 << 20,
    kInterrupted = 4,  ///< what takes so many times as long as all of a phase was interrupted
};

/// What has gone by since the last lap, without what the lap takes. A thread that the system has stopped meanwhile has lost its time once,
/// not in all the phases for which the present one stands.
static uint64_t weighed(const strc_profile_thread *t, uint64_t took) {
    if (took <= t->cost) return 0;
    return (took - t->cost) * (took > t->longest ? 1 : t->weight);
}

void strc_lap(strc_env *env, int32_t entry) {
    strc_profile_thread *t = env->timing;
    const uint64_t now = strc_ticks(), ticks = weighed(t, now - t->last);
    t->now[entry] += ticks;
    t->busy_now += ticks;
    if (t->keeps && t->events_of_phase < kEventsOfPhase) {
        ++t->events_of_phase;
        strc_timing_event(t, (uint32_t)entry, t->last, now);
    }
    ++t->laps;
    t->last = now;
}

/// Keeps the events of every second phase that has any.
static void thin_out(strc_profile_thread *t) {
    uint32_t kept = 0;
    t->stride *= 2;
    for (uint32_t k = 0; k < t->event_count; ++k)
        if (t->events[k].group % t->stride == 0) t->events[kept++] = t->events[k];
    t->event_count = kept;
}

void strc_timing_event(strc_profile_thread *t, uint32_t what, uint64_t begin, uint64_t end) {
    if (t->keeps && t->event_count < kEvents)
        t->events[t->event_count++] = (strc_event){begin, end, what, t->group};
}

void strc_timing_waited(strc_profile_thread *t, uint64_t begin) {
    const uint64_t now = strc_ticks();
    t->waited += now - begin;
    strc_timing_event(t, STRC_EVENT_WAIT, begin, now);
}

static void begin_events(strc_profile_thread *t) {
    t->events_of_phase = 0;
    if (!t->events) return;
    while (t->event_count > kEvents - kEventsOfPhase - 64) thin_out(t);
    ++t->group;
    t->keeps = t->group % t->stride == 0;
}

strc_profile_thread *strc_timing_begin(strc_profile_thread *t, strc_profile_phase phase) {
    strc_sampler *sampler = &t->samplers[phase];
    t->keeps = 0;  // should the one before not have come to its end
    ++sampler->runs;
    ++sampler->since;
    if (sampler->left != 0) {
        --sampler->left;
        return NULL;
    }
    t->weight = sampler->since;
    sampler->since = 0;
    t->now = t->ticks + phase * t->entry_count;
    t->laps = t->busy_now = 0;
    t->waited_before = t->waited;
    t->longest = sampler->typical != 0 ? kInterrupted * sampler->typical : UINT64_MAX;
    begin_events(t);
    t->begin = t->last = strc_ticks();
    return t;
}

/// How many runs are left out, so that timing takes one part of kPart. At random, lest it go with something in the program.
static uint64_t skipped(strc_profile_thread *t, uint64_t typical) {
    const uint64_t cost = 2 * t->laps * t->cost + kOfPhase;
    uint64_t skipped = cost * kPart / (typical + 1);
    if (skipped > kMostSkipped) skipped = kMostSkipped;
    if (skipped < 2) return skipped;
    t->random = t->random * 1664525 + 1013904223;
    return skipped / 2 + (uint64_t)t->random % skipped;
}

/// Rather too short than too long: phases are interrupted, and the first one is slow.
static uint64_t typical_of(uint64_t before, uint64_t took) {
    if (before == 0 || took < before) return took;
    const uint64_t most = before + before / 4;
    return took < most ? took : most;
}

void strc_timing_end(strc_profile_thread *t, strc_profile_phase phase) {
    strc_sampler *sampler = &t->samplers[phase];
    const uint64_t now = strc_ticks(), took = now - t->begin;
    t->busy[phase] += t->busy_now + weighed(t, now - t->last);
    strc_timing_event(t, STRC_EVENT_PHASE + phase, t->begin, now);
    const uint64_t waited = t->waited - t->waited_before;
    sampler->typical = typical_of(sampler->typical, took > waited ? took - waited : 1);
    sampler->left = skipped(t, sampler->typical);
    t->keeps = 0;
}

void strc_profile_start(strc_profile *p) {
    p->begin = strc_ticks();
    p->begin_ns = strc_nanoseconds();
}

void strc_profile_stop(strc_profile *p, uint64_t iterations) {
    p->end = strc_ticks();
    p->end_ns = strc_nanoseconds();
    p->iterations = iterations;
}

void strc_profile_set_firings(strc_profile *p, uint32_t node, uint64_t firings) {
    p->counts = 1;
    p->fired[node] = firings;
}

void strc_profile_note_items(strc_profile *p, uint32_t channel, uint64_t items) {
    if (items > p->marks[channel]) p->marks[channel] = items;
}

int strc_profile_begin_iteration(strc_profile *p) {
    return strc_timing_begin(&p->threads[0], STRC_PROFILE_STEADY) != NULL;
}

void strc_profile_end_iteration(strc_profile *p) {
    strc_timing_end(&p->threads[0], STRC_PROFILE_STEADY);
}

void strc_profile_lap(strc_profile *p, uint32_t entry) {
    strc_env env = {.timing = &p->threads[0]};
    strc_lap(&env, (int32_t)entry);
}
