#include "types/math.h"

#include <algorithm>

#include "base/assert.h"

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

/// Math.min and Math.max of Java: a NaN wins, and -0 is less than 0.
double lesser(double x, double y) {
    if (x != x) return x;
    if (x == 0 && y == 0) return std::signbit(x) ? x : y;
    return x <= y ? x : y;
}

double greater(double x, double y) {
    if (x != x) return x;
    if (x == 0 && y == 0) return std::signbit(x) ? y : x;
    return x >= y ? x : y;
}

Complex polar(double radius, double angle) {
    return {static_cast<float>(radius * std::cos(angle)), static_cast<float>(radius * std::sin(angle))};
}

Complex logarithm(Complex z) {
    double a = z.real();
    double b = z.imag();
    return {static_cast<float>(std::log(std::sqrt(a * a + b * b))), static_cast<float>(std::atan2(b, a))};
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
        case MathFn::Sqrt: return std::sqrt(x);
        case MathFn::Abs: return std::fabs(x);
        case MathFn::Floor: return std::floor(x);
        case MathFn::Ceil: return std::ceil(x);
        case MathFn::Round: return std::floor(x + 0.5);
        case MathFn::Rint: return std::nearbyint(x);
        case MathFn::Atan2: return std::atan2(x, y);
        case MathFn::Pow: return std::pow(x, y);
        case MathFn::Min: return lesser(x, y);
        case MathFn::Max: return greater(x, y);
        case MathFn::Arg:
        case MathFn::Csqrt:
        case MathFn::Count: break;
    }
    STRC_UNREACHABLE("not a real function");
}

Complex evaluate(MathFn fn, Complex z, Complex w) {
    double a = z.real();
    double b = z.imag();
    switch (fn) {
        case MathFn::Exp: return polar(std::exp(a), b);
        case MathFn::Sin:
            return {static_cast<float>(std::sin(a) * std::cosh(b)),
                    static_cast<float>(std::cos(a) * std::sinh(b))};
        case MathFn::Cos:
            return {static_cast<float>(std::cos(a) * std::cosh(b)),
                    static_cast<float>(-std::sin(a) * std::sinh(b))};
        case MathFn::Log: return logarithm(z);
        case MathFn::Pow: return evaluate(MathFn::Exp, multiply(w, logarithm(z)));
        case MathFn::Sqrt:
        case MathFn::Csqrt: {
            double modulus = std::sqrt(a * a + b * b);
            double real = std::sqrt(std::max(0.0, (modulus + a) / 2));
            double imag = std::sqrt(std::max(0.0, (modulus - a) / 2));
            return {static_cast<float>(real), static_cast<float>(std::signbit(b) ? -imag : imag)};
        }
        default: STRC_UNREACHABLE("not a complex function");
    }
}

float evaluateToReal(MathFn fn, Complex z) {
    double a = z.real();
    double b = z.imag();
    STRC_ASSERT(fn == MathFn::Abs || fn == MathFn::Arg, "not a function from complex to real");
    return static_cast<float>(fn == MathFn::Abs ? std::sqrt(a * a + b * b) : std::atan2(b, a));
}

double Random::next() {
    auto draw = [this](int bits) {
        state = (state * 0x5DEECE66Dull + 0xB) & ((1ull << 48) - 1);
        return state >> (48 - bits);
    };
    std::uint64_t high = draw(26);
    std::uint64_t low = draw(27);
    return static_cast<double>((high << 27) + low) / 9007199254740992.0;
}

}  // namespace strc::types
