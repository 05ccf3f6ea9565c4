/// How far and how quick a run is, for people.
#ifndef STRC_PROGRESS_H
#define STRC_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/// "950", "12.3 thousand", "4.56 million", …; returns its length.
int strc_rounded_count(char *to, size_t capacity, double count);
/// " 42 %  1.2 million items/s  7 s left"
void strc_progress_line(char *to, size_t capacity, uint64_t done, uint64_t total, double seconds);

/// Seconds of a clock that only goes on.
double strc_clock(void);

/// One line on the terminal, gone when the run ends. Only if standard error is one.
void strc_progress_begin(void);
/// Shows that `done` of `total` items have been read, unless something was shown just now.
void strc_progress_update(uint64_t done, uint64_t total);
void strc_progress_erase(void);

#endif
