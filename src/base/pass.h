#pragma once
/// The names of stages and passes (passes.def). passes.h says what can be done with them.

#include <cstdint>

namespace strc::base {

enum class Pass : std::uint8_t {
#define STRC_PASS(Id, kind, product, name, what) Id,
#include "base/passes.def"
#undef STRC_PASS
    Count
};

}  // namespace strc::base
