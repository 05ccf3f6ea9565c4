#include "csource/detail/helpers.h"

#include <array>
#include <vector>

#include <fmt/format.h>

namespace strc::csource {
namespace {

struct Row {
    Helper id;
    std::string_view name;
    std::string_view text;  ///< {0}: the prefix of all names, {1}: the type of complex numbers
    std::vector<Helper> calls = {};
};

/// Each stands behind what it calls; runtime/src has the same functions.
const std::vector<Row>& rows() {
    static const std::vector<Row> all{
        {Helper::Divide, "divide",
         R"(/* Wraps as the language does: the least int by -1 is itself. */
static inline int32_t {0}_divide(int32_t x, int32_t y) {{
    return y == -1 ? (int32_t)(0u - (uint32_t)x) : x / y;
}}
)"},
        {Helper::Remainder, "remainder",
         R"(static inline int32_t {0}_remainder(int32_t x, int32_t y) {{
    return y == -1 ? 0 : x % y;
}}
)"},
        {Helper::DivideLong, "divide_long",
         R"(static inline int64_t {0}_divide_long(int64_t x, int64_t y) {{
    return y == -1 ? (int64_t)(0u - (uint64_t)x) : x / y;
}}
)"},
        {Helper::RemainderLong, "remainder_long",
         R"(static inline int64_t {0}_remainder_long(int64_t x, int64_t y) {{
    return y == -1 ? 0 : x % y;
}}
)"},
        {Helper::ToInt, "to_int",
         R"(/* Truncates; what is out of range becomes the nearest int, what is no number 0. */
static inline int32_t {0}_to_int(double x) {{
    if (x >= 2147483647.0) return INT32_MAX;
    if (x <= -2147483648.0) return INT32_MIN;
    return x == x ? (int32_t)x : 0;
}}
)"},
        {Helper::ToLong, "to_long", R"(static inline int64_t {0}_to_long(double x) {{
    if (x >= 9223372036854775808.0) return INT64_MAX;
    if (x <= -9223372036854775808.0) return INT64_MIN;
    return x == x ? (int64_t)x : 0;
}}
)"},
        {Helper::OfHalf, "of_half", R"(/* The value of 16 bits as IEEE 754 has them. */
static inline float {0}_of_half(uint16_t bits) {{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31  ? (fraction == 0 ? HUGE_VAL : NAN)
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(1024 + fraction, exponent - 25);
    return (float)(bits & 0x8000 ? -size : size);
}}
)"},
        {Helper::OfBFloat16, "of_bfloat16", R"(static inline float {0}_of_bfloat16(uint16_t bits) {{
    const uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}}
)"},
        {Helper::NearestShort, "nearest_short",
         R"(/* The bits of the nearest number whose fraction has so many; exponents from `least` on have all of them. */
static inline uint16_t {0}_nearest_short(double value, int fraction, int least, int most) {{
    const unsigned infinite = (unsigned)(most - least + 2) << fraction;
    const unsigned sign = signbit(value) ? 0x8000u : 0;
    const double size = fabs(value);
    if (size != size) return (uint16_t)(sign | infinite | 1u << (fraction - 1));
    if (isinf(size)) return (uint16_t)(sign | infinite);
    int exponent;
    frexp(size, &exponent);
    --exponent;
    if (size == 0 || exponent < least) exponent = least;
    const double steps = rint(ldexp(size, fraction - exponent));
    if (exponent > most) return (uint16_t)(sign | infinite);
    const unsigned bits = ((unsigned)(exponent - least) << fraction) + (unsigned)steps;
    return (uint16_t)(sign | (bits < infinite ? bits : infinite));
}}
)"},
        {Helper::ToHalf,
         "to_half",
         R"(static inline uint16_t {0}_to_half(double x) {{
    return {0}_nearest_short(x, 10, -14, 15);
}}
)",
         {Helper::NearestShort}},
        {Helper::ToBFloat16,
         "to_bfloat16",
         R"(static inline uint16_t {0}_to_bfloat16(double x) {{
    return {0}_nearest_short(x, 7, -126, 127);
}}
)",
         {Helper::NearestShort}},
        {Helper::Minimum, "min", R"(/* What is no number wins, and -0 is less than 0. */
static inline double {0}_min(double x, double y) {{
    if (x != x) return x;
    if (x == 0 && y == 0) return signbit(x) ? x : y;
    return x <= y ? x : y;
}}
)"},
        {Helper::Maximum, "max", R"(static inline double {0}_max(double x, double y) {{
    if (x != x) return x;
    if (x == 0 && y == 0) return signbit(x) ? y : x;
    return x >= y ? x : y;
}}
)"},
        {Helper::Round, "round",
         R"(static inline double {0}_round(double x) {{ return floor(x + 0.5); }}
)"},
        {Helper::ComplexAdd, "complex_add", R"(static inline {1} {0}_complex_add({1} x, {1} y) {{
    return ({1}){{x.re + y.re, x.im + y.im}};
}}
)"},
        {Helper::ComplexSubtract, "complex_subtract",
         R"(static inline {1} {0}_complex_subtract({1} x, {1} y) {{
    return ({1}){{x.re - y.re, x.im - y.im}};
}}
)"},
        {Helper::ComplexMultiply, "complex_multiply",
         R"(static inline {1} {0}_complex_multiply({1} x, {1} y) {{
    return ({1}){{x.re * y.re - x.im * y.im, x.im * y.re + x.re * y.im}};
}}
)"},
        {Helper::ComplexDivide, "complex_divide",
         R"(static inline {1} {0}_complex_divide({1} x, {1} y) {{
    const float scale = y.re * y.re + y.im * y.im;
    return ({1}){{(x.re * y.re + x.im * y.im) / scale, (x.im * y.re - x.re * y.im) / scale}};
}}
)"},
        {Helper::ComplexEqual, "complex_equal",
         R"(static inline int {0}_complex_equal({1} x, {1} y) {{
    return x.re == y.re && x.im == y.im;
}}
)"},
        {Helper::ComplexNegate, "complex_negate",
         R"(static inline {1} {0}_complex_negate({1} x) {{ return ({1}){{-x.re, -x.im}}; }}
)"},
        {Helper::ComplexAbs, "complex_abs", R"(static inline float {0}_complex_abs({1} z) {{
    const double re = z.re, im = z.im;
    return (float)sqrt(re * re + im * im);
}}
)"},
        {Helper::ComplexArg, "complex_arg",
         R"(static inline float {0}_complex_arg({1} z) {{ return (float)atan2(z.im, z.re); }}
)"},
        {Helper::ComplexExp, "complex_exp", R"(static inline {1} {0}_complex_exp({1} z) {{
    const double radius = exp(z.re);
    return ({1}){{(float)(radius * cos(z.im)), (float)(radius * sin(z.im))}};
}}
)"},
        {Helper::ComplexSin, "complex_sin", R"(static inline {1} {0}_complex_sin({1} z) {{
    return ({1}){{(float)(sin(z.re) * cosh(z.im)), (float)(cos(z.re) * sinh(z.im))}};
}}
)"},
        {Helper::ComplexCos, "complex_cos", R"(static inline {1} {0}_complex_cos({1} z) {{
    return ({1}){{(float)(cos(z.re) * cosh(z.im)), (float)(-sin(z.re) * sinh(z.im))}};
}}
)"},
        {Helper::ComplexLog, "complex_log", R"(static inline {1} {0}_complex_log({1} z) {{
    const double re = z.re, im = z.im;
    return ({1}){{(float)log(sqrt(re * re + im * im)), (float)atan2(im, re)}};
}}
)"},
        {Helper::ComplexSqrt, "complex_sqrt", R"(/* The principal root. */
static inline {1} {0}_complex_sqrt({1} z) {{
    const double re = z.re, im = z.im, length = sqrt(re * re + im * im);
    const double real = (length + re) / 2, imaginary = (length - re) / 2;
    const double root = sqrt(imaginary > 0 ? imaginary : 0);
    return ({1}){{(float)sqrt(real > 0 ? real : 0), (float)(signbit(z.im) ? -root : root)}};
}}
)"},
        {Helper::ComplexPow,
         "complex_pow",
         R"(static inline {1} {0}_complex_pow({1} z, {1} w) {{
    return {0}_complex_exp({0}_complex_multiply(w, {0}_complex_log(z)));
}}
)",
         {Helper::ComplexExp, Helper::ComplexMultiply, Helper::ComplexLog}},
    };
    return all;
}

