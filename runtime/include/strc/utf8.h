/// Texts from outside.
#ifndef STRC_UTF8_H
#define STRC_UTF8_H

#include <stddef.h>

/// What stands for bytes that are no character: U+FFFD.
#define STRC_UTF8_REPLACEMENT "\xEF\xBF\xBD"

/// Bytes of the character at `text`, which ends in NUL; 0: it is none (The Unicode Standard, table 3-7).
size_t strc_utf8_length(const unsigned char *text);

#endif
