// Rules for what works element by element, and over dimensions.

#include <fmt/format.h>

#include "tensor/detail/shape_rules.h"

namespace strc::tensor {

using types::MathFn;
using types::TensorFn;
using types::TypeKind;

const Type* ElementwiseRules::arithmetic() { return elementwise(common(0, 1)); }

const Type* ElementwiseRules::comparison() { return elementwise(types.boolean()); }

const Type* ElementwiseRules::math() { return elementwise(mathElement()); }

const Type* ElementwiseRules::function() { return elementwise(real(0)); }

const Type* ElementwiseRules::choice() { return elementwise(common(1, 2)); }

const Type* ElementwiseRules::cast() { return types.tensor(instr.type->element, dims(0)); }

const Type* ElementwiseRules::likeFirst() { return input(0); }

const Type* ElementwiseRules::negation() {
    if (element(0)->is(TypeKind::Boolean)) return input(0);
    return fail("the elements have to be booleans: compare them with 0");
}

const Type* ElementwiseRules::elementwise(const Type* result) {
    Dims shape;
    for (const Operand& operand : operands) {
        auto both = broadcast(shape, operand.type->dims);
        if (!both)
            return fail(fmt::format("the shapes {} and {} do not fit each other", toString(shape),
                                    toString(operand.type->dims)));
        shape = std::move(*both);
    }
    return types.tensor(result, std::move(shape));
}

const Type* ElementwiseRules::mathElement() {
    const Type* type = operands.size() == 2 ? common(0, 1) : element(0);
    switch (instr.math) {
        case MathFn::Abs:
        case MathFn::Min:
        case MathFn::Max:
        case MathFn::Floor:
        case MathFn::Ceil:
        case MathFn::Round:
        case MathFn::Rint: return type->is(TypeKind::Boolean) ? types.intType() : type;
        default: return category(type) == 2 ? type : types.floatType();
    }
}

const Type* ReductionRules::sum() { return reduced(summed()); }

const Type* ReductionRules::mean() { return reduced(real(0)); }

const Type* ReductionRules::extreme() { return reduced(element(0)); }

const Type* ReductionRules::indexOfGreatest() { return reduced(types.scalar(TypeKind::Long)); }

const Type* ReductionRules::reduced(const Type* result) {
    Dims shape = dims(0);
    if (operands.size() == 1) return types.tensor(result, Dims{});
    const std::size_t at = dimensionAt(1, shape.size());
    const bool keeps = operands.size() == 3 && known(2) != 0;
    if (!why.empty()) return nullptr;
    if (shape[at] == 0 && needsOne()) return fail(fmt::format("dimension {} has no items", at));
    if (keeps)
        shape[at] = 1;
    else
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at));
    return types.tensor(result, std::move(shape));
}

bool ReductionRules::needsOne() const {
    return instr.tensor == TensorFn::Amax || instr.tensor == TensorFn::Amin ||
           instr.tensor == TensorFn::Argmax;
}

const Type* NormalisationRules::softmax() {
    if (dims(0).empty()) return fail("a tensor without dimensions has none to go over");
    if (operands.size() == 2) dimensionAt(1, dims(0).size());
    return types.tensor(real(0), dims(0));
}

const Type* ContractionRules::matmul() {
    Dims a = dims(0);
    Dims b = dims(1);
    if (a.empty() || b.empty()) return fail("both sides need at least one dimension");
    const bool isRow = a.size() == 1;
    const bool isColumn = b.size() == 1;
    if (isRow) a.insert(a.begin(), 1);
    if (isColumn) b.push_back(1);
    const std::int64_t inner = a.back();
    if (inner != b[b.size() - 2])
        return fail(fmt::format(
            "the last dimension of {} has {} items, the {} of {} has {}", toString(dims(0)), inner,
            isColumn ? "only dimension" : "last but one", toString(dims(1)), b[b.size() - 2]));
    auto outer = broadcast(Dims(a.begin(), a.end() - 2), Dims(b.begin(), b.end() - 2));
    if (!outer)
        return fail(fmt::format("the shapes {} and {} do not fit each other", toString(dims(0)),
                                toString(dims(1))));
    if (!isRow) outer->push_back(a[a.size() - 2]);
    if (!isColumn) outer->push_back(b.back());
    return types.tensor(common(0, 1), std::move(*outer));
}

const Type* ContractionRules::conv() {
    const Dims& x = dims(0);
    const Dims& weight = dims(1);
    if (weight.size() < 3)
        return fail("weights have the dimensions out, in / groups and those of the kernel");
    const std::size_t n = weight.size() - 2;
    if (operands.size() != 2 + 2 * n + 1)
        return fail(fmt::format("{} strides, {} dilations and the groups are {} operands", n, n,
                                2 * n + 1));
    if (x.size() != n + 1 && x.size() != n + 2)
        return fail(fmt::format("{} has neither {} nor {} dimensions", toString(x), n + 1, n + 2));
    const std::size_t channel = x.size() - n - 1;
    const std::int64_t groups = known(operands.size() - 1);
    if (!why.empty()) return nullptr;
    if (groups < 1 || weight[0] % groups != 0)
        return fail(fmt::format("{} output channels do not make {} groups", weight[0], groups));
    if (x[channel] != weight[1] * groups)
        return fail(fmt::format("{} has {} channels, the weights take {}", toString(x), x[channel],
                                weight[1] * groups));
    Dims shape = x;
    shape[channel] = weight[0];
    for (std::size_t k = 0; k < n; ++k)
        shape[channel + 1 + k] =
            swept(x[channel + 1 + k], weight[2 + k], known(2 + k), known(2 + n + k));
    return types.tensor(common(0, 1), std::move(shape));
}

}  // namespace strc::tensor
