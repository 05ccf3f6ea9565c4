#include "types/tensor_elements.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/assert.h"
#include "strc/safetensors.h"
#include "types/tensor_text.h"

namespace strc::types {
namespace {

float ofHalf(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    const double size = exponent == 31  ? (fraction == 0 ? HUGE_VAL : NAN)
                        : exponent == 0 ? std::ldexp(fraction, -24)
                                        : std::ldexp(1024 + fraction, exponent - 25);
    return static_cast<float>(bits & 0x8000 ? -size : size);
}

/// The bits of a float that is exactly a half.
std::uint16_t toHalf(float value) {
    const unsigned sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::fabs(static_cast<double>(value));
    if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
    if (std::isinf(value)) return static_cast<std::uint16_t>(sign | 0x7c00);
    if (size < 0x1p-14)
        return static_cast<std::uint16_t>(sign | static_cast<unsigned>(std::ldexp(size, 24)));
    int exponent = 0;
    const double first = std::frexp(size, &exponent);
    const unsigned fraction = static_cast<unsigned>(std::ldexp(first, 11)) - 1024;
    return static_cast<std::uint16_t>(sign | static_cast<unsigned>(exponent + 14) << 10 | fraction);
}

float ofBFloat16(std::uint16_t bits) {
    const std::uint32_t wide = std::uint32_t{bits} << 16;
    float value = 0;
    std::memcpy(&value, &wide, sizeof value);
    return value;
}

std::uint16_t toBFloat16(float value) {
    std::uint32_t wide = 0;
    std::memcpy(&wide, &value, sizeof wide);
    return static_cast<std::uint16_t>(wide >> 16);
}

/// One after the other from the first on, so that what has not been read is not written over.
template <typename Outside, typename Inside, typename Convert>
void widenAll(std::size_t count, std::byte* to, const std::byte* from, Convert convert) {
    for (std::size_t k = 0; k < count; ++k) {
        Outside narrow{};
        std::memcpy(&narrow, from + k * sizeof narrow, sizeof narrow);
        const Inside wide = convert(narrow);
        std::memcpy(to + k * sizeof wide, &wide, sizeof wide);
    }
}

template <typename Outside, typename Inside, typename Convert>
void narrowAll(std::size_t count, std::byte* to, const std::byte* from, Convert convert) {
    for (std::size_t k = 0; k < count; ++k) {
        Inside wide{};
        std::memcpy(&wide, from + k * sizeof wide, sizeof wide);
        const Outside narrow = convert(wide);
        std::memcpy(to + k * sizeof narrow, &narrow, sizeof narrow);
    }
}

}  // namespace

std::size_t bytesOutside(TypeKind element) {
    switch (element) {
        case TypeKind::Boolean:
        case TypeKind::Int8: return 1;
        case TypeKind::Half:
        case TypeKind::BFloat16: return 2;
        case TypeKind::Int:
        case TypeKind::Float: return 4;
        case TypeKind::Long:
        case TypeKind::Double: return 8;
        default: STRC_UNREACHABLE("no element of a tensor");
    }
}

namespace {

struct SafetensorsRow {
    TypeKind element;
    strc_safe_type type;
};
constexpr SafetensorsRow kSafetensors[] = {
    {TypeKind::Boolean, STRC_SAFE_BOOL}, {TypeKind::Int8, STRC_SAFE_I8},
    {TypeKind::Int, STRC_SAFE_I32},      {TypeKind::Long, STRC_SAFE_I64},
    {TypeKind::Half, STRC_SAFE_F16},     {TypeKind::BFloat16, STRC_SAFE_BF16},
    {TypeKind::Float, STRC_SAFE_F32},    {TypeKind::Double, STRC_SAFE_F64},
};

}  // namespace

std::uint32_t safetensorsType(TypeKind element) {
    for (const SafetensorsRow& row : kSafetensors)
        if (row.element == element) return row.type;
    STRC_UNREACHABLE("no element of a tensor");
}

std::optional<TypeKind> ofSafetensors(std::uint32_t type) {
    for (const SafetensorsRow& row : kSafetensors)
        if (row.type == type) return row.element;
    return std::nullopt;
}

bool isWidened(TypeKind element) { return inMemory(element) != element; }

void widen(TypeKind element, std::size_t count, std::byte* to, const std::byte* from) {
    if (element == TypeKind::Int8)
        widenAll<std::int8_t, std::int32_t>(count, to, from,
                                            [](std::int8_t value) { return value; });
    else if (element == TypeKind::Half)
        widenAll<std::uint16_t, float>(count, to, from, ofHalf);
    else
        widenAll<std::uint16_t, float>(count, to, from, ofBFloat16);
}

void narrow(TypeKind element, std::size_t count, std::byte* to, const std::byte* from) {
    if (element == TypeKind::Int8)
        narrowAll<std::int8_t, std::int32_t>(
            count, to, from, [](std::int32_t value) { return static_cast<std::int8_t>(value); });
    else if (element == TypeKind::Half)
        narrowAll<std::uint16_t, float>(count, to, from, toHalf);
    else
        narrowAll<std::uint16_t, float>(count, to, from, toBFloat16);
}

}  // namespace strc::types
