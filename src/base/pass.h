#pragma once
/// The names and levels of stages and passes (passes.def). passes.h says what can be done with them.

#include <cstdint>

namespace strc::base {

enum class Pass : std::uint8_t {
#define STRC_PASS(Id, kind, level, product, function, name, what) Id,
#include "base/passes.def"
#undef STRC_PASS
    Count
};

/// The kind of value that a stage or pass is a function on.
enum class PassLevel : std::uint8_t { Source, Program, Kernel, Tensors, Loops, Plan, Code };
PassLevel levelOf(Pass);

}  // namespace strc::base
