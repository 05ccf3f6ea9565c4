/// Messages on their way. Private to the runtime.
#ifndef STRC_MESSAGES_H
#define STRC_MESSAGES_H

#include "strc/runtime.h"

/// Mailboxes in the zeroed state, which are empty.
void strc_mail_begin(strc_env *, const strc_program *, void *state);
void strc_mail_end(strc_env *, const strc_program *);

/// SDEP of `m` firings downstream.
int64_t strc_route_sdep(const strc_route *, int64_t m);
/// The least m with SDEP(m) >= n; INT64_MAX: there is none.
int64_t strc_route_first(const strc_route *, int64_t n);

#endif
