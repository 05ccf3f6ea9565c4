/// Filters of the program whose shapes only the run knows.
#ifndef STRC_MAIN_SYMBOLIC_H
#define STRC_MAIN_SYMBOLIC_H

#include "host.h"

/// Loads what runs them, if there are any; 0, or -1 after reporting.
int strc_filters_open(strc_environment *);
/// For strc_env; null: there are none.
const strc_symbolic *strc_filters_of(strc_environment *);

#endif
