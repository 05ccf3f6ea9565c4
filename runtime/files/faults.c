#include "strc/files/faults.h"

#include <string.h>

int strc_fail(strc_origin origin, strc_message_id id, const char *const *arguments) {
    return origin.reporter->report(origin.reporter, origin.place, origin.instance, id, arguments);
}

int strc_hint(strc_origin origin, const char *text) {
    origin.reporter->hint(origin.reporter, text);
    return -1;
}

const char *strc_decimal_text(strc_digits to, int64_t value) {
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    char *at = to + sizeof(strc_digits) - 1;
    *at = '\0';
    do *--at = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (value < 0) *--at = '-';
    return memmove(to, at, (size_t)(to + sizeof(strc_digits) - at));
}
