#include "repl/detail/value_source.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "repl/detail/values.h"
#include "types/short_floats.h"
#include "types/tensor_text.h"

namespace strc::repl {

using types::Type;
using types::TypeKind;
using types::Value;

namespace {

std::string ofFloat(float number) {
    if (std::isnan(number)) return "0.0 / 0.0";
    if (std::isinf(number)) return number > 0 ? "1.0 / 0.0" : "-1.0 / 0.0";
    std::string text = fmt::format("{:.9g}", number);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

/// A number with all its digits, as a sum of floats of which each begins where the one before ends.
std::string sumOf(double number) {
    std::string text;
    for (double rest = number; rest != 0;) {
        const auto part = static_cast<float>(rest);
        rest -= static_cast<double>(part);
        if (text.empty())
            text = "(double)" + ofFloat(part);
        else
            text += (part < 0 ? " - " : " + ") + ofFloat(std::abs(part));
    }
    return text;
}

/// ` * 2^exponent` in steps that a float can hold.
std::string scale(int exponent) {
    constexpr int kMost = 126;
    std::string text;
    const char* const sign = exponent < 0 ? " / " : " * ";
    for (int left = std::abs(exponent); left > 0; left -= std::min(left, kMost))
        text += sign + ofFloat(std::ldexp(1.0F, std::min(left, kMost)));
    return text;
}

std::string ofDouble(double number) {
    const auto rounded = static_cast<float>(number);
    const bool isFloat = static_cast<double>(rounded) == number;
    if (isFloat || !std::isfinite(number)) return ofFloat(rounded);
    // Far from the ends of what floats can hold all parts of the sum are floats.
    constexpr int kFar = 60;
    int exponent = 0;
    const double fraction = std::frexp(number, &exponent);
    if (std::abs(exponent) < kFar) return sumOf(number);
    return "(" + sumOf(fraction) + ")" + scale(exponent);
}

/// Sums of two parts lose the sign of a zero, and what is infinite spreads.
bool isPlain(float number) {
    return std::isfinite(number) && (number != 0 || !std::signbit(number));
}

std::string ofComplex(float real, float imaginary) {
    if (!isPlain(real) || !isPlain(imaginary)) return {};
    return ofFloat(real) + (imaginary < 0 ? " - " : " + ") + ofFloat(std::abs(imaginary)) + "i";
}

std::string ofVector(const Value& value) {
    std::string out;
    for (int k = 0; k < value.type->components(); ++k)
        out += (k == 0 ? "" : ", ") + ofFloat(component(value, static_cast<std::size_t>(k)));
    return fmt::format("{}({})", types::toString(value.type), out);
}

/// `element(k)` for each element of a tensor, with a pair of braces for each row.
template <typename Element>
std::string inBraces(const Type* tensor, Element element) {
    const std::int64_t count = types::countElements(tensor);
    std::string out;
    for (std::int64_t k = 0; k < count; ++k) {
        std::size_t begun = 0;  // rows whose first element this is
        std::int64_t inside = count;
        for (std::int64_t extent : tensor->dims) {
            if (k % inside == 0) ++begun;
            inside /= extent;
        }
        if (k > 0) out += std::string(begun, '}') + ", ";
        out += std::string(begun, '{') + element(k);
    }
    return out + std::string(tensor->dims.size(), '}');
}

std::string castTo(const Type* element, const std::string& value) {
    const std::string name = types::toString(element);
    const bool isWord = element->is(TypeKind::Int) || element->is(TypeKind::Double) ||
                        element->is(TypeKind::Float) || element->is(TypeKind::Boolean);
    return isWord ? fmt::format("({}) ({})", name, value) : fmt::format("{}({})", name, value);
}

std::int64_t longAt(const Value& tensor, std::int64_t k) {
    std::int64_t number = 0;
    std::memcpy(&number, tensor.bytes.data() + static_cast<std::size_t>(k) * sizeof number,
                sizeof number);
    return number;
}

std::int32_t lowHalf(std::int64_t number) { return static_cast<std::int32_t>(number); }
/// The upper half of a number whose lower half counts as signed.
std::int32_t highHalf(std::int64_t number) {
    const auto left = static_cast<std::uint64_t>(number) -
                      static_cast<std::uint64_t>(static_cast<std::int64_t>(lowHalf(number)));
    return static_cast<std::int32_t>(left >> 32);
}

std::string ofInt(std::int32_t number) {
    return number == INT32_MIN ? "0x80000000" : std::to_string(number);
}

std::string ofElement(const Value& tensor, std::int64_t k) {
    if (tensor.type->element->is(TypeKind::Long)) return ofInt(lowHalf(longAt(tensor, k)));
    static const types::TypeTable table;
    const Type* memory = table.scalar(tensor.type->element->kind);
    const auto size = static_cast<std::size_t>(types::sizeOf(memory));
    const Value found{memory, tensor.bytes.substr(static_cast<std::size_t>(k) * size, size)};
    switch (memory->kind) {  // whose elements no scalar of the language has
        case TypeKind::Int8: return ofInt(found.as<std::int8_t>());
        case TypeKind::Half:
            return ofFloat(static_cast<float>(types::ofHalf(found.as<std::uint16_t>())));
        case TypeKind::BFloat16:
            return ofFloat(static_cast<float>(types::ofBFloat16(found.as<std::uint16_t>())));
        default: return toSource(found);
    }
}

/// There are no literals of 64 bits.
bool needsHalves(const Value& tensor) {
    if (!tensor.type->element->is(TypeKind::Long)) return false;
    for (std::int64_t k = 0; k < types::countElements(tensor.type); ++k)
        if (highHalf(longAt(tensor, k)) != 0) return true;
    return false;
}

std::string ofTensor(const Value& value) {
    if (needsHalves(value)) return {};
    const Type* type = value.type;
    if (types::countElements(type) == 0) {
        std::string dims;
        for (std::int64_t extent : type->dims)
            dims += (dims.empty() ? "" : ", ") + std::to_string(extent);
        return castTo(type->element, "zeros(" + dims + ")");
    }
    const std::string text = inBraces(type, [&](std::int64_t k) { return ofElement(value, k); });
    return type->dims.empty() ? castTo(type->element, text) : text;
}

std::string ofArray(const Value& value) {
    std::string out;
    for (std::int64_t k = 0; k < value.type->extent; ++k) {
        const std::string item = toSource(element(value, k));
        if (item.empty()) return {};
        out += (k == 0 ? "" : ", ") + item;
    }
    return "{" + out + "}";
}

}  // namespace

std::string toSource(const Value& value) {
    switch (value.type->kind) {
        case TypeKind::Boolean: return value.toInt() != 0 ? "true" : "false";
        case TypeKind::Bit: return std::to_string(value.toInt());
        case TypeKind::Int: return ofInt(static_cast<std::int32_t>(value.toInt()));
        case TypeKind::Float: return ofFloat(value.as<float>());
        case TypeKind::Double: return ofDouble(value.as<double>());
        case TypeKind::Complex: return ofComplex(component(value, 0), component(value, 1));
        case TypeKind::Array: return ofArray(value);
        case TypeKind::Tensor: return ofTensor(value);
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4: return ofVector(value);
        default: return {};
    }
}

/// A tensor of longs, of which each is two ints.
static std::string fromHalves(std::string_view variable, const Value& value,
                              std::string_view indent) {
    auto half = [&](std::int32_t (*of)(std::int64_t)) {
        return inBraces(value.type, [&](std::int64_t k) { return ofInt(of(longAt(value, k))); });
    };
    return fmt::format(
        "{0}{{\n{0}    tensor<long> high = {2};\n{0}    tensor<long> low = {3};\n"
        "{0}    {1} = high * 65536 * 65536 + low;\n{0}}}\n",
        indent, variable, half(highHalf), half(lowHalf));
}

std::string assignments(std::string_view variable, const Value& value, std::string_view indent) {
    if (value.type->is(TypeKind::Tensor)) return fromHalves(variable, value, indent);
    if (std::all_of(value.bytes.begin(), value.bytes.end(), [](char c) { return c == 0; }))
        return {};
    const Type* type = value.type;
    std::string out;
    auto add = [&](std::string_view member, const std::string& text) {
        out += fmt::format("{}{}.{} = {};\n", indent, variable, member, text);
    };
    if (const std::string text = toSource(value); !text.empty()) {
        out = fmt::format("{}{} = {};\n", indent, variable, text);
    } else if (type->is(TypeKind::Array)) {
        for (std::int64_t k = 0; k < type->extent; ++k)
            out += assignments(fmt::format("{}[{}]", variable, k), element(value, k), indent);
    } else if (type->is(TypeKind::Struct)) {
        for (const types::StructField& field : type->structure->fields)
            out += assignments(fmt::format("{}.{}", variable, field.name.text()),
                               part(value, field.offset, field.type), indent);
    } else if (type->is(TypeKind::Complex)) {
        add("real", ofFloat(component(value, 0)));
        add("imag", ofFloat(component(value, 1)));
    }
    return out;
}

}  // namespace strc::repl
