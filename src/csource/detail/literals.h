#pragma once
/// Constants as C texts, exact to the bit. Private to csource.

#include <string>
#include <string_view>

#include "csource/types.h"
#include "types/value.h"

namespace strc::csource {

std::string literal(std::int32_t);
std::string literal(std::int64_t);
std::string literal(float);
std::string literal(double);
/// Of a scalar that lies at `bytes`; complex numbers and vectors are compound literals.
std::string scalarLiteral(Types&, const Type*, const char* bytes);
/// What stands behind `=` where a variable of that type is defined, in lines of which the first begins somewhere.
std::string initialiser(const Type*, const char* bytes);
/// "text" with escapes.
std::string stringLiteral(std::string_view);

}  // namespace strc::csource
