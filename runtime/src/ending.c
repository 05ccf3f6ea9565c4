#include "strc/ending.h"

#include <string.h>

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t sum(int64_t a, int64_t b) { return smaller(a + b, STRC_MOST_COUNT); }

static int64_t product(int64_t a, int64_t b) {
    int64_t value;
    return __builtin_mul_overflow(a, b, &value) ? STRC_MOST_COUNT : smaller(value, STRC_MOST_COUNT);
}

/// Items of so many firings of one end.
static int64_t total(int64_t first, int64_t then, int has_first, int64_t firings) {
    if (firings <= 0) return 0;
    return has_first ? sum(first, product(firings - 1, then)) : product(firings, then);
}

static int64_t produced(const strc_ending_flow *flow, int64_t firings) {
    return total(flow->push_first, flow->push, flow->from_has_first, firings);
}

static int64_t consumed(const strc_ending_flow *flow, int64_t firings) {
    return total(flow->pop_first, flow->pop, flow->to_has_first, firings);
}

/// Most firings of the consumer after so many of the source.
static int64_t enabled(const strc_ending_flow *flow, int64_t firings) {
    int64_t items = sum(flow->initial, produced(flow, firings)), done = 0;
    if (flow->to_has_first) {
        if (items < flow->look_first) return 0;
        items -= flow->pop_first;
        done = 1;
    }
    if (items < flow->look) return done;
    if (flow->pop == 0) return STRC_MOST_COUNT;
    return sum(done + 1, (items - flow->look) / flow->pop);
}

/// Items that have to come before so many firings of the consumer are complete.
static int64_t needed(const strc_ending_flow *flow, int64_t firings) {
    if (firings <= 0) return 0;
    if (flow->to_has_first && firings == 1) return flow->look_first;
    const int64_t last = sum(consumed(flow, firings - 1), flow->look);
    return flow->to_has_first ? larger(flow->look_first, last) : last;
}

/// Least firings of the source for so many of the consumer.
static int64_t source_firings(const strc_ending_flow *flow, int64_t firings) {
    int64_t missing = needed(flow, firings) - flow->initial;
    if (missing <= 0) return 0;
    const int64_t before = flow->from_has_first ? 1 : 0;
    if (before && missing <= flow->push_first) return 1;
    if (before) missing -= flow->push_first;
    if (flow->push == 0) return STRC_MOST_COUNT;
    return before + (missing - 1) / flow->push + 1;
}

void strc_ending_find(const strc_ending *self, const int64_t *fired, int64_t *most,
                      int64_t *wanted) {
    const strc_ending_flow *end = self->flows + self->flow_count;
    for (int changed = 1; changed;) {
        changed = 0;
        for (const strc_ending_flow *flow = self->flows; flow < end; ++flow) {
            const int64_t firings = enabled(flow, most[flow->from]);
            if (firings >= most[flow->to]) continue;
            most[flow->to] = firings;
            changed = 1;
        }
    }
    for (uint32_t k = 0; k < self->node_count; ++k)
        wanted[k] = self->nodes[k].is_wanted ? larger(fired[k], most[k]) : fired[k];
    for (int changed = 1; changed;) {
        changed = 0;
        for (const strc_ending_flow *flow = end; flow-- > self->flows;) {
            const int64_t firings = source_firings(flow, wanted[flow->to]);
            if (firings <= wanted[flow->from]) continue;
            wanted[flow->from] = firings;
            changed = 1;
        }
    }
}

strc_waiting strc_ending_waiting(const strc_ending *self, const int64_t *fired) {
    strc_waiting waiting = {0, STRC_NOBODY};
    int64_t most = 0;
    for (uint32_t k = 0; k < self->flow_count; ++k) {
        const strc_ending_flow *flow = &self->flows[k];
        if (flow->is_open || flow->leads_back) continue;
        const int64_t items = flow->initial + produced(flow, fired[flow->from]) -
                              consumed(flow, fired[flow->to]) - (flow->look - flow->pop);
        if (items <= 0) continue;
        waiting.items = sum(waiting.items, items);
        if (items > most) waiting.most = flow->to;
        most = larger(most, items);
    }
    return waiting;
}

uint64_t strc_draining_numbers(const strc_ending *ending, uint32_t places) {
    return (uint64_t)places + 3 * (uint64_t)ending->node_count;
}

/// A program that has become one filter counts the firings of more nodes than it has.
uint32_t strc_draining_places(const strc_program *program) {
    uint32_t places = program->node_count + 2;
    const strc_ending *ending = program->ending;
    for (uint32_t k = 0; ending && k < ending->node_count; ++k) {
        const uint32_t place = ending->nodes[k].place;
        if (place != STRC_NOBODY && place >= places) places = place + 1;
    }
    return places;
}

/// The numbers of strc_env.left, and how many phases there are until all of them are 0.
static void find_rounds(strc_draining *self, int has_begun) {
    for (uint32_t k = 0; k < self->ending->node_count; ++k) {
        const strc_ending_node *node = &self->ending->nodes[k];
        const int64_t more = self->wanted[k] - self->fired[k];
        if (more <= 0) continue;
        if (node->place != STRC_NOBODY) self->left[node->place] = more;
        if (!has_begun) self->has_init = 1;
        const int64_t behind = has_begun ? more : more - node->init;
        if (behind > 0 && node->steady > 0)
            self->trips = larger(self->trips, (behind - 1) / node->steady + 1);
    }
}

int strc_draining_begin(strc_draining *self, const strc_draining_facts *facts, int64_t *numbers) {
    const strc_ending *ending = facts->ending;
    const uint32_t count = ending->node_count;
    const int has_begun = facts->states >= 0;
    const int64_t last = (has_begun ? facts->states : 0) + ending->states;
    memset(numbers, 0, strc_draining_numbers(ending, facts->places) * sizeof *numbers);
    *self = (strc_draining){.ending = ending,
                            .fired = numbers,
                            .most = numbers + count,
                            .wanted = numbers + 2 * (size_t)count,
                            .left = numbers + 3 * (size_t)count};
    for (uint32_t k = 0; k < count; ++k) {
        const strc_ending_node *node = &ending->nodes[k];
        if (has_begun) self->fired[k] = sum(node->init, product(node->steady, facts->states));
        self->most[k] = sum(node->init, product(node->steady, last));
        if (node->input == STRC_NOBODY) continue;
        const int64_t there =
            facts->still(facts->self, node->input, self->most[k] - self->fired[k]);
        if (there < 0) return -1;
        self->most[k] = smaller(self->most[k], sum(self->fired[k], there));
    }
    strc_ending_find(ending, self->fired, self->most, self->wanted);
    find_rounds(self, has_begun);
    return 0;
}

void (*strc_draining_next(strc_draining *self))(strc_env *, void *) {
    if (self->has_init) {
        self->has_init = 0;
        return self->ending->init;
    }
    if (self->trips <= 0) return NULL;
    --self->trips;
    return self->ending->steady;
}
