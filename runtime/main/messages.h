/// Errors and warnings of a run, worded and laid out as strc words them. They are kept until the end,
/// when what the program printed has been written.
#ifndef STRC_MESSAGES_H
#define STRC_MESSAGES_H

#include "strc/files/faults.h"

/// Errors of what it is the origin of are reported here.
#define STRC_ORIGIN(place, instance) {place, instance, &strc_messages}
extern const strc_reporter strc_messages;

/// Before anything else. `name` is who says what has no place.
void strc_messages_begin(const strc_executable *, const char *name);

/// The value is -1.
int strc_report(strc_severity, strc_origin, strc_message_id, const char *const *arguments);
/// A line below the error reported last.
void strc_note(strc_message_id, const char *argument);
/// A check of the program failed.
void strc_report_fault(const strc_fault *);
/// A firing of a filter whose shapes only the run knows failed.
void strc_report_symbolic(const strc_symbolic_fault *);

/// Writes them to standard error, and forgets them.
void strc_messages_show(void);

/// What the process says at its end, unless it was interrupted: 0, or 2 if only the call was wrong, or 1.
int strc_messages_status(void);

/// What `strc_text` stands for.
const char *strc_text_at(strc_text);

#endif
