#pragma once
/// The pass `merge-branches`: where all branches of a splitjoin between round robins are the same, without state, one of them does
/// the work of all. It gets all items of a branch, then all of the next one; where the splitter gives fewer at a time, or the joiner
/// takes fewer, a filter in its place permutes them.

#include <optional>

#include "pass/context.h"
#include "pass/program.h"

namespace strc::horizontal {

std::optional<pass::Program> mergeBranches(const pass::Context&, const pass::Program&);

}  // namespace strc::horizontal
