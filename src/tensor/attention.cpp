// Scaled dot-product attention, softmax(q k^T scale) v, row by row of the queries: no more than one row of
// scores is ever stored.

#include "tensor/detail/attention.h"

#include <cmath>

namespace strc::tensor {

using ir::Op;
using ir::Reg;

/// Sizes and operands that all rows of one attention share.
struct Attention::Heads {
    const Node& node;
    const Type* type;  ///< of elements in registers
    Reg array;  ///< of the result
    std::int64_t keys, width, values;
    bool isCausal;
    std::uint32_t scores;  ///< of a row's keys; then their powers
    std::uint32_t sum, most;
};

void Attention::attend(const Node& node, Reg array) {
    if (!elements.options.tellsAttention || !tell(node, array)) attendInLoops(node, array);
}

void Attention::attendInLoops(const Node& node, Reg array) {
    if (canAttendInBlocks(node)) return attendBlocks(node, array);
    const Dims& q = node.operands[0]->dims();
    const Dims& v = node.operands[2]->dims();
    const Type* type = registerType(node.type->element, w.types);
    const std::int64_t keys = v[v.size() - 2];
    const std::string number = std::to_string(w.body.locals.size());
    const bool isNarrow = type != node.type->element;
    const Reg sums =
        isNarrow ? w.address(w.local("sums" + number, w.types.array(type, node.count()))) : array;
    const Heads heads{node,
                      type,
                      sums,
                      keys,
                      q.back(),
                      v.back(),
                      !node.ints.empty() && node.ints[0] != 0,
                      w.local("scores" + number, w.types.array(type, keys)),
                      w.local("sum" + number, type),
                      w.local("most" + number, type)};
    places.nest(Dims(node.dims().begin(), node.dims().end() - 1), [&](const MultiIndex& place) {
        attendRow(heads, MultiIndex(place.begin(), place.end() - 1), place.back());
    });
    if (!isNarrow) return;
    w.loop(node.count(),
           [&](Reg i) { places.storeFlat(array, i, w.element(sums, i), node.type->element); });
}

void Attention::attendRow(const Heads& heads, const MultiIndex& outer, const Index& row) {
    scoreRow(heads, outer, row);
    powersOfRow(heads);
    const Type* type = heads.type;
    MultiIndex place = outer;
    place.push_back(row);
    auto index = [&](Reg column) {
        MultiIndex there = place;
        there.push_back({0, column});
        return places.at(places.linear(there, heads.node.dims()));
    };
    w.loop(heads.values, [&](Reg c) { w.setElement(heads.array, index(c), numbers.zero(type)); });
    w.loop(heads.keys, [&](Reg j) {
        const Reg power = w.element(w.address(heads.scores), j);
        w.loop(heads.values, [&](Reg c) {
            MultiIndex there = outer;
            there.push_back({0, j});
            there.push_back({0, c});
            const Reg value = attended(heads.node, 2, there);
            const Reg part = w.operation(Op::Mul, type, {power, value});
            const Reg to = index(c);
            const Reg before = w.element(heads.array, to);
            w.setElement(heads.array, to, w.operation(Op::Add, type, {before, part}));
        });
    });
    w.loop(heads.values, [&](Reg c) {
        const Reg to = index(c);
        const Reg total = w.element(heads.array, to);
        w.setElement(heads.array, to, w.operation(Op::Div, type, {total, w.load(heads.sum)}));
    });
}

/// In a place whose dimensions in front are those of the result, which the operand may have one item of, or lack.
Reg Attention::attended(const Node& node, std::size_t k, const MultiIndex& place) {
    return elements.operandElement(node, k, aligned(node.operands[k]->dims(), place));
}

/// As it is given, or 1 / sqrt(width).
Reg Attention::scaleOfScores(const Node& node) {
    const Type* type = node.type->element;
    if (node.operands.size() > 3)
        return numbers.convert(node.operands[3]->reg, node.operands[3]->type->element, type);
    const auto width = static_cast<double>(node.operands[0]->dims().back());
    return numbers.convert(numbers.real(1 / std::sqrt(width)), w.types.doubleType(), type);
}

void Attention::scoreRow(const Heads& heads, const MultiIndex& outer, const Index& row) {
    const Type* type = heads.type;
    const Reg scale = scaleOfScores(heads.node);
    w.store(heads.most, numbers.convert(numbers.real(-INFINITY), w.types.doubleType(), type));
    w.loop(heads.keys, [&](Reg j) {
        w.store(heads.sum, numbers.zero(type));
        w.loop(heads.width, [&](Reg d) {
            MultiIndex query = outer, key = outer;
            query.push_back(row);
            key.push_back({0, j});
            query.push_back({0, d});
            key.push_back({0, d});
            const Reg a = attended(heads.node, 0, query);
            const Reg product = w.operation(Op::Mul, type, {a, attended(heads.node, 1, key)});
            w.store(heads.sum, numbers.relaxedSum(w.load(heads.sum), product, type));
        });
        Reg score = w.operation(Op::Mul, type, {w.load(heads.sum), scale});
        if (heads.isCausal) {
            const Reg isLater = w.operation(Op::Gt, w.types.intType(), {j, places.at(row)});
            score = numbers.select(
                isLater, type,
                [&] {
                    return numbers.convert(numbers.real(-INFINITY), w.types.doubleType(), type);
                },
                [&] { return score; });
        }
        w.setElement(w.address(heads.scores), j, score);
        const Reg before = w.load(heads.most);
        const Reg isMore = w.operation(Op::Gt, type, {score, before});
        w.store(heads.most,
                numbers.select(isMore, type, [&] { return score; }, [&] { return before; }));
    });
}

void Attention::powersOfRow(const Heads& heads) {
    const Type* type = heads.type;
    w.store(heads.sum, numbers.zero(type));
    w.loop(heads.keys, [&](Reg j) {
        const Reg score = w.element(w.address(heads.scores), j);
        const Reg less = w.operation(Op::Sub, type, {score, w.load(heads.most)});
        const Reg power = numbers.exponential(less, type);
        w.setElement(w.address(heads.scores), j, power);
        w.store(heads.sum, numbers.relaxedSum(w.load(heads.sum), power, type));
    });
}

}  // namespace strc::tensor
