#include "types/short_floats.h"

#include "strc/values.h"

namespace strc::types {

double ofHalf(std::uint16_t bits) { return strc_of_half(bits); }
double ofBFloat16(std::uint16_t bits) { return strc_of_bfloat16(bits); }
std::uint16_t toHalf(double value) { return strc_to_half(value); }
std::uint16_t toBFloat16(double value) { return strc_to_bfloat16(value); }

}  // namespace strc::types
