#pragma once
/// Conversions and built-in functions of the language on plain C++ values: the one definition that
/// folding, the evaluator and the run-time library follow (language.md 4.3, 16.1, 16.2).

#include <cmath>
#include <complex>
#include <cstdint>
#include <string_view>

namespace strc::types {

using Complex = std::complex<float>;

/// Truncates toward zero; NaN gives 0; out of range saturates (Java's narrowing conversion).
inline std::int32_t toInt(double value) {
    if (value != value) return 0;
    if (value >= 2147483647.0) return INT32_MAX;
    if (value <= -2147483648.0) return INT32_MIN;
    return static_cast<std::int32_t>(value);
}

inline std::int32_t wrap(std::int64_t value) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

/// The textbook formulas in binary32 (5.3), not the library's, which treat infinities apart.
Complex multiply(Complex a, Complex b);
Complex divide(Complex a, Complex b);

/// Built-in functions, X-macro rows (Id, name, arguments). Arguments and result are binary64 here;
/// the caller rounds the result to binary32 once.
#define STRC_REAL_FUNCTIONS(X)                                                                 \
    X(Sin, "sin", 1)                                                                           \
    X(Cos, "cos", 1)                                                                           \
    X(Tan, "tan", 1)                                                                           \
    X(Asin, "asin", 1)                                                                         \
    X(Acos, "acos", 1)                                                                         \
    X(Atan, "atan", 1)                                                                         \
    X(Sinh, "sinh", 1) X(Cosh, "cosh", 1) X(Tanh, "tanh", 1) X(Exp, "exp", 1) X(Log, "log", 1) \
        X(Log10, "log10", 1) X(Erf, "erf", 1) X(Sqrt, "sqrt", 1) X(Abs, "abs", 1)              \
            X(Floor, "floor", 1) X(Ceil, "ceil", 1) X(Round, "round", 1) X(Rint, "rint", 1)    \
                X(Atan2, "atan2", 2) X(Pow, "pow", 2) X(Min, "min", 2) X(Max, "max", 2)

enum class MathFn : std::uint8_t {
#define X(Id, name, arguments) Id,
    STRC_REAL_FUNCTIONS(X)
#undef X
        Arg,    ///< complex only
    Csqrt,  ///< complex result also for a real argument
    Count,
};

std::string_view name(MathFn);
int arguments(MathFn);
/// MathFn::Count if there is none of that name.
MathFn findMathFn(std::string_view name);

double evaluate(MathFn, double x, double y = 0);
/// exp sin cos log sqrt csqrt and pow of complex arguments.
Complex evaluate(MathFn, Complex z, Complex w = {});
/// abs and arg of a complex argument.
float evaluateToReal(MathFn, Complex z);

/// The generator of language.md 16.3. One per program.
struct Random {
    std::uint64_t state = 1182736490827ull;
    /// Uniform in [0, 1), 53 random bits.
    double next();
};

}  // namespace strc::types
