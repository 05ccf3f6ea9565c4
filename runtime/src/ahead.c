#include "ahead.h"

#include <stdlib.h>
#include <string.h>

enum { kFewest = 16 };  ///< firings that are worth saving anything for

static strc_region_ahead *of(strc_batches *batches, const strc_node *node) {
    return &batches->ahead[node->region->number];
}

static const uint32_t *lists_of(const strc_batches *batches, const strc_node *node) {
    return batches->puller->demand->lists + node->first_edge;
}

static strc_queue *output_of(strc_batches *batches, const strc_node *node) {
    return &batches->puller->queues[lists_of(batches, node)[node->inputs]];
}

static strc_queue *input_of(strc_batches *batches, const strc_node *node) {
    return node->inputs ? &batches->puller->queues[lists_of(batches, node)[0]] : NULL;
}

// ---- memory

static uint64_t size_of(const strc_region *region) {
    uint64_t bytes = 1;
    for (uint64_t k = 0; k < region->range_count; ++k) bytes += region->ranges[k].size;
    return bytes;
}

int strc_ahead_begin(strc_batches *batches) {
    const strc_puller *p = batches->puller;
    const strc_demand *demand = p->demand;
    batches->ahead = calloc(demand->region_count, sizeof *batches->ahead);
    batches->nodes = calloc(demand->region_count, sizeof *batches->nodes);
    batches->unread = calloc(demand->edge_count, sizeof *batches->unread);
    if (!batches->ahead || !batches->nodes || !batches->unread) return -1;
    for (uint32_t id = 0; id < p->program->node_count; ++id) {
        const strc_node *node = &demand->nodes[id];
        if (!node->region) continue;
        batches->nodes[node->region->number] = node;
        if (!node->region->runs_ahead) continue;
        of(batches, node)->saved = malloc(size_of(node->region));
        if (!of(batches, node)->saved) return -1;
    }
    return 0;
}

void strc_ahead_free(strc_batches *batches) {
    for (uint32_t k = 0; batches->ahead && k < batches->puller->demand->region_count; ++k)
        free(batches->ahead[k].saved);
    free(batches->ahead);
    free(batches->nodes);
    free(batches->unread);
}

/// Between the state and what is saved of it.
static void copy_ranges(const strc_batches *batches, const strc_region *region, char *saved,
                        int puts_back) {
    char *state = batches->puller->state;
    for (uint64_t k = 0; k < region->range_count; ++k) {
        const strc_range *range = &region->ranges[k];
        if (puts_back)
            memcpy(state + range->at, saved, range->size);
        else
            memcpy(saved, state + range->at, range->size);
        saved += range->size;
    }
}

// ---- firings

void strc_ahead_expect(strc_batches *batches, uint64_t times, uint64_t before) {
    for (uint32_t k = 0; k < batches->puller->demand->region_count; ++k) {
        strc_region_ahead *all = &batches->ahead[k];
        all->expected = before == 0 ? 0 : all->asked * times / before;
        all->asked = 0;
    }
}

uint64_t strc_ahead_release(strc_batches *batches, const strc_node *node, strc_queue *out,
                            uint64_t times) {
    strc_region_ahead *all = of(batches, node);
    const uint64_t released = all->ahead < times ? all->ahead : times;
    all->ahead -= released;
    all->asked += released;
    out->last += released * (uint64_t)node->later.push * out->item;
    return released;
}

uint64_t strc_ahead_firings(strc_batches *batches, const strc_node *node, uint64_t times) {
    strc_region_ahead *all = of(batches, node);
    const uint64_t wanted = all->expected > all->asked ? all->expected - all->asked : 0;
    if (all->saved && wanted >= kFewest && wanted > times) return wanted;
    all->asked += times;
    return times;
}

void strc_ahead_save(strc_batches *batches, const strc_node *node, const strc_queue *in,
                     const strc_queue *out) {
    strc_region_ahead *all = of(batches, node);
    copy_ranges(batches, node->region, all->saved, 0);
    all->first = in ? in->first : NULL;
    all->last = out->last;
}

void strc_ahead_hide(strc_batches *batches, const strc_node *node, strc_queue *out, uint64_t fired,
                     uint64_t times) {
    strc_region_ahead *all = of(batches, node);
    all->fired = fired;
    all->ahead = fired - times;
    all->asked += times;
    out->last -= all->ahead * (uint64_t)node->later.push * out->item;
}

/// The firings that were asked for are done again, from what was saved: they write what lies there already.
static void take_back(strc_batches *batches, const strc_node *node) {
    strc_region_ahead *all = of(batches, node);
    strc_queue *in = input_of(batches, node), *out = output_of(batches, node);
    const uint64_t items = all->ahead * (uint64_t)node->later.pop;
    copy_ranges(batches, node->region, all->saved, 1);
    if (in) in->first = all->first;
    out->last = all->last;
    strc_batches_fire(batches, node, in, out, all->fired - all->ahead);
    all->ahead = 0;
    if (!in) return;
    batches->unread[lists_of(batches, node)[0]] += items;
    in->last -= items * in->item;
}

void strc_ahead_take_back(strc_batches *batches) {
    for (uint32_t k = 0; k < batches->puller->demand->region_count; ++k)
        if (batches->ahead[k].ahead != 0) take_back(batches, batches->nodes[k]);
}

void strc_ahead_forget(strc_batches *batches) {
    for (uint32_t k = 0; k < batches->puller->demand->region_count; ++k)
        batches->ahead[k].ahead = batches->ahead[k].asked = 0;
}

// ---- items

uint64_t strc_ahead_read(strc_batches *batches, uint32_t edge, uint64_t items) {
    if (batches->unread[edge] == 0) return 0;
    if (batches->unread[edge] < items) items = batches->unread[edge];
    batches->unread[edge] -= items;
    strc_queue *queue = &batches->puller->queues[edge];
    queue->last += items * queue->item;
    return items;
}
