// What a profile has gathered, and what that says.
#include "strc/profile.h"

#include <stdlib.h>
#include <string.h>

#include "timing.h"

static int begin_thread(strc_profile *p, uint32_t number, int keeps_events) {
    strc_profile_thread *t = &p->threads[number];
    const uint64_t entries = p->tables->entry_count;
    *t = (strc_profile_thread){.entry_count = entries, .stride = 1, .random = number + 1};
    t->ticks = calloc(STRC_PROFILE_PHASES * entries + 1, sizeof *t->ticks);
    if (keeps_events) t->events = malloc(kEvents * sizeof *t->events);
    return !t->ticks || (keeps_events && !t->events);
}

/// The least that a lap takes.
static uint64_t cost_of_lap(strc_profile_thread *t) {
    uint64_t least = UINT64_MAX, ticks[1] = {0};
    strc_env env = {.timing = t};
    t->now = ticks;
    t->weight = 0;
    t->longest = UINT64_MAX;
    for (int k = 0; k < 256; ++k) {
        const uint64_t before = t->last;
        strc_lap(&env, 0);
        if (k > 0 && t->last - before < least) least = t->last - before;
    }
    return least;
}

strc_profile *strc_profile_new(const strc_profile_tables *tables, uint32_t threads,
                               int keeps_events) {
    strc_profile *p = malloc(sizeof *p);
    if (!p) return NULL;
    *p = (strc_profile){.tables = tables, .thread_count = threads ? threads : 1};
    p->threads = calloc(p->thread_count, sizeof *p->threads);
    p->marks = calloc(tables->channel_count + 1, sizeof *p->marks);
    p->fired = calloc(tables->node_count + 1, sizeof *p->fired);
    int failed = !p->threads || !p->marks || !p->fired;
    for (uint32_t k = 0; !failed && k < p->thread_count; ++k)
        failed = begin_thread(p, k, keeps_events);
    if (failed) {
        strc_profile_free(p);
        return NULL;
    }
    const uint64_t cost = cost_of_lap(&p->threads[0]);
    for (uint32_t k = 0; k < p->thread_count; ++k) p->threads[k].cost = cost;
    return p;
}

void strc_profile_free(strc_profile *p) {
    if (!p) return;
    for (uint32_t k = 0; p->threads && k < p->thread_count; ++k) {
        free(p->threads[k].ticks);
        free(p->threads[k].events);
    }
    free(p->threads);
    free(p->marks);
    free(p->fired);
    free(p);
}

// ---- what that says

double strc_profile_tick(const strc_profile *p) {
    const double ticks = (double)(p->end - p->begin);
    return ticks > 0 ? (double)(p->end_ns - p->begin_ns) * 1e-9 / ticks : 0;
}

/// Those since the last one that was timed are like the others.
static double stands_for(const strc_profile_thread *t, int phase) {
    const strc_sampler *sampler = &t->samplers[phase];
    const uint64_t known = sampler->runs - sampler->since;
    return known == 0 ? 0 : (double)sampler->runs / (double)known;
}

uint64_t strc_profile_firings(const strc_profile *p, uint32_t id) {
    const strc_profile_node *node = &p->tables->nodes[id];
    if (!p->counts) {
        const int has_begun = p->threads[0].samplers[STRC_PROFILE_INIT].runs != 0;
        return has_begun ? node->init_firings + node->steady_firings * p->iterations : 0;
    }
    if (node->head == STRC_NOBODY || node->head == id) return p->fired[id];
    const uint64_t times = p->fired[node->head];
    return times == 0 ? 0 : node->init_firings + node->steady_firings * (times - 1);
}

static double seconds_of_entry(const strc_profile *p, uint32_t entry) {
    double ticks = 0;
    for (uint32_t k = 0; k < p->thread_count; ++k)
        for (int phase = 0; phase < STRC_PROFILE_PHASES; ++phase) {
            const strc_profile_thread *t = &p->threads[k];
            ticks +=
                (double)t->ticks[(uint64_t)phase * t->entry_count + entry] * stands_for(t, phase);
        }
    return ticks * strc_profile_tick(p);
}

double *strc_profile_times(const strc_profile *p, unsigned char **estimated) {
    const strc_profile_tables *tables = p->tables;
    double *times = calloc(tables->node_count + 1, sizeof *times);
    *estimated = calloc(tables->node_count + 1, 1);
    if (!times || !*estimated) {
        free(times);
        free(*estimated);
        *estimated = NULL;
        return NULL;
    }
    for (uint32_t entry = 0; entry < tables->entry_count; ++entry) {
        const strc_profile_entry *row = &tables->entries[entry];
        const double seconds = seconds_of_entry(p, entry);
        for (uint32_t k = 0; k < row->count; ++k) {
            const strc_profile_member *member = &tables->members[row->first + k];
            const uint32_t at = member->node == STRC_NOBODY ? tables->node_count : member->node;
            times[at] += seconds * member->share;
            if (seconds > 0 && row->count > 1) (*estimated)[at] = 1;
        }
    }
    return times;
}

double strc_profile_busy(const strc_profile *p, uint32_t thread) {
    const strc_profile_thread *t = &p->threads[thread];
    double ticks = 0;
    for (int phase = 0; phase < STRC_PROFILE_PHASES; ++phase)
        ticks += (double)t->busy[phase] * stands_for(t, phase);
    return ticks * strc_profile_tick(p);
}

int64_t strc_profile_mark(const strc_profile *p, uint32_t channel) {
    const strc_profile_channel *row = &p->tables->channels[channel];
    int64_t most = p->marks[channel] != 0 ? (int64_t)p->marks[channel] : -1;
    for (uint32_t k = 0; k < p->thread_count; ++k)
        for (int phase = 0; phase < STRC_PROFILE_PHASES; ++phase)
            if (p->threads[k].samplers[phase].runs != 0 && row->marks[phase] > most)
                most = row->marks[phase];
    return most;
}

const strc_profile_calls strc_profile_in_executable = {strc_profile_new, strc_profile_free,
                                                       strc_profile_table, strc_profile_json};
