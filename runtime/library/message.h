/// What a library says about a check that failed. Private to the runtime.
#ifndef STRC_MESSAGE_H
#define STRC_MESSAGE_H

#include "strc/executable.h"

#define STRC_MESSAGE_ROOM 1024

/// "FILE:LINE:COLUMN: error: TEXT [NAME] in INSTANCE", cut off where there is no more room; allocates nothing.
void strc_fault_message(char to[STRC_MESSAGE_ROOM], const strc_executable *, const strc_fault *);

#endif
