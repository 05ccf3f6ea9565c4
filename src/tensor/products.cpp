// Sums of products: matrices and convolutions.

#include "tensor/detail/reductions.h"

namespace strc::tensor {

using ir::Op;
using ir::Reg;

void Reductions::addProduct(const Node& node, std::uint32_t total, const MultiIndex& left,
                            const MultiIndex& right) {
    const Type* type = registerType(node.type->element, w.types);
    const Reg a = elements.operandElement(node, 0, left);
    const Reg b = elements.operandElement(node, 1, right);
    const Reg both = w.operation(Op::Mul, type, {a, b});
    w.store(total, w.operation(Op::Add, type, {w.load(total), both}));
}

Reg Reductions::product(const Node& node, const MultiIndex& place) {
    const NodePtr& a = node.operands[0];
    const NodePtr& b = node.operands[1];
    const Type* type = registerType(node.type->element, w.types);
    const bool isRow = a->dims().size() == 1;
    const bool isColumn = b->dims().size() == 1;
    // The place among the dimensions that count matrices, then the row, then the column.
    const std::size_t ends = (isRow ? 0u : 1u) + (isColumn ? 0u : 1u);
    const MultiIndex batch(place.begin(), place.end() - static_cast<std::ptrdiff_t>(ends));
    const Index row = isRow ? Index{} : place[batch.size()];
    const Index column = isColumn ? Index{} : place.back();
    auto matrixOf = [&](const Node& operand) {
        MultiIndex result;
        const std::size_t outer = operand.dims().size() < 2 ? 0 : operand.dims().size() - 2;
        for (std::size_t k = 0; k < outer; ++k)
            result.push_back(operand.dims()[k] == 1 ? Index{} : batch[batch.size() - outer + k]);
        return result;
    };
    const std::uint32_t total = w.local("sum" + std::to_string(w.body.locals.size()), type);
    w.store(total, numbers.zero(type));
    const std::int64_t inner = a->dims().back();
    w.loop(inner, [&](Reg k) {
        const Index along = inner == 1 ? Index{} : Index{0, k};
        MultiIndex left = matrixOf(*a);
        if (!isRow) left.push_back(row);
        left.push_back(along);
        MultiIndex right = matrixOf(*b);
        right.push_back(along);
        if (!isColumn) right.push_back(column);
        addProduct(node, total, left, right);
    });
    return w.load(total);
}

/// Over the channels of the group and all places of the kernel.
Reg Reductions::convolution(const Node& node, const MultiIndex& place) {
    const Dims& weight = node.operands[1]->dims();
    const std::size_t n = weight.size() - 2;
    const std::size_t channel = node.dims().size() - n - 1;
    const std::int64_t groups = node.ints.back();
    const Type* type = registerType(node.type->element, w.types);
    const std::uint32_t total = w.local("sum" + std::to_string(w.body.locals.size()), type);
    w.store(total, numbers.zero(type));
    Index firstChannel;
    if (groups > 1) {
        const Reg perGroup = w.integer(weight[0] / groups);
        const Reg group =
            w.operation(Op::Div, w.types.intType(), {places.at(place[channel]), perGroup});
        firstChannel = places.scaled({0, group}, weight[1], 0);
    }
    places.nest(Dims(weight.begin() + 1, weight.end()), [&](const MultiIndex& inner) {
        MultiIndex left = place;
        left[channel] = places.plus(firstChannel, inner[0]);
        for (std::size_t k = 0; k < n; ++k)
            left[channel + 1 + k] =
                places.plus(places.scaled(place[channel + 1 + k], node.ints[k], 0),
                            places.scaled(inner[1 + k], node.ints[n + k], 0));
        MultiIndex right{place[channel]};
        right.insert(right.end(), inner.begin(), inner.end());
        addProduct(node, total, left, right);
    });
    return w.load(total);
}

}  // namespace strc::tensor
