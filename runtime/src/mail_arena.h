/// Mailboxes whose messages come and go as one: copies of those of a run, which threads use until a transaction ends. Private to the
/// runtime.
#ifndef STRC_MAIL_ARENA_H
#define STRC_MAIL_ARENA_H

#include "message_memory.h"

typedef struct strc_mail_block strc_mail_block;

/// Memory that is taken piece by piece and forgotten as a whole. All zeros: there is none yet.
typedef struct strc_mail_arena {
    strc_mail_block *blocks;  ///< the one in use first
    strc_mail_block *spare;  ///< of what was forgotten
} strc_mail_arena;

/// Of env->mail_arena.
extern const strc_message_memory strc_message_arena;

/// Forgets all messages, and keeps the memory.
void strc_mail_arena_reset(strc_mail_arena *);
void strc_mail_arena_free(strc_mail_arena *);

/// A mailbox without messages; the count of firings stays.
void strc_mailbox_empty(strc_mailbox *);
/// Copies of mailboxes with all that waits in them, from env->message_memory. Nonzero: there is no memory; what has been copied is in `to`.
int strc_mail_copy(strc_env *, strc_mailbox *to, const strc_mailbox *from, uint32_t count);
/// What waits in `before` comes before what waits in `box` and is due at the same time; `before` is empty then. Both are from the
/// arena. Nonzero: there is no memory.
int strc_mailbox_put_before(strc_env *, strc_mailbox *box, strc_mailbox *before);

#endif
