/// Messages on their way as data: of each mailbox how often its filter has fired, and the messages in the order in which they
/// are due, with the number of who handles them (strc_program.handlers). Private to the runtime.
#ifndef STRC_SAVED_MESSAGES_H
#define STRC_SAVED_MESSAGES_H

#include <stddef.h>

#include "strc/runtime.h"

/// Bytes at most, of a program with at most `bound` messages for a filter.
size_t strc_messages_most_saved(const strc_program *, uint32_t bound);
/// How many bytes it wrote.
size_t strc_messages_save(const strc_env *, const strc_program *, unsigned char *to);
/// Are so many bytes messages of such a program?
int strc_messages_are_well(const strc_program *, uint32_t bound, const unsigned char *from,
                           size_t size);
/// Into mailboxes as they begin; the messages are well.
void strc_messages_restore(strc_env *, const strc_program *, const unsigned char *from);

#endif
