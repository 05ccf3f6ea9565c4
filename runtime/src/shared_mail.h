/// Messages in a phase that threads share (strc/partitions.h). A mailbox belongs to the partition of its filter, which alone knows how often
/// that has fired. Who sends from another partition does so into a box of its own, whose messages are handed over with the slice: the receiver
/// puts them into its mailbox before it does the same slice, so in the order of sending. They are due then or later, since the firings that
/// they may come before need items of firings that have sent them. Private to the runtime.
#ifndef STRC_SHARED_MAIL_H
#define STRC_SHARED_MAIL_H

#include "strc/flow.h"
#include "strc/partitions.h"

typedef struct strc_shared_mail strc_shared_mail;

/// For a flow whose program has partitions and mailboxes. Null: there is no memory.
strc_shared_mail *strc_shared_mail_new(const strc_flow *);
void strc_shared_mail_free(strc_shared_mail *);

/// The program's mailboxes go to their partitions, by the calling thread, before all else.
void strc_shared_mail_begin(strc_shared_mail *, const strc_env *);
/// And come back, when all is done.
void strc_shared_mail_end(strc_shared_mail *, strc_env *);
/// Instead of `end`, if something has failed: what is in them does not matter.
void strc_shared_mail_drop(strc_shared_mail *);

/// Mailboxes as firings of that partition see them, for strc_env.mailboxes.
strc_mailbox *strc_shared_mail_of(strc_shared_mail *, uint32_t partition);
/// Before a slice: what others have sent for it. Nonzero: there is no room, which one thread has to see for itself.
int strc_shared_mail_take(strc_shared_mail *, strc_env *, uint32_t partition, uint64_t slice);
/// After it: what has been sent to others.
void strc_shared_mail_give(strc_shared_mail *, uint32_t partition, uint64_t slice);

#endif
