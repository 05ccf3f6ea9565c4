// Operations element by element: the definitions that types/tensor_functions.def names.

#include "tensor/detail/definitions.h"

#include <cmath>

#include "base/assert.h"

namespace strc::tensor {

using ir::Op;
using ir::Reg;
using types::MathFn;
using types::TensorFn;
using types::TypeKind;

Reg Definitions::operation(const Node& node, const Operands& operands) {
    const Type* element = node.type->element;
    switch (node.fn) {
#define FN(Id, name, signature, form, kind, reads, shape, dimensions)
#define ELEMENTS(Id, name, signature, form, shape, definition) \
    case TensorFn::Id: return definition(node, operands);
#include "types/tensor_functions.def"
        case TensorFn::Zeros: return numbers.zero(registerType(element, w.types));
        case TensorFn::Ones: return numbers.convert(w.integer(1), w.types.intType(), element);
        case TensorFn::Full: return operands[0];
        default: STRC_UNREACHABLE("no definition of an operation on tensors");
    }
}

Reg Definitions::arithmetic(const Node& node, Op op, const std::vector<Reg>& operands) {
    const Type* element = node.type->element;
    const Type* type = registerType(element, w.types);
    const bool isTruth = type->is(TypeKind::Boolean);
    const Type* computed = isTruth ? w.types.intType() : element;
    const Reg a = numbers.convert(operands[0], node.operands[0]->type->element, computed);
    const Reg b = numbers.convert(operands[1], node.operands[1]->type->element, computed);
    const Reg value = w.operation(op, registerType(computed, w.types), {a, b});
    return numbers.convert(value, computed, element);
}

Reg Definitions::comparison(const Node& node, Op op, const std::vector<Reg>& operands) {
    const Type* a = node.operands[0]->type;
    const Type* b = node.operands[1]->type;
    const Type* element = promoted(a, b, w.types);
    if (element->is(TypeKind::Boolean)) element = w.types.intType();
    const Reg left = numbers.convert(operands[0], a->element, element);
    const Reg right = numbers.convert(operands[1], b->element, element);
    return w.operation(op, registerType(element, w.types), {left, right});
}

/// Functions whose results are integers if their operands are: without a way through real numbers, of which a `long` has
/// more digits.
Reg Definitions::wholeMath(const Node& node, const std::vector<Reg>& operands) {
    const Type* element = node.type->element;
    const Type* type = registerType(element, w.types);
    const Reg a = numbers.convert(operands[0], node.operands[0]->type->element, element);
    if (node.math == MathFn::Abs) {
        const Reg isNegative = w.operation(Op::Lt, type, {a, numbers.zero(type)});
        return numbers.select(
            isNegative, type, [&] { return w.operation(Op::Neg, type, {a}); }, [&] { return a; });
    }
    if (node.math != MathFn::Min && node.math != MathFn::Max) return a;
    const Reg b = numbers.convert(operands[1], node.operands[1]->type->element, element);
    const Reg isFirst = w.operation(node.math == MathFn::Min ? Op::Lt : Op::Gt, type, {a, b});
    return numbers.select(isFirst, type, [&] { return a; }, [&] { return b; });
}

Reg Definitions::inReals(const Node& node, const Operands& operands, const Definition& definition) {
    const Type* type = w.types.doubleType();
    Operands values;
    for (std::size_t k = 0; k < operands.size(); ++k)
        values.push_back(numbers.convert(operands[k], node.operands[k]->type->element, type));
    return numbers.convert(definition(values), type, node.type->element);
}

// ---- the definitions

Reg Definitions::negate(const Node& node, const Operands& operands) {
    return w.operation(Op::Neg, registerType(node.type->element, w.types), operands);
}

Reg Definitions::invert(const Node& node, const Operands& operands) {
    return w.operation(Op::Not, node.type->element, operands);
}

Reg Definitions::choose(const Node& node, const Operands& operands) {
    const Type* element = node.type->element;
    const Reg condition =
        numbers.convert(operands[0], node.operands[0]->type->element, w.types.boolean());
    return numbers.select(
        condition, registerType(element, w.types),
        [&] { return numbers.convert(operands[1], node.operands[1]->type->element, element); },
        [&] { return numbers.convert(operands[2], node.operands[2]->type->element, element); });
}

Reg Definitions::cast(const Node& node, const Operands& operands) {
    return numbers.convert(operands[0], node.operands[0]->type->element, node.type->element);
}

Reg Definitions::math(const Node& node, const Operands& operands) {
    const Type* element = node.type->element;
    const bool isWhole =
        element->is(TypeKind::Int) || element->is(TypeKind::Long) || element->is(TypeKind::Int8);
    if (isWhole) return wholeMath(node, operands);
    return inReals(node, operands, [&](const Operands& x) {
        const bool isRelaxed = node.math == MathFn::Exp || node.math == MathFn::Tanh;
        return isRelaxed ? numbers.relaxed(node.math, x[0]) : numbers.exact(node.math, x);
    });
}

Reg Definitions::relu(const Node& node, const Operands& operands) {
    const Type* type = registerType(node.type->element, w.types);
    const Reg negative = w.operation(Op::Lt, type, {operands[0], numbers.zero(type)});
    return numbers.select(
        negative, type, [&] { return numbers.zero(type); }, [&] { return operands[0]; });
}

Reg Definitions::logistic(Reg x) {
    const Type* type = w.types.doubleType();
    const Reg minus = w.operation(Op::Neg, type, {x});
    const Reg power = numbers.relaxed(MathFn::Exp, minus);
    const Reg below = w.operation(Op::Add, type, {numbers.real(1), power});
    return w.operation(Op::Div, type, {numbers.real(1), below});
}

Reg Definitions::sigmoid(const Node& node, const Operands& operands) {
    return inReals(node, operands, [&](const Operands& x) { return logistic(x[0]); });
}

Reg Definitions::silu(const Node& node, const Operands& operands) {
    return inReals(node, operands, [&](const Operands& x) {
        return w.operation(Op::Mul, w.types.doubleType(), {x[0], logistic(x[0])});
    });
}

Reg Definitions::gelu(const Node& node, const Operands& operands) {
    return inReals(node, operands, [&](const Operands& x) {
        const Type* type = w.types.doubleType();
        const Reg scaled = w.operation(Op::Mul, type, {x[0], numbers.real(std::sqrt(0.5))});
        const Reg error = numbers.exact(MathFn::Erf, {scaled});
        const Reg share = w.operation(Op::Add, type, {numbers.real(1), error});
        return w.operation(Op::Mul, type,
                           {w.operation(Op::Mul, type, {x[0], numbers.real(0.5)}), share});
    });
}

/// With e = exp(-|x|) as a fraction that neither overflows nor rounds small powers away: tanh(log(1 + exp(x))) is
/// n / (n + 2) for n = e * (e + 2) below 0, and (1 + 2 * e) / (1 + 2 * e + 2 * e * e) else.
Reg Definitions::mish(const Node& node, const Operands& operands) {
    return inReals(node, operands, [&](const Operands& x) {
        const Type* type = w.types.doubleType();
        auto plus = [&](Reg a, Reg b) { return w.operation(Op::Add, type, {a, b}); };
        auto times = [&](Reg a, Reg b) { return w.operation(Op::Mul, type, {a, b}); };
        const Reg negative = w.operation(Op::Lt, type, {x[0], numbers.zero(type)});
        auto minus = [&] { return w.operation(Op::Neg, type, {x[0]}); };
        const Reg power = numbers.relaxed(
            MathFn::Exp, numbers.select(negative, type, [&] { return x[0]; }, minus));
        const Reg above = numbers.select(
            negative, type, [&] { return times(power, plus(power, numbers.real(2))); },
            [&] { return plus(numbers.real(1), times(numbers.real(2), power)); });
        const Reg below = numbers.select(
            negative, type, [&] { return plus(above, numbers.real(2)); },
            [&] { return plus(above, times(numbers.real(2), times(power, power))); });
        return times(x[0], w.operation(Op::Div, type, {above, below}));
    });
}

}  // namespace strc::tensor
