// Delivers messages when they are due (language.md 14.4), as interp/messages.cpp does.
#include "messages.h"

#include <string.h>

#include "message_memory.h"
#include "run.h"

// ---- SDEP

static const int64_t kMost = INT64_C(1) << 60;  // graph::kMaxCount

int64_t strc_route_sdep(const strc_route *route, int64_t m) {
    if (m <= 0) return 0;
    if (m >= kMost) return kMost;
    int64_t periods = 0;
    if (m >= route->transient + route->period_down) {
        periods = (m - route->transient) / route->period_down;
        m -= periods * route->period_down;
    }
    int64_t more, sum;
    if (__builtin_mul_overflow(periods, route->period_up, &more)) return kMost;
    if (__builtin_add_overflow(more, route->firings[m], &sum)) return kMost;
    return sum < kMost ? sum : kMost;
}

int64_t strc_route_first(const strc_route *route, int64_t n) {
    if (n <= 0) return 0;
    int64_t above = 1;
    for (; strc_route_sdep(route, above) < n; above *= 2)
        if (above >= kMost) return INT64_MAX;
    int64_t below = above / 2;
    while (above - below > 1) {
        int64_t middle = below + (above - below) / 2;
        if (strc_route_sdep(route, middle) >= n)
            above = middle;
        else
            below = middle;
    }
    return above;
}

// ---- mailboxes

void strc_mailboxes_begin(strc_env *env, const strc_program *program, void *state) {
    env->mailboxes = (strc_mailbox *)((char *)state + program->mailboxes_at);
    for (uint32_t k = 0; k < program->mailbox_count; ++k) env->mailboxes[k].due = INT64_MAX;
}

void strc_mailbox_note_due(strc_mailbox *box) {
    box->due = box->first < box->end ? box->messages[box->first]->before - 1 : INT64_MAX;
}

void strc_mailbox_append(strc_env *env, strc_mailbox *box, int64_t before,
                         void (*handle)(strc_env *, void *state, const void *arguments),
                         const void *arguments, uint64_t bytes) {
    strc_pending *message = env->message_memory->take(env, box, bytes);
    message->before = before;
    message->bytes = STRC_LETTER + bytes;
    message->handle = handle;
    memcpy(message->arguments, arguments, bytes);
    env->bytes_left -= message->bytes;
    box->messages[box->end++] = message;
}

void strc_mailbox_close_up(strc_mailbox *box) {
    uint32_t count = box->end - box->first;
    memmove(box->messages, box->messages + box->first, count * sizeof *box->messages);
    box->first = 0;
    box->end = count;
}

uint64_t strc_mail_bytes(const strc_mailbox *boxes, uint32_t count) {
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < count; ++k)
        for (uint32_t i = boxes[k].first; i < boxes[k].end; ++i)
            bytes += boxes[k].messages[i]->bytes;
    return bytes;
}

void strc_mailbox_put(strc_mailbox *box, strc_pending *message) {
    uint32_t from = box->first, to = box->end;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (message->before < box->messages[middle]->before)
            to = middle;
        else
            from = middle + 1;
    }
    memmove(box->messages + from + 1, box->messages + from,
            (box->end - from) * sizeof *box->messages);
    box->messages[from] = message;
    ++box->end;
    strc_mailbox_note_due(box);
}

// ---- sending

static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

/// The receiver's firing that the message must precede.
static int64_t due_before(const strc_env *env, const strc_recipient *to, int64_t latency,
                          int64_t soonest) {
    int64_t firing = env->mailboxes[to->sender_box].fired + 1;
    if (to->sender == to->receiver) return greater(firing + latency, firing) + 1;
    if (!to->route) return soonest;
    if (!to->route->is_downstream) return strc_route_sdep(to->route, firing + latency) + 1;
    int64_t first = strc_route_first(to->route, firing + latency);
    return first == INT64_MAX ? soonest : first;
}

static void post(strc_env *env, const strc_dispatch *what, const strc_recipient *to,
                 int64_t latency, const void *arguments) {
    strc_mailbox *box = &env->mailboxes[to->receiver_box];
    int64_t soonest = box->fired + 1 + (int64_t)box->is_firing;
    int64_t before = due_before(env, to, latency, soonest);
    if (what->best_effort) before = greater(before, soonest);
    if (before < soonest) strc_trap(env, (int32_t)to->missed, (int32_t)to->sender, before, 0);
    if (box->end - box->first == env->most_messages)
        strc_trap(env, (int32_t)to->crowded, (int32_t)to->sender, 0, 0);
    uint64_t bytes = STRC_LETTER + what->bytes;
    strc_pending *message =
        bytes <= env->bytes_left ? env->message_memory->take(env, box, what->bytes) : NULL;
    if (!message) strc_trap(env, (int32_t)what->full, (int32_t)to->sender, (int64_t)bytes, 0);
    env->bytes_left -= bytes;
    message->before = before;
    message->bytes = bytes;
    message->handle = to->handle;
    if (what->bytes) memcpy(message->arguments, arguments, what->bytes);
    strc_mailbox_put(box, message);
}

void strc_send(strc_env *env, int32_t node, const void *dispatch, int64_t latency,
               const void *arguments) {
    const strc_dispatch *what = dispatch;
    uint32_t sender = (uint32_t)node, from = 0, to = what->recipient_count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (what->recipients[middle].sender < sender)
            from = middle + 1;
        else
            to = middle;
    }
    for (; from < what->recipient_count && what->recipients[from].sender == sender; ++from)
        post(env, what, &what->recipients[from], latency, arguments);
}

void strc_deliver(strc_env *env, void *state, int32_t mailbox) {
    strc_mailbox *box = &env->mailboxes[mailbox];
    while (box->due <= box->fired) {
        box->open = box->messages[box->first++];
        strc_mailbox_note_due(box);
        if (env->message_memory->counts_deliveries) env->bytes_left += box->open->bytes;
        box->open->handle(env, state, box->open->arguments);
        env->message_memory->give_back(box, box->open);
        box->open = NULL;
    }
}
