#pragma once
/// How a run ends, and why it stopped early.

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"

namespace strc::eval {

enum class Outcome : std::uint8_t { Done, Starved, Trapped, Interrupted };

/// A run-time fault, to be reported with the instance's path. A rate that was
/// not kept is a Push-, Pop- or PeekRateViolated (part, filter, limit, count); that the rate is a range
/// only the caller knows.
struct Trap {
    base::Diag id;
    base::SourceRange range;
    std::vector<std::string> args;
};

}  // namespace strc::eval
