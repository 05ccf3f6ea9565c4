/// The option --profile of an executable.
#ifndef STRC_PROFILES_H
#define STRC_PROFILES_H

#include "options.h"
#include "strc/profile.h"

/// For a run that so many threads may share; null after reporting.
strc_profile *strc_begin_profile(const strc_executable *, const strc_options *, uint32_t threads);
/// After the run: the table on standard error, and the file that was asked for. What fails is reported. Frees the profile.
void strc_show_profile(const strc_executable *, const strc_options *, strc_profile *);

#endif
