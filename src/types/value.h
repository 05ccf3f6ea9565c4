#pragma once
/// A constant: the value of a parameter, a global, an enqueued item. Its bytes lie as type.h's
/// sizeOf says, so copying a Value into memory is copying bytes.

#include <cstdint>
#include <cstring>
#include <string>

#include "types/type.h"

namespace strc::types {

struct Value {
    const Type* type = nullptr;
    std::string bytes;  ///< sizeOf(type) bytes; for String the text itself

    bool operator==(const Value&) const = default;

    template <typename T>
    T as() const {
        T value;
        std::memcpy(&value, bytes.data(), sizeof value);
        return value;
    }
    template <typename T>
    static Value of(const Type* type, T value) {
        return {type, std::string(reinterpret_cast<const char*>(&value), sizeof value)};
    }
    static Value zero(const Type* type) {
        return {type, std::string(static_cast<std::size_t>(sizeOf(type)), '\0')};
    }
    static Value text(const Type* stringType, std::string text) {
        return {stringType, std::move(text)};
    }
    /// Value of a boolean, bit or int.
    std::int64_t toInt() const { return bytes.size() == 1 ? bytes[0] : as<std::int32_t>(); }
};

/// As the language prints it (18): shortest digits for floats, "1.0E-4", "true", "a+bi"; arrays and
/// structs, for dumps only, as "{1, 2}".
std::string toString(const Value&);

/// A binary32 as `println` prints it: like Float.toString of Java, or like "%f" of C.
std::string formatFloat(float value, bool cFormat = false);
/// The same digits rule for binary64.
std::string formatDouble(double value, bool cFormat = false);
/// "a+bi"
std::string formatComplex(float real, float imag, bool cFormat = false);

}  // namespace strc::types
