#pragma once
/// Parameters of the main stream that get their values only when an executable starts.

#include <cstdint>
#include <string>
#include <vector>

#include "base/context.h"
#include "ir/ir.h"

namespace strc::ir {

/// Follows each parameter through the arguments of composites into the filters that get it, and notes in the
/// module which constants it is (Module::open, StreamCode::open) and which filters have to be
/// initialised at the start (StreamCode::startsLate). What composites compute from them is no constant of the module: elaboration
/// sees to it, for each instance. Reports names that are no parameters, and rates and extents of filters that depend on one: false.
bool leaveOpen(base::Context&, Module&, std::uint32_t mainStream,
               const std::vector<std::string>& names);

}  // namespace strc::ir
