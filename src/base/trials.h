#pragma once
/// What the compiler can do, and does not do unless it is asked to, since nobody has seen it where it is for: the environment variable
/// STRC_TRY has the names of such trials, with commas between them. A trial that has been seen becomes a pass (passes.def).

#include <string_view>

namespace strc::base {

bool isTried(std::string_view name);

}  // namespace strc::base
