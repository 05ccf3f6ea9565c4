/// What the program prints, and a thread that hands it on after a moment if nothing more comes.
#ifndef STRC_PRINTING_H
#define STRC_PRINTING_H

#include "strc/files/sink.h"

/// The sink is open.
void strc_printing_begin(strc_sink *);
/// Each gives what the function of the sink gives.
int strc_printing_write(strc_sink *, const void *from, size_t count);
int strc_printing_flush(strc_sink *);
int strc_printing_close(strc_sink *);

#endif
