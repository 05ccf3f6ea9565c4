/// A file in memory for as long as the program runs. Somebody may make it shorter meanwhile: who reads what is
/// not there any more reads zeros, and the run ends (signals.h).
#ifndef STRC_MAPPED_FILE_H
#define STRC_MAPPED_FILE_H

#include <stdint.h>

/// Once in a process. Null: `why` has the reason.
const void *strc_map_file(const char *name, uint64_t *size, const char **why);
/// Its memory is for others until somebody reads it again.
void strc_mapped_file_forget(void);
/// What has happened to the file since, or null: what was read of it is what it was.
const char *strc_mapped_file_fault(void);

#endif
