#pragma once
/// Values from text: what -D name=value gives, what a prompt or a text file holds.

#include <optional>
#include <string_view>

#include "types/value.h"

namespace strc::types {

/// "3", "0x1F", "-2.5e3", "true", "1+2i"; for String the text itself. Empty: not a value of that
/// type (out of range included).
std::optional<Value> parseValue(std::string_view text, const Type*);

}  // namespace strc::types
