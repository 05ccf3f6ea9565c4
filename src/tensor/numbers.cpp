#include "tensor/detail/numbers.h"

namespace strc::tensor {

using ir::Op;
using ir::Reg;
using types::MathFn;
using types::TypeKind;

const Type* registerType(const Type* element, types::TypeTable& types) {
    switch (element->kind) {
        case TypeKind::Int8: return types.intType();
        case TypeKind::Half:
        case TypeKind::BFloat16: return types.floatType();
        default: return element;
    }
}

Reg Numbers::real(double value) { return w.constant(Value::of(w.types.doubleType(), value)); }

Reg Numbers::zero(const Type* type) { return w.constant(Value::zero(type)); }

Reg Numbers::select(Reg condition, const Type* type, const std::function<Reg()>& yes,
                    const std::function<Reg()>& no) {
    ir::BlockId blocks[2];
    for (int k = 0; k < 2; ++k)
        blocks[k] = w.inBlock([&] {
            const Reg value = k == 0 ? yes() : no();
            w.emit(Op::Yield, nullptr, {value});
        });
    w.emit(Op::If, type, {condition}).blocks = {blocks[0], blocks[1], ir::kNone};
    return w.result(type, false);
}

Reg Numbers::convert(Reg value, const Type* from, const Type* to) {
    const Type* have = registerType(from, w.types);
    const Type* want = registerType(to, w.types);
    if (isRounded(to) && have != want && !have->is(TypeKind::Boolean)) {
        const Type* real = w.types.doubleType();
        const Reg exact = have == real ? value : w.operation(Op::Convert, real, {value});
        return widened(w.operation(Op::Convert, to, {exact}));
    }
    if (have == want) return value;
    auto isTrue = [&](Reg number, const Type* type) {
        return w.operation(Op::Ne, type, {number, zero(type)});
    };
    if (want->is(TypeKind::Boolean)) return isTrue(value, have);
    if (!have->is(TypeKind::Boolean)) return w.operation(Op::Convert, want, {value});
    const Type* number = w.types.intType();
    const Reg counted =
        select(value, number, [&] { return w.integer(1); }, [&] { return w.integer(0); });
    return convert(counted, number, want);
}

Reg Numbers::better(MathFn fn, Reg a, Reg b, const Type* type) {
    const Type* wide = w.types.doubleType();
    auto widened = [&](Reg x) { return convert(x, type, wide); };
    return convert(exact(fn, {widened(a), widened(b)}), wide, type);
}

Reg Numbers::relaxedSum(Reg a, Reg b, const Type* type) {
    const Reg sum = w.operation(Op::Add, type, {a, b});
    w.body.blocks[w.block].instrs.back().flag =
        type->is(TypeKind::Float) || type->is(TypeKind::Double);
    return sum;
}

Reg Numbers::relaxed(MathFn fn, Reg x) {
    const Reg result = w.operation(Op::Math, w.types.doubleType(), {x});
    ir::Instr& instr = w.body.blocks[w.block].instrs.back();
    instr.math = fn;
    instr.flag = true;
    return result;
}

Reg Numbers::exponential(Reg x, const Type* type) {
    const Type* wide = w.types.doubleType();
    return convert(relaxed(MathFn::Exp, convert(x, type, wide)), wide, type);
}

Reg Numbers::exact(MathFn fn, const Operands& operands) {
    const Reg result = w.operation(Op::Math, w.types.doubleType(), operands);
    w.body.blocks[w.block].instrs.back().math = fn;
    return result;
}

Reg Numbers::between(Reg value, std::int32_t low, std::int32_t high) {
    const Type* type = w.types.intType();
    const Reg isLess = w.operation(Op::Lt, type, {value, w.integer(low)});
    const Reg raised = select(isLess, type, [&] { return w.integer(low); }, [&] { return value; });
    const Reg isMore = w.operation(Op::Gt, type, {raised, w.integer(high)});
    return select(isMore, type, [&] { return w.integer(high); }, [&] { return raised; });
}

}  // namespace strc::tensor
