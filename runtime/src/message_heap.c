// Memory of messages from the heap.
#include <stdlib.h>

#include "message_memory.h"
#include "messages.h"

/// 0: there is room for one more at the end.
static int make_capacity(strc_mailbox *box) {
    if (box->end < box->capacity) return 0;
    if (box->first > box->capacity / 2) {
        strc_mailbox_close_up(box);
        return 0;
    }
    if (box->capacity > UINT32_MAX / 2) return -1;
    uint32_t capacity = box->capacity ? 2 * box->capacity : 8;
    strc_pending **larger = realloc(box->messages, capacity * sizeof *larger);
    if (!larger) return -1;
    box->messages = larger;
    box->capacity = capacity;
    return 0;
}

static strc_pending *take_new(strc_env *env, strc_mailbox *box, uint64_t bytes) {
    (void)env;
    return make_capacity(box) == 0 ? malloc(sizeof(strc_pending) + bytes) : NULL;
}

static void free_message(strc_mailbox *box, strc_pending *message) {
    (void)box;
    free(message);
}

const strc_message_memory strc_message_heap = {take_new, free_message, 1};
const strc_message_memory strc_message_heap_undone = {take_new, free_message, 0};

void strc_mail_begin(strc_env *env, const strc_program *program, void *state) {
    env->message_memory = &strc_message_heap;
    env->most_messages = UINT32_MAX;
    env->bytes_left = program->most_bytes;
    strc_mailboxes_begin(env, program, state);
}

void strc_mail_free(strc_mailbox *boxes, uint32_t count) {
    for (uint32_t k = 0; k < count; ++k) {
        strc_mailbox *box = &boxes[k];
        free(box->open);
        while (box->first < box->end) free(box->messages[box->first++]);
        free(box->messages);
    }
}

void strc_mail_end(strc_env *env, const strc_program *program) {
    strc_mail_free(env->mailboxes, program->mailbox_count);
}
