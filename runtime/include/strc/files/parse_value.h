/// Numbers as words.
#ifndef STRC_PARSE_VALUE_H
#define STRC_PARSE_VALUE_H

#include "strc/files/numbers.h"

/// Longer words are no numbers.
#define STRC_LONGEST_WORD 200

/// Reads a value of that kind (BOOLEAN to COMPLEX) as `-D` and text files of the compiler do: booleans also
/// as 0 and 1, reals also as nan, inf and infinity. 0: it is none.
int strc_parse_value(const char *word, size_t length, strc_kind, void *to);

#endif
