/// Errors and warnings of a run, worded and laid out as strc words them. They are kept until the end,
/// when what the program printed has been written.
#ifndef STRC_MESSAGES_H
#define STRC_MESSAGES_H

#include "strc/executable.h"

/// What a message is about: both may be 0.
typedef struct strc_origin {
    strc_text place;
    strc_text instance;
} strc_origin;

/// Before anything else. `name` is who says what has no place.
void strc_messages_begin(const strc_executable *, const char *name);

/// Reports an error; the arguments are texts. The value is -1, so that whoever fails returns it.
#define STRC_FAIL(origin, id, ...) \
    strc_report(STRC_ERROR, origin, STRC_MESSAGE_##id, (const char *const[]){__VA_ARGS__, 0})
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

/// Decimal digits; returns `to`.
typedef char strc_digits[24];
const char *strc_decimal_text(strc_digits to, int64_t value);

#endif
