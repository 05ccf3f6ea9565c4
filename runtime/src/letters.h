/// Memory of messages. Private to the runtime.
#ifndef STRC_LETTERS_H
#define STRC_LETTERS_H

#include "strc/runtime.h"

typedef struct strc_letter {
    struct strc_letter *next;  ///< in a list of spare ones
    int64_t before;  ///< runs before this firing of the receiver (1: the first)
    uint64_t bytes;
    void (*handle)(strc_env *, void *state, const void *arguments);
    _Alignas(16) char arguments[];
} strc_letter;

/// Where messages have their memory.
typedef struct strc_letters {
    /// For so many bytes of arguments, with room for it at the end of the mailbox; null: there is no memory.
    strc_letter *(*take)(strc_mailbox *, uint64_t bytes);
    void (*give_back)(strc_mailbox *, strc_letter *);
} strc_letters;

/// What both have in common: mailboxes without messages.
void strc_mailboxes_begin(strc_env *, const strc_program *, void *state);
/// Makes room behind the last message where those before the first one were.
void strc_mailbox_close_up(strc_mailbox *);

#endif
