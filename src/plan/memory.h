#pragma once
/// The memory of a plan as whoever wrote the program wants to see it: what lies where, in use from when to when, and what it
/// comes to.

#include <string>

#include "plan/plan.h"

namespace strc::plan {

/// A table of all tapes that have memory, in order of their offsets, behind a summary.
std::string printMemory(const Plan&);
/// The same as a JSON object (docs/graph-json.md).
std::string memoryToJson(const Plan&);

}  // namespace strc::plan
