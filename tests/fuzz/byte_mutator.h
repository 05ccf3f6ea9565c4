#pragma once
/// Changes to inputs of any kind: bytes are flipped, replaced, erased, inserted and moved, or the end is cut off.

#include <cstdint>
#include <string>
#include <string_view>

namespace strc::fuzz {

/// One to a few random changes.
std::string mutateBytes(std::string_view input, std::uint32_t seed);

}  // namespace strc::fuzz
