#pragma once
/// What the command line says about files and bounds of a run, as strc/strc.h has it.

#include "driver/detail/options.h"

namespace strc::driver {

/// Open ends without a file are standard input and standard output. It points into the options.
strc_run_options runOptions(const Options&, bool hasInput, bool hasOutput);

}  // namespace strc::driver
