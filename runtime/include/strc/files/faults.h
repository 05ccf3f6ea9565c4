/// What is wrong with a file, told to whoever has opened it: an executable words it at once, the compiler makes a
/// diagnostic of it.
#ifndef STRC_FILES_FAULTS_H
#define STRC_FILES_FAULTS_H

#include "strc/executable.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whoever takes errors. `report` gets this as its first argument; the other ones are texts, and null behind the last of
/// them. The value is -1.
typedef struct strc_reporter {
    int (*report)(const struct strc_reporter *, strc_text place, strc_text instance,
                  strc_message_id, const char *const *arguments);
    /// A line below what was reported last, which says what to do.
    void (*hint)(const struct strc_reporter *, const char *text);
} strc_reporter;

/// What a fault is about, and who takes it.
typedef struct strc_origin {
    strc_text place;  ///< this and `instance` may be 0
    strc_text instance;
    const strc_reporter *reporter;
} strc_origin;

/// The value is -1, so that whoever fails returns it.
#define STRC_FAIL(origin, id, ...) \
    strc_fail(origin, STRC_MESSAGE_##id, (const char *const[]){__VA_ARGS__, 0})
int strc_fail(strc_origin, strc_message_id, const char *const *arguments);

int strc_hint(strc_origin, const char *text);

/// Decimal digits; returns `to`.
typedef char strc_digits[24];
const char *strc_decimal_text(strc_digits to, int64_t value);

#ifdef __cplusplus
}
#endif
#endif
