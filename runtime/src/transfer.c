#include "strc/transfer.h"

#include <string.h>

#include "demand.h"
#include "message_memory.h"

// ---- messages

static void forget_messages(strc_env *env, strc_mailbox *box) {
    while (box->first < box->end) {
        strc_pending *message = box->messages[box->first++];
        if (env->message_memory->counts_deliveries) env->bytes_left += message->bytes;
        env->message_memory->give_back(box, message);
    }
}

/// Behind those that are there: they come in the order in which they are due.
static void put_copy(strc_flow *to, const strc_mailbox *old, const strc_pending *message,
                     strc_handler_transfer *row) {
    strc_env *env = &to->env;
    strc_mailbox *box = row->handler == STRC_NOBODY ? NULL : &env->mailboxes[row->box];
    if (!box || box->end - box->first == env->most_messages) {
        ++row->dropped;
        return;
    }
    strc_mailbox_append(env, box, message->before - old->fired + box->fired,
                        to->facts->program->handlers[row->handler], message->arguments,
                        message->bytes - STRC_LETTER);
    strc_mailbox_note_due(box);
    ++row->kept;
}

static void go_on_with_messages(const strc_flow *from, strc_flow *to,
                                const strc_flow_transfer *how) {
    const strc_program *program = from->facts->program;
    for (uint64_t k = 0; k < how->box_count; ++k) {
        strc_mailbox *box = &to->env.mailboxes[how->boxes[k].to];
        forget_messages(&to->env, box);
        strc_mailbox_note_due(box);
        if (how->keeps_counts) box->fired = from->env.mailboxes[how->boxes[k].from].fired;
    }
    for (uint32_t k = 0; k < program->mailbox_count; ++k) {
        const strc_mailbox *old = &from->env.mailboxes[k];
        for (uint32_t i = old->first; i < old->end; ++i)
            put_copy(to, old, old->messages[i],
                     &how->handlers[strc_handler_of(program, old->messages[i])]);
    }
}

// ---- programs with dynamic rates

static void go_on_with_items(const strc_flow *from, strc_flow *to, strc_queue_transfer *row) {
    strc_queue *queue = &to->env.puller->queues[row->to];
    const strc_queue *old = row->from == STRC_NOBODY ? queue : &from->env.puller->queues[row->from];
    const uint64_t item = queue->item, bound = to->facts->bound;
    row->had = strc_queue_bytes(old) / item;
    row->kept = row->had;
    if (row->shift < 0)
        row->kept -= (uint64_t)-row->shift < row->kept ? (uint64_t)-row->shift : row->kept;
    if (row->kept > bound) row->kept = bound;
    uint64_t zeros = row->shift > 0 ? (uint64_t)row->shift : 0;
    if (zeros > bound - row->kept) zeros = bound - row->kept;
    memmove(queue->data + zeros * item, old->last - row->kept * item, row->kept * item);
    memset(queue->data, 0, zeros * item);
    queue->first = queue->data;
    queue->last = queue->first + (zeros + row->kept) * item;
    queue->end = queue->data + bound * item;
}

static void go_on_with_firings(const strc_flow *from, strc_flow *to,
                               const strc_actor_transfer *row) {
    strc_actor *actor = &to->env.puller->actors[row->to];
    if (row->from == STRC_NOBODY)
        actor->fired = 1;
    else
        *actor = from->env.puller->actors[row->from];
    actor->is_firing = actor->is_waiting = 0;
}

void strc_flow_go_on(const strc_flow *from, strc_flow *to, const strc_flow_transfer *how) {
    go_on_with_messages(from, to, how);
    for (uint64_t k = 0; k < how->queue_count; ++k) go_on_with_items(from, to, &how->queues[k]);
    for (uint64_t k = 0; k < how->actor_count; ++k) go_on_with_firings(from, to, &how->actors[k]);
}
