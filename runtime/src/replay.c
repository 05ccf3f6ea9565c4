// Snapshots of a run by demand, and the items since.
#include "replay.h"

#include <string.h>

#include "flow_parts.h"
#include "saved_messages.h"

/// Items of an iteration for which there is room in any case, and for each item that a queue may hold.
enum { kLeastLogged = 4096, kLoggedOfBound = 4 };

// ---- memory

/// Of the queues, each with its length.
static uint64_t most_queued(const strc_flow_facts *facts) {
    const strc_demand *demand = facts->program->demand;
    uint64_t bytes = demand->edge_count * sizeof(uint64_t);
    for (uint32_t k = 0; k < demand->edge_count; ++k)
        if (demand->edges[k].is_queue) bytes += facts->bound * demand->edges[k].item;
    return bytes;
}

static uint64_t snapshot_most(const strc_flow_facts *facts) {
    return facts->parameter_bytes + facts->program->state_size + most_queued(facts) +
           strc_messages_most_saved(facts->program, (uint32_t)facts->bound);
}

/// Items after which a snapshot costs no more than it cost to bring them.
static uint64_t often(const strc_flow_facts *facts, size_t item) {
    return item != 0 ? snapshot_most(facts) / item + 1 : 0;
}

static uint64_t most_logged(const strc_flow_facts *facts) {
    const uint64_t items = often(facts, facts->in_size);
    return 2 * items + kLoggedOfBound * facts->bound + kLeastLogged;
}

uint64_t strc_replay_bytes(const strc_flow_facts *facts) {
    return strc_flow_aligned(snapshot_most(facts)) +
           strc_flow_aligned(most_logged(facts) * facts->in_size);
}

void strc_replay_make(strc_replay *self, const strc_flow *flow, unsigned char *memory) {
    *self = (strc_replay){.flow = flow,
                          .snapshot = memory,
                          .log = memory + strc_flow_aligned(snapshot_most(flow->facts))};
}

void strc_replay_reset(strc_replay *self) {
    *self = (strc_replay){.flow = self->flow, .snapshot = self->snapshot, .log = self->log};
}

// ---- while it runs

static unsigned char *put(unsigned char *to, const void *from, uint64_t size) {
    if (size != 0) memcpy(to, from, size);
    return to + size;
}

/// All but what has pointers: queues and mailboxes.
static void copy_state(unsigned char *to, const unsigned char *from, const strc_program *program) {
    const strc_range queues = {program->demand->queues_at,
                               program->demand->edge_count * sizeof(strc_queue)};
    const strc_range boxes = {program->mailboxes_at, program->mailbox_count * sizeof(strc_mailbox)};
    const int queues_first = queues.at < boxes.at;
    const strc_range apart[] = {queues_first ? queues : boxes, queues_first ? boxes : queues};
    uint64_t at = 0;
    for (size_t k = 0; k < sizeof apart / sizeof *apart; ++k) {
        if (apart[k].size == 0) continue;
        memcpy(to + at, from + at, apart[k].at - at);
        at = apart[k].at + apart[k].size;
    }
    memcpy(to + at, from + at, program->state_size - at);
}

static unsigned char *put_queues(unsigned char *to, const strc_puller *puller) {
    for (uint32_t k = 0; k < puller->demand->edge_count; ++k) {
        const strc_queue *queue = &puller->queues[k];
        const uint64_t bytes = strc_queue_bytes(queue);
        to = put(to, &bytes, sizeof bytes);
        to = put(to, queue->first, bytes);
    }
    return to;
}

void strc_replay_remember(strc_replay *self, const strc_puller *puller,
                          const unsigned char *parameters) {
    const strc_flow_facts *facts = self->flow->facts;
    const strc_program *program = facts->program;
    if (strc_replays(self)) return;
    const int is_due = self->size == 0 || self->is_lost ||
                       self->since.taken > often(facts, facts->in_size) ||
                       self->since.given + self->since.printed > often(facts, facts->out_size);
    if (!is_due) return;
    unsigned char *at = put(self->snapshot, parameters, facts->parameter_bytes);
    memset(at, 0, program->state_size);
    copy_state(at, puller->state, program);
    at += program->state_size;
    at = put_queues(at, puller);
    at += strc_messages_save(puller->env, program, at);
    self->size = (uint64_t)(at - self->snapshot);
    self->random = puller->env->random;
    self->has_begun = puller->has_begun != 0;
    self->since = (strc_since){0};
    self->again = 0;
    self->is_lost = 0;
}

