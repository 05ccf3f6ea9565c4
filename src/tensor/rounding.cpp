// Types with fewer digits than any scalar of the language: half, bfloat16, int8.

#include <cmath>

#include "tensor/detail/numbers.h"

namespace strc::tensor {

using ir::Op;
using ir::Reg;
using types::MathFn;
using types::TypeKind;

namespace {

/// Digits behind the first one, and the range of exponents of numbers that have all of them.
struct Precision {
    int digits;
    int least, most;
};

Precision precisionOf(const Type* element) {
    return element->is(TypeKind::Half) ? Precision{10, -14, 15} : Precision{7, -126, 127};
}

}  // namespace

bool Numbers::isRounded(const Type* element) {
    return element->is(TypeKind::Half) || element->is(TypeKind::BFloat16);
}

Reg Numbers::rounded(Reg value, const Type* element) {
    if (element->is(TypeKind::Int8)) {
        const Type* type = w.types.intType();
        const Reg high = w.operation(Op::Shl, type, {value, w.integer(24)});
        return w.operation(Op::Shr, type, {high, w.integer(24)});
    }
    if (!isRounded(element)) return value;
    const Reg real = w.operation(Op::Convert, w.types.doubleType(), {value});
    return w.operation(Op::Convert, w.types.floatType(), {roundedReal(real, element)});
}

/// To the nearest, halves to even: in units of the last digit a number is whole.
Reg Numbers::roundedReal(Reg value, const Type* element) {
    const Type* type = w.types.doubleType();
    const Precision precision = precisionOf(element);
    const Reg minus = w.operation(Op::Neg, type, {value});
    const Reg isMinusZero =
        w.operation(Op::Lt, type, {w.operation(Op::Div, type, {real(1), value}), real(0)});
    const Reg isNegative = w.operation(Op::Or, w.types.boolean(),
                                       {w.operation(Op::Lt, type, {value, real(0)}), isMinusZero});
    const Reg size = select(isNegative, type, [&] { return minus; }, [&] { return value; });
    const Reg unit = w.operation(Op::Mul, type,
                                 {scaleOf(size, element), real(std::ldexp(1, -precision.digits))});
    const Reg whole = w.operation(Op::Math, type, {w.operation(Op::Div, type, {size, unit})});
    w.body.blocks[w.block].instrs.back().math = MathFn::Rint;
    const Reg nearest = w.operation(Op::Mul, type, {whole, unit});
    const Reg limit = real(std::ldexp(1, precision.most + 1));
    const Reg isTooLarge = w.operation(Op::Ge, type, {nearest, limit});
    const Reg result =
        select(isTooLarge, type, [&] { return real(HUGE_VAL); }, [&] { return nearest; });
    const Reg opposite = w.operation(Op::Neg, type, {result});
    return select(isNegative, type, [&] { return opposite; }, [&] { return result; });
}

/// The power of two below `size`, but not below the least. Found by halving: a power that is too large or too
/// small is taken out, which is exact.
Reg Numbers::scaleOf(Reg size, const Type* element) {
    const Type* type = w.types.doubleType();
    const Precision precision = precisionOf(element);
    Reg rest = size;
    Reg scale = real(1);
    auto take = [&](Reg condition, int power) {
        const Reg less = w.operation(Op::Mul, type, {rest, real(std::ldexp(1, -power))});
        const Reg more = w.operation(Op::Mul, type, {scale, real(std::ldexp(1, power))});
        const Reg before = rest;
        const Reg beforeScale = scale;
        rest = select(condition, type, [&] { return less; }, [&] { return before; });
        scale = select(condition, type, [&] { return more; }, [&] { return beforeScale; });
    };
    const int first = precision.most > 64 ? 64 : 8;
    for (int step = first; step > 0; step /= 2)
        take(w.operation(Op::Ge, type, {rest, real(std::ldexp(1, step))}), step);
    for (int step = first; step > 0; step /= 2)
        take(w.operation(Op::Lt, type, {rest, real(std::ldexp(1, 1 - step))}), -step);
    const Reg least = real(std::ldexp(1, precision.least));
    const Reg found = scale;
    const Reg isSmall = w.operation(Op::Lt, type, {found, least});
    return select(isSmall, type, [&] { return least; }, [&] { return found; });
}

}  // namespace strc::tensor
