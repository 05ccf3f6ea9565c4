// As many messages as there may be, in memory that is there from the start.
#include <stddef.h>

#include "message_memory.h"
#include "messages.h"

/// Bytes of a message with such arguments.
static uint64_t message_size(int64_t bytes) {
    const uint64_t unit = _Alignof(strc_pending);
    return (sizeof(strc_pending) + (uint64_t)bytes + unit - 1) / unit * unit;
}

/// One more than may wait: that whose handler runs, and sends. As many pointers, of which the last one is unused.
static uint64_t box_size(int64_t bytes, uint32_t bound) {
    const uint64_t unit = _Alignof(strc_pending), count = (uint64_t)bound + 1;
    return count * message_size(bytes) + (count * sizeof(strc_pending *) + unit - 1) / unit * unit;
}

uint64_t strc_bounded_box_bytes(const strc_program *program, uint32_t box, uint32_t bound) {
    const int64_t bytes = program->message_bytes[box];
    return bytes < 0 ? 0 : box_size(bytes, bound);
}

uint64_t strc_bounded_mail_bytes(const strc_program *program, uint32_t bound) {
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < program->mailbox_count; ++k)
        bytes += strc_bounded_box_bytes(program, k, bound);
    return bytes;
}

static strc_pending *take_spare(strc_env *env, strc_mailbox *box, uint64_t bytes) {
    (void)env;
    (void)bytes;
    strc_pending *message = box->spare;
    if (!message)
        return NULL;  // of a box between threads, which gets its messages back at the end of a phase
    box->spare = message->next;
    if (box->end == box->capacity) strc_mailbox_close_up(box);
    return message;
}

static void keep_spare(strc_mailbox *box, strc_pending *message) {
    message->next = box->spare;
    box->spare = message;
}

void strc_bounded_box_begin(const strc_program *program, uint32_t number, uint32_t bound,
                            strc_mailbox *box, void *block) {
    const int64_t bytes = program->message_bytes[number];
    char *message = block;
    box->spare = NULL;
    for (uint32_t count = 0; count <= bound; ++count, message += message_size(bytes))
        keep_spare(box, (strc_pending *)message);
    box->messages = (strc_pending **)message;
    box->first = box->end = 0;
    box->capacity = bound;
}

void strc_bounded_mail_begin(strc_env *env, const strc_program *program, void *state,
                             uint32_t bound, void *block) {
    static const strc_message_memory memory = {take_spare, keep_spare, 0};
    env->message_memory = &memory;
    env->most_messages = bound;
    env->bytes_left = UINT64_MAX;
    strc_mailboxes_begin(env, program, state);
    char *at = block;
    for (uint32_t k = 0; k < program->mailbox_count; ++k) {
        if (program->message_bytes[k] < 0) continue;
        strc_bounded_box_begin(program, k, bound, &env->mailboxes[k], at);
        at += strc_bounded_box_bytes(program, k, bound);
    }
}
