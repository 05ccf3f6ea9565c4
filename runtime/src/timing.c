// The clock of profiles: laps, and which phases are timed.
#include "timing.h"

#include <string.h>

enum {
    kPart = 100,  ///< timing may take one part of so many
    kMostSkipped = 1 << 20,
};

void strc_lap(strc_env *env, int32_t entry) {
    strc_profile_thread *t = env->timing;
    const uint64_t now = strc_ticks(), took = now - t->last;
    if (took > t->cost) t->now[entry] += (took - t->cost) * t->weight;
    if (t->keeps && t->events_of_phase < kEventsOfPhase) {
        ++t->events_of_phase;
        strc_timing_event(t, (uint32_t)entry, t->last);
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

void strc_timing_event(strc_profile_thread *t, uint32_t what, uint64_t begin) {
    if (t->keeps && t->event_count < kEvents)
        t->events[t->event_count++] = (strc_event){begin, strc_ticks(), what, t->group};
}

void strc_timing_waited(strc_profile_thread *t, uint64_t begin) {
    t->waited += strc_ticks() - begin;
    strc_timing_event(t, STRC_EVENT_WAIT, begin);
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
    t->laps = 0;
    t->waited_before = t->waited;
    begin_events(t);
    t->begin = t->last = strc_ticks();
    return t;
}

/// How many runs are left out, so that timing takes one part of kPart. At random, lest it go with something in the program.
static uint64_t skipped(strc_profile_thread *t, uint64_t took) {
    const uint64_t cost = (t->laps + 2) * (t->cost + 1);
    uint64_t skipped = cost * kPart / (took + 1);
    if (skipped > kMostSkipped) skipped = kMostSkipped;
    if (skipped < 2) return skipped;
    t->random = t->random * 1664525 + 1013904223;
    return skipped / 2 + (uint64_t)t->random % skipped;
}

void strc_timing_end(strc_profile_thread *t, strc_profile_phase phase) {
    const uint64_t took = strc_ticks() - t->begin;
    const uint64_t waited = t->waited - t->waited_before;
    const uint64_t cost = t->laps * t->cost + waited;
    if (took > cost) t->busy[phase] += (took - cost) * t->weight;
    strc_timing_event(t, STRC_EVENT_PHASE + phase, t->begin);
    t->samplers[phase].left = skipped(t, took);
    t->keeps = 0;
}

// ---- what engines say

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
