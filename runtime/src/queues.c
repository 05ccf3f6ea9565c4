// Queues that grow in memory from the heap.
#include <stdlib.h>
#include <string.h>

#include "demand.h"

/// To a piece of so many bytes; what begins at the front can stay where it is.
static int move_to(strc_queue *queue, uint64_t capacity) {
    uint64_t used = strc_queue_bytes(queue);
    int at_front = queue->first == queue->data;
    char *to = at_front ? realloc(queue->data, capacity) : malloc(capacity);
    if (!to) return -1;
    if (!at_front) {
        memcpy(to, queue->first, used);
        free(queue->data);
    }
    queue->data = to;
    queue->end = to + capacity;
    return 0;
}

/// Room for so many bytes behind the last item. As eval/tape.cpp does, so that programs end at the same
/// item when memory does. 0: it is there.
static int grow(strc_puller *p, strc_queue *queue, uint64_t bytes) {
    uint64_t used = strc_queue_bytes(queue), dead = (uint64_t)(queue->first - queue->data);
    if (dead >= used && dead >= bytes) {
        if (used) memcpy(queue->data, queue->first, used);
    } else {
        uint64_t held = (uint64_t)(queue->end - queue->data), capacity = 16 * queue->item;
        if (capacity < 2 * used) capacity = 2 * used;
        if (capacity < used + bytes) capacity = used + bytes;
        if (capacity > held + p->bytes_left)
            capacity = used + (bytes > used / 8 ? bytes : used / 8);
        if (capacity > held + p->bytes_left || move_to(queue, capacity) != 0) return -1;
        p->bytes_left += held;
        p->bytes_left -= capacity;
    }
    queue->first = queue->data;
    queue->last = queue->first + used;
    return 0;
}

/// As if the items came one by one.
static void reserve(strc_puller *p, uint32_t node, strc_queue *queue, int64_t items) {
    for (;;) {
        int64_t capacity = (int64_t)((uint64_t)(queue->end - queue->last) / queue->item);
        if (capacity >= items) return;
        uint64_t pushed = (uint64_t)capacity * queue->item;
        queue->last += pushed;
        int64_t bytes = strc_make_room(p->env, queue);
        queue->last -= pushed;
        if (bytes != 0)
            strc_trap(p->env, (int32_t)p->demand->nodes[node].push_full, (int32_t)node, bytes, 0);
    }
}

static int more_requests(strc_puller *p) {
    uint64_t capacity = p->capacity ? 2 * p->capacity : 64;
    strc_request *more = realloc(p->requests, capacity * sizeof *more);
    if (!more) return -1;
    p->requests = more;
    p->capacity = capacity;
    return 0;
}

const strc_queue_memory strc_growing_queues = {
    .grow = grow, .reserve = reserve, .more_requests = more_requests};

void strc_puller_free(strc_puller *p) {
    for (uint32_t k = 0; k < p->demand->edge_count; ++k) free(p->queues[k].data);
    free(p->requests);
    p->env->puller = NULL;
}
