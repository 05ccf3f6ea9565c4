/// Memory of messages. Private to the runtime.
#ifndef STRC_MESSAGE_MEMORY_H
#define STRC_MESSAGE_MEMORY_H

#include "strc/runtime.h"

/// Bytes that a message counts for besides its arguments.
enum { STRC_LETTER = 64 };

typedef struct strc_pending {
    struct strc_pending *next;  ///< in a list of spare ones
    int64_t before;  ///< runs before this firing of the receiver (1: the first)
    uint64_t bytes;
    void (*handle)(strc_env *, void *state, const void *arguments);
    _Alignas(16) char arguments[];
} strc_pending;

/// Where messages have their memory.
typedef struct strc_message_memory {
    /// For so many bytes of arguments, with room for it at the end of the mailbox; null: there is no memory.
    strc_pending *(*take)(strc_env *, strc_mailbox *, uint64_t bytes);
    void (*give_back)(strc_mailbox *, strc_pending *);
    /// Bytes of a message count until it is delivered; else until a transaction ends. Firings may have another order within one, so what is on
    /// its way at a time is another number: never more than all that is sent in it, which is what is compared with the limit then. In memory
    /// with a bound bytes are not counted at all.
    int counts_deliveries;
} strc_message_memory;

extern const strc_message_memory strc_message_heap;
/// The same memory within a transaction.
extern const strc_message_memory strc_message_heap_undone;

/// Of all that waits.
uint64_t strc_mail_bytes(const strc_mailbox *, uint32_t count);

/// Memory of one mailbox with a bound, and a mailbox without messages in it.
uint64_t strc_bounded_box_bytes(const strc_program *, uint32_t box, uint32_t bound);
void strc_bounded_box_begin(const strc_program *, uint32_t number, uint32_t bound, strc_mailbox *,
                            void *block);

/// What both have in common: mailboxes without messages.
void strc_mailboxes_begin(strc_env *, const strc_program *, void *state);
/// Which handler of a program runs a message, among strc_program.handlers.
static inline uint32_t strc_handler_of(const strc_program *program, const strc_pending *message) {
    uint32_t k = 0;
    while (program->handlers[k] != message->handle) ++k;
    return k;
}
/// A message with these arguments behind those that wait, for which there is room.
void strc_mailbox_append(strc_env *, strc_mailbox *, int64_t before,
                         void (*handle)(strc_env *, void *state, const void *arguments),
                         const void *arguments, uint64_t bytes);
/// A message for which there is room, behind those that are due as early or earlier.
void strc_mailbox_put(strc_mailbox *, strc_pending *);
/// When the first message is due, if there is one.
void strc_mailbox_note_due(strc_mailbox *);
/// Makes room behind the last message where those before the first one were.
void strc_mailbox_close_up(strc_mailbox *);

#endif
