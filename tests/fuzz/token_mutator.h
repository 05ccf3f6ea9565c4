#pragma once
/// Changes to program texts that leave most of them programs: tokens, statements and declarations are
/// erased, doubled, moved and replaced. Bytes changed at random hardly ever get past the parser.

#include <cstdint>
#include <string>
#include <string_view>

namespace strc::fuzz {

/// One to a few random changes. Comments are lost.
std::string mutateTokens(std::string_view text, std::uint32_t seed);

/// A statement or declaration of `other` put into `text`.
std::string crossTokens(std::string_view text, std::string_view other, std::uint32_t seed);

}  // namespace strc::fuzz
