#pragma once
/// Options of several commands about what ranks and workers share.

#include "driver/detail/option_adder.h"

namespace strc::driver {

/// --network
void addNetwork(OptionAdder&, CLI::App& sub);
/// --split
void addSplit(OptionAdder&, CLI::App& sub);
/// Reports options that say something of ranks where none are asked for.
void checkRanks(const Options&, base::Diagnostics&);

}  // namespace strc::driver