/// The functions on vectors, of which {0} is the name, {1} the type and {2} how many floats it has.
constexpr std::string_view kVectorMap = R"(static inline {1} {0}({1} x, {1} y) {{
    for (int k = 0; k < {2}; ++k) x.at[k] = x.at[k] {3} y.at[k];
    return x;
}}
)";
constexpr std::string_view kVectorEqual = R"(static inline int {0}({1} x, {1} y) {{
    for (int k = 0; k < {2}; ++k)
        if (x.at[k] != y.at[k]) return 0;
    return 1;
}}
)";
constexpr std::string_view kVectorNegate = R"(static inline {1} {0}({1} x) {{
    for (int k = 0; k < {2}; ++k) x.at[k] = -x.at[k];
    return x;
}}
)";
constexpr std::string_view kVectorOf = R"(static inline {1} {0}(float x) {{
    {1} made;
    for (int k = 0; k < {2}; ++k) made.at[k] = x;
    return made;
}}
)";

std::string vectorFunction(std::string_view operation, const std::string& name,
                           const std::string& type, int count) {
    if (operation == "equal") return fmt::format(kVectorEqual, name, type, count);
    if (operation == "negate") return fmt::format(kVectorNegate, name, type, count);
    if (operation == "of") return fmt::format(kVectorOf, name, type, count);
    const char sign = operation == "add"        ? '+'
                      : operation == "subtract" ? '-'
                      : operation == "multiply" ? '*'
                                                : '/';
    return fmt::format(kVectorMap, name, type, count, sign);
}

}  // namespace

std::string Helpers::name(Helper id) {
    needed.insert(id);
    if (id == Helper::Random) return prefix + "_random";
    for (const Row& row : rows()) {
        if (row.id != id) continue;
        needed.insert(row.calls.begin(), row.calls.end());
        return fmt::format("{}_{}", prefix, row.name);
    }
    return {};
}

std::string Helpers::onVectors(std::string_view operation, const Type* type,
                               const std::string& typeName) {
    std::string name = fmt::format("{}_{}_{}", prefix, types::toString(type), operation);
    if (vectorFunctions.insert(name).second)
        vectorText += vectorFunction(operation, name, typeName, type->components());
    return name;
}

bool Helpers::needsComplex() const {
    return needed.lower_bound(Helper::ComplexAdd) != needed.end();
}

std::string Helpers::text(const std::string& complexName) const {
    std::string all;
    for (const Row& row : rows())
        if (needed.contains(row.id))
            all += fmt::format(fmt::runtime(row.text), prefix, complexName) + "\n";
    return all + vectorText + (vectorText.empty() ? "" : "\n");
}

}  // namespace strc::csource
