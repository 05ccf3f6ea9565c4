// Operations element by element: the definitions that types/tensor_functions.def names.

#include <cmath>

#include "base/assert.h"
#include "tensor/elements.h"

namespace strc::tensor {

using ir::Op;
using ir::Reg;
using types::MathFn;
using types::TensorFn;
using types::TypeKind;

Reg Elements::operation(const Node& node, const Operands& operands) {
    const Type* element = node.type->element;
    switch (node.fn) {
#define FN(Id, name, signature, form, kind, shape, dimensions)
#define ELEMENTS(Id, name, signature, form, shape, definition) \
    case TensorFn::Id: return definition(node, operands);
#include "types/tensor_functions.def"
        case TensorFn::Zeros: return zero(registerType(element, w.types));
        case TensorFn::Ones: return convert(w.integer(1), w.types.intType(), element);
        case TensorFn::Full: return operands[0];
        default: STRC_UNREACHABLE("no definition of an operation on tensors");
    }
}

Reg Elements::arithmetic(const Node& node, Op op, const std::vector<Reg>& operands) {
    const Type* element = node.type->element;
    const Type* type = registerType(element, w.types);
    const bool isTruth = type->is(TypeKind::Boolean);
    const Type* computed = isTruth ? w.types.intType() : element;
    const Reg a = convert(operands[0], node.operands[0]->type->element, computed);
    const Reg b = convert(operands[1], node.operands[1]->type->element, computed);
    const Reg value = w.operation(op, registerType(computed, w.types), {a, b});
    return convert(value, computed, element);
}

Reg Elements::comparison(const Node& node, Op op, const std::vector<Reg>& operands) {
    const Type* a = node.operands[0]->type;
    const Type* b = node.operands[1]->type;
    const Type* element = promoted(a, b, w.types);
    if (element->is(TypeKind::Boolean)) element = w.types.intType();
    const Reg left = convert(operands[0], a->element, element);
    const Reg right = convert(operands[1], b->element, element);
    return w.operation(op, registerType(element, w.types), {left, right});
}

Reg Elements::better(MathFn fn, Reg a, Reg b, const Type* type) {
    const Type* wide = w.types.doubleType();
    auto widened = [&](Reg x) { return convert(x, type, wide); };
    return convert(exact(fn, {widened(a), widened(b)}), wide, type);
}

/// Functions whose results are integers if their operands are: without a way through real numbers, of which a `long` has
/// more digits.
Reg Elements::wholeMath(const Node& node, const std::vector<Reg>& operands) {
    const Type* element = node.type->element;
    const Type* type = registerType(element, w.types);
    const Reg a = convert(operands[0], node.operands[0]->type->element, element);
    if (node.math == MathFn::Abs) {
        const Reg isNegative = w.operation(Op::Lt, type, {a, zero(type)});
        return select(
            isNegative, type, [&] { return w.operation(Op::Neg, type, {a}); }, [&] { return a; });
    }
    if (node.math != MathFn::Min && node.math != MathFn::Max) return a;
    const Reg b = convert(operands[1], node.operands[1]->type->element, element);
    const Reg isFirst = w.operation(node.math == MathFn::Min ? Op::Lt : Op::Gt, type, {a, b});
    return select(isFirst, type, [&] { return a; }, [&] { return b; });
}

Reg Elements::relaxedSum(Reg a, Reg b, const Type* type) {
    const Reg sum = w.operation(Op::Add, type, {a, b});
    w.body.blocks[w.block].instrs.back().flag =
        type->is(TypeKind::Float) || type->is(TypeKind::Double);
    return sum;
}

Reg Elements::relaxed(MathFn fn, Reg x) {
    const Reg result = w.operation(Op::Math, w.types.doubleType(), {x});
    ir::Instr& instr = w.body.blocks[w.block].instrs.back();
    instr.math = fn;
    instr.flag = true;
    return result;
}

Reg Elements::exponential(Reg x, const Type* type) {
    const Type* wide = w.types.doubleType();
    return convert(relaxed(MathFn::Exp, convert(x, type, wide)), wide, type);
}

Reg Elements::exact(MathFn fn, const Operands& operands) {
    const Reg result = w.operation(Op::Math, w.types.doubleType(), operands);
    w.body.blocks[w.block].instrs.back().math = fn;
    return result;
}

Reg Elements::real(const Node& node, const Operands& operands, const Definition& definition) {
    const Type* type = w.types.doubleType();
    Operands values;
    for (std::size_t k = 0; k < operands.size(); ++k)
        values.push_back(convert(operands[k], node.operands[k]->type->element, type));
    return convert(definition(values), type, node.type->element);
}

// ---- the definitions

Reg Elements::negate(const Node& node, const Operands& operands) {
    return w.operation(Op::Neg, registerType(node.type->element, w.types), operands);
}

Reg Elements::invert(const Node& node, const Operands& operands) {
    return w.operation(Op::Not, node.type->element, operands);
}

Reg Elements::choose(const Node& node, const Operands& operands) {
    const Type* element = node.type->element;
    const Reg condition = convert(operands[0], node.operands[0]->type->element, w.types.boolean());
    return select(
        condition, registerType(element, w.types),
        [&] { return convert(operands[1], node.operands[1]->type->element, element); },
        [&] { return convert(operands[2], node.operands[2]->type->element, element); });
}

Reg Elements::cast(const Node& node, const Operands& operands) {
    return convert(operands[0], node.operands[0]->type->element, node.type->element);
}

Reg Elements::math(const Node& node, const Operands& operands) {
    const Type* element = node.type->element;
    const bool isWhole =
        element->is(TypeKind::Int) || element->is(TypeKind::Long) || element->is(TypeKind::Int8);
    if (isWhole) return wholeMath(node, operands);
    return real(node, operands, [&](const Operands& x) {
        const bool isRelaxed = node.math == MathFn::Exp || node.math == MathFn::Tanh;
        return isRelaxed ? relaxed(node.math, x[0]) : exact(node.math, x);
    });
}

Reg Elements::relu(const Node& node, const Operands& operands) {
    const Type* type = registerType(node.type->element, w.types);
    const Reg negative = w.operation(Op::Lt, type, {operands[0], zero(type)});
    return select(negative, type, [&] { return zero(type); }, [&] { return operands[0]; });
}

Reg Elements::logistic(Reg x) {
    const Type* type = w.types.doubleType();
    const Reg minus = w.operation(Op::Neg, type, {x});
    const Reg power = relaxed(MathFn::Exp, minus);
    const Reg below = w.operation(Op::Add, type, {real(1), power});
    return w.operation(Op::Div, type, {real(1), below});
}

Reg Elements::sigmoid(const Node& node, const Operands& operands) {
    return real(node, operands, [&](const Operands& x) { return logistic(x[0]); });
}

Reg Elements::silu(const Node& node, const Operands& operands) {
    return real(node, operands, [&](const Operands& x) {
        return w.operation(Op::Mul, w.types.doubleType(), {x[0], logistic(x[0])});
    });
}

Reg Elements::gelu(const Node& node, const Operands& operands) {
    return real(node, operands, [&](const Operands& x) {
        const Type* type = w.types.doubleType();
        const Reg scaled = w.operation(Op::Mul, type, {x[0], real(std::sqrt(0.5))});
        const Reg error = exact(MathFn::Erf, {scaled});
        const Reg share = w.operation(Op::Add, type, {real(1), error});
        return w.operation(Op::Mul, type, {w.operation(Op::Mul, type, {x[0], real(0.5)}), share});
    });
}

/// With e = exp(-|x|) as a fraction that neither overflows nor rounds small powers away: tanh(log(1 + exp(x))) is
/// n / (n + 2) for n = e * (e + 2) below 0, and (1 + 2 * e) / (1 + 2 * e + 2 * e * e) else.
Reg Elements::mish(const Node& node, const Operands& operands) {
    return real(node, operands, [&](const Operands& x) {
        const Type* type = w.types.doubleType();
        auto plus = [&](Reg a, Reg b) { return w.operation(Op::Add, type, {a, b}); };
        auto times = [&](Reg a, Reg b) { return w.operation(Op::Mul, type, {a, b}); };
        const Reg negative = w.operation(Op::Lt, type, {x[0], zero(type)});
        auto minus = [&] { return w.operation(Op::Neg, type, {x[0]}); };
        const Reg power = relaxed(MathFn::Exp, select(negative, type, [&] { return x[0]; }, minus));
        const Reg above = select(
            negative, type, [&] { return times(power, plus(power, real(2))); },
            [&] { return plus(real(1), times(real(2), power)); });
        const Reg below = select(
            negative, type, [&] { return plus(above, real(2)); },
            [&] { return plus(above, times(real(2), times(power, power))); });
        return times(x[0], w.operation(Op::Div, type, {above, below}));
    });
}

}  // namespace strc::tensor
