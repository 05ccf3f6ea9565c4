#pragma once
/// Conversions of constants.

#include <optional>

#include "types/value.h"

namespace strc::types {

/// By the implicit rules of language.md 4.3 (bit, int, float, double, complex upwards; 0 and 1 to
/// bit). Empty: there is no implicit conversion.
std::optional<Value> convertImplicitly(const Value&, const Type* target);

}  // namespace strc::types
