#pragma once
/// Options of several commands about what ranks and workers share.

#include "driver/detail/option_adder.h"

namespace strc::driver {

/// --network
void addNetwork(OptionAdder&, CLI::App& sub);
/// --split
void addSplit(OptionAdder&, CLI::App& sub);

}  // namespace strc::driver
