#include "types/math.h"

#include <algorithm>
#include <type_traits>

#include "base/assert.h"
#include "strc/runtime.h"
#include "strc/values.h"

namespace strc::types {
namespace {

struct MathInfo {
    std::string_view name;
    int arguments;
};

constexpr MathInfo mathTable[] = {
#define X(Id, name, arguments) {name, arguments},
    STRC_REAL_FUNCTIONS(X)
#undef X
        {"arg", 1},
    {"csqrt", 1},
};

/// A complex function of the runtime: the result goes to its first argument.
template <typename... Args>
Complex call(void (*function)(float*, Args...), std::type_identity_t<Args>... args) {
    float parts[2];
    function(parts, args...);
    return {parts[0], parts[1]};
}

}  // namespace

std::string_view name(MathFn fn) { return mathTable[static_cast<int>(fn)].name; }
int arguments(MathFn fn) { return mathTable[static_cast<int>(fn)].arguments; }

MathFn findMathFn(std::string_view name) {
    auto found = std::find_if(std::begin(mathTable), std::end(mathTable),
                              [&](const MathInfo& row) { return row.name == name; });
    return static_cast<MathFn>(found - std::begin(mathTable));
}

Complex multiply(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.imag() * b.real() + a.real() * b.imag()};
}

Complex divide(Complex a, Complex b) {
    float scale = b.real() * b.real() + b.imag() * b.imag();
    return {(a.real() * b.real() + a.imag() * b.imag()) / scale,
            (a.imag() * b.real() - a.real() * b.imag()) / scale};
}

double evaluate(MathFn fn, double x, double y) {
    switch (fn) {
        case MathFn::Sin: return std::sin(x);
        case MathFn::Cos: return std::cos(x);
        case MathFn::Tan: return std::tan(x);
        case MathFn::Asin: return std::asin(x);
        case MathFn::Acos: return std::acos(x);
        case MathFn::Atan: return std::atan(x);
        case MathFn::Sinh: return std::sinh(x);
        case MathFn::Cosh: return std::cosh(x);
        case MathFn::Tanh: return std::tanh(x);
        case MathFn::Exp: return std::exp(x);
        case MathFn::Log: return std::log(x);
        case MathFn::Log10: return std::log10(x);
        case MathFn::Erf: return std::erf(x);
        case MathFn::Sqrt: return std::sqrt(x);
        case MathFn::Abs: return std::fabs(x);
        case MathFn::Floor: return std::floor(x);
        case MathFn::Ceil: return std::ceil(x);
        case MathFn::Round: return strc_round(x);
        case MathFn::Rint: return std::nearbyint(x);
        case MathFn::Atan2: return std::atan2(x, y);
        case MathFn::Pow: return std::pow(x, y);
        case MathFn::Min: return strc_min(x, y);
        case MathFn::Max: return strc_max(x, y);
        case MathFn::Arg:
        case MathFn::Csqrt:
        case MathFn::Count: break;
    }
    STRC_UNREACHABLE("not a real function");
}

Complex evaluate(MathFn fn, Complex z, Complex w) {
    float a = z.real();
    float b = z.imag();
    switch (fn) {
        case MathFn::Exp: return call(strc_complex_exp, a, b);
        case MathFn::Sin: return call(strc_complex_sin, a, b);
        case MathFn::Cos: return call(strc_complex_cos, a, b);
        case MathFn::Log: return call(strc_complex_log, a, b);
        case MathFn::Pow: return call(strc_complex_pow, a, b, w.real(), w.imag());
        case MathFn::Sqrt:
        case MathFn::Csqrt: return call(strc_complex_sqrt, a, b);
        default: STRC_UNREACHABLE("not a complex function");
    }
}

float evaluateToReal(MathFn fn, Complex z) {
    STRC_ASSERT(fn == MathFn::Abs || fn == MathFn::Arg, "not a function from complex to real");
    auto function = fn == MathFn::Abs ? strc_complex_abs : strc_complex_arg;
    return function(z.real(), z.imag());
}

double Random::next() { return strc_random_next(&state); }

}  // namespace strc::types
