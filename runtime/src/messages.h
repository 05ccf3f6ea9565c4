/// Messages on their way. Private to the runtime.
#ifndef STRC_MESSAGES_H
#define STRC_MESSAGES_H

#include "strc/runtime.h"

/// Mailboxes in the zeroed state, which are empty. Messages are taken from the heap, all together no more bytes than the
/// program's limit.
void strc_mail_begin(strc_env *, const strc_program *, void *state);
void strc_mail_end(strc_env *, const strc_program *);
/// Gives back the memory of so many mailboxes, which are from the heap.
void strc_mail_free(strc_mailbox *, uint32_t count);

/// The same with at most `bound` messages for each filter, in a block of so many bytes; nothing is to be given back.
uint64_t strc_bounded_mail_bytes(const strc_program *, uint32_t bound);
void strc_bounded_mail_begin(strc_env *, const strc_program *, void *state, uint32_t bound,
                             void *block);

/// SDEP of `m` firings downstream.
int64_t strc_route_sdep(const strc_route *, int64_t m);
/// The least m with SDEP(m) >= n; INT64_MAX: there is none.
int64_t strc_route_first(const strc_route *, int64_t n);

#endif
