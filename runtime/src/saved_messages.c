#include "saved_messages.h"

#include <string.h>

#include "message_memory.h"
#include "messages.h"

typedef struct saved_box {
    int64_t fired;
    uint64_t messages;
} saved_box;

/// Before the arguments.
typedef struct saved_message {
    int64_t before;
    uint32_t handler, bytes;
} saved_message;

/// Arguments of a message to that mailbox, at most.
static uint64_t most_arguments(const strc_program *program, uint32_t box) {
    return program->message_bytes[box] > 0 ? (uint64_t)program->message_bytes[box] : 0;
}

static int gets_messages(const strc_program *program, uint32_t box) {
    return program->message_bytes && program->message_bytes[box] >= 0;
}

size_t strc_messages_most_saved(const strc_program *program, uint32_t bound) {
    size_t bytes = program->mailbox_count * sizeof(saved_box);
    for (uint32_t k = 0; k < program->mailbox_count; ++k)
        if (gets_messages(program, k))
            bytes += bound * (sizeof(saved_message) + most_arguments(program, k));
    return bytes;
}

size_t strc_messages_save(const strc_env *env, const strc_program *program, unsigned char *to) {
    unsigned char *at = to;
    for (uint32_t k = 0; k < program->mailbox_count; ++k) {
        const strc_mailbox *box = &env->mailboxes[k];
        const saved_box row = {box->fired, box->end - box->first};
        memcpy(at, &row, sizeof row);
        at += sizeof row;
        for (uint32_t i = box->first; i < box->end; ++i) {
            const strc_pending *message = box->messages[i];
            const uint64_t bytes = message->bytes - STRC_LETTER;
            const saved_message head = {message->before, strc_handler_of(program, message),
                                        (uint32_t)bytes};
            memcpy(at, &head, sizeof head);
            memcpy(at + sizeof head, message->arguments, bytes);
            at += sizeof head + bytes;
        }
    }
    return (size_t)(at - to);
}

/// The message at `*at`, behind which it then is; 0: there is none.
static int is_message(const strc_program *program, uint32_t box, const unsigned char **at,
                      const unsigned char *end) {
    saved_message head;
    if ((size_t)(end - *at) < sizeof head) return 0;
    memcpy(&head, *at, sizeof head);
    *at += sizeof head;
    if (head.handler >= program->handler_count || head.bytes > most_arguments(program, box) ||
        head.bytes > (size_t)(end - *at))
        return 0;
    *at += head.bytes;
    return 1;
}

int strc_messages_are_well(const strc_program *program, uint32_t bound, const unsigned char *from,
                           size_t size) {
    const unsigned char *at = from, *const end = from + size;
    for (uint32_t k = 0; k < program->mailbox_count; ++k) {
        saved_box row;
        if ((size_t)(end - at) < sizeof row) return 0;
        memcpy(&row, at, sizeof row);
        at += sizeof row;
        if (row.messages > (gets_messages(program, k) ? bound : 0)) return 0;
        for (uint64_t i = 0; i < row.messages; ++i)
            if (!is_message(program, k, &at, end)) return 0;
    }
    return at == end;
}

void strc_messages_restore(strc_env *env, const strc_program *program, const unsigned char *from) {
    for (uint32_t k = 0; k < program->mailbox_count; ++k) {
        strc_mailbox *box = &env->mailboxes[k];
        saved_box row;
        memcpy(&row, from, sizeof row);
        from += sizeof row;
        box->fired = row.fired;
        for (uint64_t i = 0; i < row.messages; ++i) {
            saved_message head;
            memcpy(&head, from, sizeof head);
            strc_mailbox_append(env, box, head.before, program->handlers[head.handler],
                                from + sizeof head, head.bytes);
            from += sizeof head + head.bytes;
        }
        strc_mailbox_note_due(box);
    }
}
