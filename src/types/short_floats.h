#pragma once
/// Numbers of 16 bits, half and bfloat16, by their bits: as the runtime has them (strc/values.h), for folders that do not know it.

#include <cstdint>

namespace strc::types {

double ofHalf(std::uint16_t bits);
double ofBFloat16(std::uint16_t bits);
/// The bits of the nearest number, halves to even, rounded once.
std::uint16_t toHalf(double value);
std::uint16_t toBFloat16(double value);

}  // namespace strc::types
