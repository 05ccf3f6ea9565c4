#pragma once
/// Texts as JSON has them.

#include <string>
#include <string_view>

namespace strc::base {

/// In quotes. What is no UTF-8 becomes U+FFFD, control characters escapes.
std::string jsonString(std::string_view);

}  // namespace strc::base
