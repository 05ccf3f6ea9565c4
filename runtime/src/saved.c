// States as data: a head, numbers, and behind them everything that has a length of its own.
#include "strc/saved.h"

#include <string.h>

#include "flow_parts.h"
#include "pulled.h"
#include "replay.h"
#include "run.h"
#include "saved_messages.h"

static const char magic[8] = {'s', 't', 'r', 'c', 's', 't', 'a', 't'};

/// Tells the order of the bytes in a word.
static const uint32_t order = 0x01020304;

typedef struct saved_head {
    char magic[8];
    uint32_t version, order;
    uint64_t program;  ///< strc_flow_facts.identity
    uint64_t size;  ///< of all
    uint64_t sum;  ///< of all behind the head
} saved_head;

typedef struct saved_numbers {
    uint64_t done, changed, random;
    uint64_t all_taken, all_given;
    uint64_t waiting, pending;  ///< items
    int64_t trips;  ///< of draining
    uint8_t has_begun, is_draining, has_init, unused[5];
} saved_numbers;

static uint64_t sum_of(const unsigned char *at, size_t size) {
    uint64_t sum = size;
    for (size_t k = 0; k < size; k += 8) {
        uint64_t word = 0;
        memcpy(&word, at + k, size - k < 8 ? size - k : 8);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}

static size_t draining_bytes(const strc_program *program) {
    return program->ending ? strc_draining_places(program) * sizeof(int64_t) : 0;
}

/// Before the first phase the state is what it begins with, whose tapes are laid out in another way.
static int holds_state(const saved_numbers *numbers) {
    return numbers->has_begun || (numbers->is_draining && !numbers->has_init);
}

const char *strc_saved_text(strc_saved_status status) {
    switch (status) {
        case STRC_SAVED_FINE: return "";
        case STRC_SAVED_TRUNCATED: return "the saved state is not complete: its end is missing";
        case STRC_SAVED_DAMAGED: return "this is no saved state, or it is damaged";
        case STRC_SAVED_OTHER_PROGRAM: return "the saved state is that of another program";
        case STRC_SAVED_NEWER: return "the saved state was written by a newer version of strc";
    }
    return "";
}

size_t strc_saved_most(const strc_flow_facts *facts) {
    const strc_program *program = facts->program;
    if (program->demand)
        return sizeof(saved_head) + sizeof(saved_numbers) + facts->parameter_bytes +
               strc_replay_most_saved(facts);
    return sizeof(saved_head) + sizeof(saved_numbers) + facts->parameter_bytes +
           strc_flow_most_waiting(facts) * facts->in_size +
           strc_flow_most_pending(facts) * facts->out_size + draining_bytes(program) +
           strc_flow_kept_bytes(program) +
           strc_messages_most_saved(program, (uint32_t)facts->bound);
}

const char *strc_saved_why_not(const strc_flow *flow) {
    if (!flow->pulled || strc_pulled_can_save(flow->pulled)) return NULL;
    return "the state cannot be saved in the middle of so long a firing, or of one during which a "
           "parameter was set";
}

// ---- writing

static unsigned char *put(unsigned char *to, const void *from, size_t size) {
    if (size != 0) memcpy(to, from, size);
    return to + size;
}

static unsigned char *put_queue(unsigned char *to, const strc_flow_queue *queue) {
    if (queue->count == 0) return to;
    return put(to, queue->items + queue->first * queue->size, queue->count * queue->size);
}

static saved_numbers numbers_of(const strc_flow *flow) {
    return (saved_numbers){
        .done = flow->done,
        .changed = flow->changed,
        .random = flow->pulled ? strc_pulled_random(flow->pulled) : flow->env.random,
        .all_taken = flow->all_taken,
        .all_given = flow->all_given,
        .waiting = flow->waiting.count,
        .pending = flow->pending.count,
        .trips = flow->is_draining ? flow->draining.trips : 0,
        .has_begun = flow->has_begun != 0,
        .is_draining = flow->is_draining != 0,
        .has_init = flow->is_draining && flow->draining.has_init};
}

size_t strc_saved_write(const strc_flow *flow, void *to) {
    const strc_flow_facts *facts = flow->facts;
    const strc_program *program = facts->program;
    const saved_numbers numbers = numbers_of(flow);
    unsigned char *const begin = to, *const body = begin + sizeof(saved_head);
    unsigned char *at = put(body, &numbers, sizeof numbers);
    at = put(at, flow->parameters, facts->parameter_bytes);
    at = put_queue(at, &flow->waiting);
    at = put_queue(at, &flow->pending);
    if (flow->is_draining && program->ending)
        at = put(at, flow->draining.left, draining_bytes(program));
    if (flow->pulled) {
        at += strc_pulled_save(flow->pulled, at);
    } else if (holds_state(&numbers)) {
        for (uint64_t k = 0; k < program->kept_count; ++k)
            at = put(at, flow->state + program->kept[k].at, program->kept[k].size);
        at += strc_messages_save(&flow->env, program, at);
    }
    saved_head head = {.version = STRC_SAVED_VERSION,
                       .order = order,
                       .program = facts->identity,
                       .size = (uint64_t)(at - begin),
                       .sum = sum_of(body, (size_t)(at - body))};
    memcpy(head.magic, magic, sizeof magic);
    memcpy(begin, &head, sizeof head);
    return (size_t)(at - begin);
}

// ---- reading

/// All that can be said without knowing what is inside.
static strc_saved_status look_at_head(const strc_flow_facts *facts, const unsigned char *from,
                                      size_t size) {
    saved_head head;
    const size_t start = size < sizeof magic ? size : sizeof magic;
    if (start != 0 && memcmp(from, magic, start) != 0) return STRC_SAVED_DAMAGED;
    if (size < sizeof head) return STRC_SAVED_TRUNCATED;
    memcpy(&head, from, sizeof head);
    if (head.order != order) return STRC_SAVED_OTHER_PROGRAM;
    if (head.version > STRC_SAVED_VERSION) return STRC_SAVED_NEWER;
    if (head.version == 0 || head.size < sizeof head + sizeof(saved_numbers))
        return STRC_SAVED_DAMAGED;
    if (head.size > size) return STRC_SAVED_TRUNCATED;
    if (head.size != size || head.sum != sum_of(from + sizeof head, size - sizeof head))
        return STRC_SAVED_DAMAGED;
    return head.program == facts->identity ? STRC_SAVED_FINE : STRC_SAVED_OTHER_PROGRAM;
}

/// Where the parts of a state lie; all of them are within it.
typedef struct saved_parts {
    saved_numbers numbers;
    const unsigned char *parameters, *waiting, *pending, *left, *kept;
    const unsigned char *rest;  ///< messages, or what strc_pulled_save wrote
} saved_parts;

/// 0: the part is not there.
static int find_part(const unsigned char **part, const unsigned char **at, size_t *size,
                     size_t bytes) {
    if (bytes > *size) return 0;
    *part = *at;
    *at += bytes;
    *size -= bytes;
    return 1;
}

/// 0: they do not fit together.
static int find_parts(const strc_flow *flow, const unsigned char *at, size_t size,
                      saved_parts *parts) {
    const strc_flow_facts *facts = flow->facts;
    const strc_program *program = facts->program;
    const unsigned char *first;
    saved_numbers *numbers = &parts->numbers;
    if (!find_part(&first, &at, &size, sizeof *numbers)) return 0;
    memcpy(numbers, first, sizeof *numbers);
    if (numbers->waiting > strc_flow_most_waiting(facts) ||
        numbers->pending > strc_flow_most_pending(facts) || numbers->trips < 0)
        return 0;
    const int is_held = !program->demand && holds_state(numbers);
    const size_t left = numbers->is_draining ? draining_bytes(program) : 0;
    if (!find_part(&parts->parameters, &at, &size, facts->parameter_bytes) ||
        !find_part(&parts->waiting, &at, &size, numbers->waiting * facts->in_size) ||
        !find_part(&parts->pending, &at, &size, numbers->pending * facts->out_size) ||
        !find_part(&parts->left, &at, &size, left) ||
        !find_part(&parts->kept, &at, &size, is_held ? strc_flow_kept_bytes(program) : 0))
        return 0;
    parts->rest = at;
    if (program->demand) return strc_replay_is_well(facts, at, size);
    if (!is_held) return size == 0;
    return strc_messages_are_well(program, (uint32_t)facts->bound, at, size);
}

static void fill_queue(strc_flow_queue *queue, const unsigned char *from, uint64_t count) {
    queue->count = count;
    put(queue->items, from, count * queue->size);
}

static void read_draining(strc_flow *flow, const saved_parts *parts) {
    const strc_program *program = flow->facts->program;
    flow->is_draining = 1;
    flow->draining = (strc_draining){0};
    if (!program->ending) return;
    flow->draining = (strc_draining){.ending = program->ending,
                                     .left = flow->numbers + 3 * program->ending->node_count,
                                     .trips = parts->numbers.trips,
                                     .has_init = parts->numbers.has_init};
    put((unsigned char *)flow->draining.left, parts->left, draining_bytes(program));
    flow->env.left = flow->draining.left;
}

static void read_parts(strc_flow *flow, const saved_parts *parts) {
    const strc_program *program = flow->facts->program;
    const saved_numbers *numbers = &parts->numbers;
    put(flow->parameters, parts->parameters, flow->facts->parameter_bytes);
    strc_flow_reset(flow);
    flow->done = numbers->done;
    flow->changed = numbers->changed;
    flow->env.random = numbers->random;
    flow->all_taken = numbers->all_taken;
    flow->all_given = numbers->all_given;
    if (flow->pulled) {
        flow->is_draining = numbers->is_draining;
        return strc_pulled_restore(flow->pulled, parts->rest);
    }
    flow->has_begun = numbers->has_begun;
    fill_queue(&flow->waiting, parts->waiting, numbers->waiting);
    fill_queue(&flow->pending, parts->pending, numbers->pending);
    if (numbers->is_draining) read_draining(flow, parts);
    if (!holds_state(numbers)) return;
    const unsigned char *at = parts->kept;
    for (uint64_t k = 0; k < program->kept_count; ++k) {
        memcpy(flow->state + program->kept[k].at, at, program->kept[k].size);
        at += program->kept[k].size;
    }
    strc_messages_restore(&flow->env, program, parts->rest);
}

strc_saved_status strc_saved_read(strc_flow *flow, const void *from, size_t size) {
    const strc_saved_status status = look_at_head(flow->facts, from, size);
    saved_parts parts;
    if (status != STRC_SAVED_FINE) return status;
    if (!find_parts(flow, (const unsigned char *)from + sizeof(saved_head),
                    size - sizeof(saved_head), &parts))
        return STRC_SAVED_DAMAGED;
    read_parts(flow, &parts);
    return STRC_SAVED_FINE;
}
