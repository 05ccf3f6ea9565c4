// Rules for what leads from numbers to tensors and back.

#include <fmt/format.h>

#include "tensor/detail/shape_rules.h"

namespace strc::tensor {

using types::TypeKind;

const Type* MadeRules::made() { return types.tensor(types.floatType(), extents(0)); }

const Type* MadeRules::full() { return types.tensor(elementOf(operands[0].type), extents(1)); }

const Type* MadeRules::arange() { return types.tensor(types.scalar(TypeKind::Long), extents(0)); }

const Type* ExchangeRules::stored() {
    if (operands.size() == 2) return types.tensor();
    return types.tensor(types.floatType(), extents(2));
}

const Type* ExchangeRules::fromScalar() {
    return types.tensor(elementOf(operands[0].type), Dims{});
}

const Type* ExchangeRules::fromArray() {
    const Type* type = input(0);
    if (!isConcrete(type))
        return fail("the length of the array is not known when the program is compiled");
    Dims shape;
    for (; type->is(TypeKind::Array); type = type->element) shape.push_back(type->extent);
    return types.tensor(elementOf(type), std::move(shape));
}

const Type* ExchangeRules::read() {
    const std::size_t rank = dims(0).size();
    if (operands.size() - 1 != rank)
        return fail(fmt::format(
            "{} index{} for a tensor of shape {}{}", operands.size() - 1,
            operands.size() == 2 ? "" : "es", toString(dims(0)),
            operands.size() - 1 < rank ? "; 'narrow' and 'squeeze' give a part of it" : ""));
    for (std::size_t k = 0; k < rank; ++k) {
        if (!operands[k + 1].constant) continue;
        const std::int64_t at = operands[k + 1].constant->toInt();
        if (at < 0 || at >= dims(0)[k])
            return fail(fmt::format("index {} does not lie in the {} items of dimension {}", at,
                                    dims(0)[k], k));
    }
    return scalar();
}

const Type* ExchangeRules::item() {
    if (countElements(input(0)) != 1)
        return fail(fmt::format("{} is not one element", toString(dims(0))));
    return scalar();
}

const Type* ExchangeRules::size() {
    dimensionAt(1, dims(0).size());
    return types.intType();
}

const Type* ExchangeRules::rank() { return types.intType(); }

const Type* ExchangeRules::scalar() {
    const Type* wanted = instr.type;
    const Type* have = element(0);
    if (have->is(TypeKind::Int8) || have->is(TypeKind::Long)) have = types.intType();
    if (have->is(TypeKind::Half) || have->is(TypeKind::BFloat16)) have = types.floatType();
    if (have == wanted) return wanted;
    return fail(
        fmt::format("an element is {} here and is read as {}; declare the tensor with its "
                    "element type, 'tensor<{}>'",
                    types::toString(have), types::toString(wanted), types::toString(element(0))));
}

}  // namespace strc::tensor