void strc_replay_note(strc_replay *self, const void *items, uint64_t count) {
    const size_t size = self->flow->facts->in_size;
    if (self->is_lost || self->since.taken + count > most_logged(self->flow->facts)) {
        self->is_lost = 1;
        return;
    }
    memcpy(self->log + self->since.taken * size, items, count * size);
    self->since.taken += count;
    self->again = self->since.taken;
}

int strc_replay_take(strc_replay *self, void *to) {
    if (self->again == self->since.taken) return 0;
    const size_t size = self->flow->facts->in_size;
    memcpy(to, self->log + self->again * size, size);
    ++self->again;
    return 1;
}

// ---- as data

/// What stands before the snapshot and the items.
typedef struct replay_head {
    uint64_t size, has_begun;
    strc_since since;
} replay_head;

uint64_t strc_replay_most_saved(const strc_flow_facts *facts) {
    return sizeof(replay_head) + snapshot_most(facts) + most_logged(facts) * facts->in_size;
}

size_t strc_replay_save(const strc_replay *self, unsigned char *to) {
    const replay_head head = {self->size, self->has_begun, self->since};
    unsigned char *at = put(to, &head, sizeof head);
    at = put(at, self->snapshot, self->size);
    at = put(at, self->log, self->since.taken * self->flow->facts->in_size);
    return (size_t)(at - to);
}

/// Behind the queues, of which all are as long as they may be; null: they are not.
static const unsigned char *behind_queues(const strc_flow_facts *facts, const unsigned char *at,
                                          const unsigned char *end) {
    const strc_demand *demand = facts->program->demand;
    for (uint32_t k = 0; k < demand->edge_count; ++k) {
        const strc_edge *edge = &demand->edges[k];
        uint64_t bytes;
        if ((size_t)(end - at) < sizeof bytes) return NULL;
        memcpy(&bytes, at, sizeof bytes);
        at += sizeof bytes;
        const uint64_t most = edge->is_queue ? facts->bound * edge->item : 0;
        if (bytes > most || bytes % edge->item != 0 || bytes > (size_t)(end - at)) return NULL;
        at += bytes;
    }
    return at;
}

int strc_replay_is_well(const strc_flow_facts *facts, const unsigned char *from, size_t size) {
    const uint64_t fixed = facts->parameter_bytes + facts->program->state_size;
    replay_head head;
    if (size < sizeof head) return 0;
    memcpy(&head, from, sizeof head);
    if (head.since.taken > most_logged(facts) || head.size > size - sizeof head ||
        size - sizeof head - head.size != head.since.taken * facts->in_size)
        return 0;
    if (head.size == 0) return head.since.taken + head.since.given + head.since.printed == 0;
    if (head.size < fixed) return 0;
    const unsigned char *end = from + sizeof head + head.size;
    const unsigned char *at = behind_queues(facts, from + sizeof head + fixed, end);
    return at &&
           strc_messages_are_well(facts->program, (uint32_t)facts->bound, at, (size_t)(end - at));
}

static const unsigned char *get(void *to, const unsigned char *from, uint64_t size) {
    if (size != 0) memcpy(to, from, size);
    return from + size;
}

/// Into queues that are empty.
static const unsigned char *get_queues(strc_puller *puller, uint64_t bound,
                                       const unsigned char *from) {
    for (uint32_t k = 0; k < puller->demand->edge_count; ++k) {
        strc_queue *queue = &puller->queues[k];
        uint64_t bytes;
        from = get(&bytes, from, sizeof bytes);
        from = get(queue->first, from, bytes);
        queue->last = queue->first + bytes;
        if (puller->demand->edges[k].is_queue) queue->end = queue->data + bound * queue->item;
    }
    return from;
}

void strc_replay_restore(strc_replay *self, strc_puller *puller, unsigned char *parameters,
                         const unsigned char *from) {
    const strc_flow_facts *facts = self->flow->facts;
    const strc_program *program = facts->program;
    replay_head head;
    from = get(&head, from, sizeof head);
    self->size = head.size;
    self->random = puller->env->random;
    self->has_begun = head.has_begun;
    self->since = head.since;
    self->given_again = head.since.given;
    self->printed_again = head.since.printed;
    const unsigned char *at = get(self->snapshot, from, head.size) - head.size;
    (void)get(self->log, from + head.size, head.since.taken * facts->in_size);
    if (head.size == 0) return;
    at = get(parameters, at, facts->parameter_bytes);
    copy_state(puller->state, at, program);
    at = get_queues(puller, facts->bound, at + program->state_size);
    strc_messages_restore(puller->env, program, at);
    puller->has_begun = head.has_begun != 0;
}
