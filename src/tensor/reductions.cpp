// Operations that go through many elements for one of the result.

#include "tensor/detail/reductions.h"

#include "base/assert.h"

namespace strc::tensor {

using ir::Op;
using ir::Reg;
using types::MathFn;
using types::TensorFn;
using types::TypeKind;

namespace {

/// So many are added as they are.
constexpr std::int64_t kFewFloats = 1024;

/// The dimensions of the operand that are gone through.
std::vector<std::size_t> innerOf(const Node& node) {
    const std::size_t rank = node.operands[0]->dims().size();
    if (!node.ints.empty()) return {static_cast<std::size_t>(node.ints[0])};
    std::vector<std::size_t> all(rank);
    for (std::size_t k = 0; k < rank; ++k) all[k] = k;
    return all;
}

/// The place of the result's element among the other dimensions of the operand.
MultiIndex outerOf(const Node& node, const MultiIndex& place) {
    if (node.ints.empty()) return MultiIndex(node.operands[0]->dims().size());
    MultiIndex outer = place;
    const bool keeps = node.dims().size() == node.operands[0]->dims().size();
    if (!keeps) outer.insert(outer.begin() + static_cast<std::ptrdiff_t>(node.ints[0]), Index{});
    return outer;
}

}  // namespace

Reg Reductions::element(const Node& node, const MultiIndex& place) {
    switch (node.fn) {
        case TensorFn::Sum:
        case TensorFn::Mean: return sum(node, place);
        case TensorFn::Prod: return multiplied(node, place);
        case TensorFn::Amax:
        case TensorFn::Amin: return extreme(node, place);
        case TensorFn::Argmax: return indexOfGreatest(node, place);
        case TensorFn::Matmul: return product(node, place);
        case TensorFn::Conv: return convolution(node, place);
        default: STRC_UNREACHABLE("no reduction");
    }
}

/// Many floats are added in binary64: one after the other, they would lose digits.
Reg Reductions::sum(const Node& node, const MultiIndex& place) {
    const NodePtr& from = node.operands[0];
    const Type* element = node.type->element;
    const Type* single = registerType(element, w.types);
    std::int64_t count = 1;
    for (std::size_t dim : innerOf(node)) count *= from->dims()[dim];
    const bool isWide = single->is(TypeKind::Float) && count > kFewFloats;
    const Type* type = isWide ? w.types.doubleType() : single;
    const std::uint32_t total = w.local("sum" + std::to_string(w.body.locals.size()), type);
    w.store(total, numbers.zero(type));
    places.overAll(*from, outerOf(node, place), innerOf(node), [&](const MultiIndex& each) {
        Reg value = numbers.convert(elements.element(from, each), from->type->element, element);
        w.range = node.range;
        if (isWide) value = w.operation(Op::Convert, type, {value});
        w.store(total, single == element || isWide
                           ? numbers.relaxedSum(w.load(total), value, type)
                           : w.operation(Op::Add, type, {w.load(total), value}));
    });
    w.range = node.range;
    Reg result = w.load(total);
    if (node.fn == TensorFn::Mean) {
        const Reg divisor = isWide ? w.operation(Op::Convert, type, {w.integer(count)})
                                   : numbers.convert(w.integer(count), w.types.intType(), element);
        result = w.operation(Op::Div, type, {result, divisor});
    }
    return isWide ? w.operation(Op::Convert, single, {result}) : result;
}

Reg Reductions::multiplied(const Node& node, const MultiIndex& place) {
    const NodePtr& from = node.operands[0];
    const Type* type = registerType(node.type->element, w.types);
    const std::uint32_t total = w.local("factors" + std::to_string(w.body.locals.size()), type);
    w.store(total, numbers.convert(w.integer(1), w.types.intType(), type));
    places.overAll(*from, outerOf(node, place), innerOf(node), [&](const MultiIndex& each) {
        const Reg value =
            numbers.convert(elements.element(from, each), from->type->element, node.type->element);
        w.range = node.range;
        w.store(total, w.operation(Op::Mul, type, {w.load(total), value}));
    });
    w.range = node.range;
    return w.load(total);
}

/// One that is no number wins over all.
Reg Reductions::extreme(const Node& node, const MultiIndex& place) {
    const NodePtr& from = node.operands[0];
    const Type* type = registerType(node.type->element, w.types);
    const bool isGreatest = node.fn == TensorFn::Amax;
    const bool isReal = type->is(TypeKind::Float) || type->is(TypeKind::Double);
    const std::uint32_t best = w.local("best" + std::to_string(w.body.locals.size()), type);
    const MultiIndex outer = outerOf(node, place);
    w.store(best, elements.element(from, outer));
    places.overAll(*from, outer, innerOf(node), [&](const MultiIndex& each) {
        const Reg value = elements.element(from, each);
        w.range = node.range;
        const Reg before = w.load(best);
        if (isReal) {
            const MathFn fn = isGreatest ? MathFn::Max : MathFn::Min;
            return w.store(best, numbers.better(fn, value, before, type));
        }
        const Reg wins = w.operation(isGreatest ? Op::Gt : Op::Lt, type, {value, before});
        w.store(best, numbers.select(wins, type, [&] { return value; }, [&] { return before; }));
    });
    return w.load(best);
}

Reg Reductions::indexOfGreatest(const Node& node, const MultiIndex& place) {
    const NodePtr& from = node.operands[0];
    const Type* type = registerType(from->type->element, w.types);
    const Type* whole = w.types.intType();
    const std::string number = std::to_string(w.body.locals.size());
    const std::uint32_t best = w.local("best" + number, type);
    const std::uint32_t found = w.local("found" + number, whole);
    const std::uint32_t counter = w.local("at" + number, whole);
    const MultiIndex outer = outerOf(node, place);
    w.store(best, elements.element(from, outer));
    w.store(found, w.integer(0));
    w.store(counter, w.integer(0));
    places.overAll(*from, outer, innerOf(node), [&](const MultiIndex& each) {
        const Reg value = elements.element(from, each);
        w.range = node.range;
        const Reg before = w.load(best);
        const Reg greater = w.operation(Op::Gt, type, {value, before});
        const Reg isOdd = w.operation(Op::Ne, type, {value, value});
        const Reg wasEven = w.operation(Op::Eq, type, {before, before});
        const Reg firstOdd = w.operation(Op::And, w.types.boolean(), {isOdd, wasEven});
        const Reg takes = w.operation(Op::Or, w.types.boolean(), {greater, firstOdd});
        const Reg index = w.load(counter);
        w.store(found,
                numbers.select(takes, whole, [&] { return index; }, [&] { return w.load(found); }));
        w.store(best, numbers.select(takes, type, [&] { return value; }, [&] { return before; }));
        w.store(counter, w.operation(Op::Add, whole, {index, w.integer(1)}));
    });
    return numbers.convert(w.load(found), whole, node.type->element);
}

}  // namespace strc::tensor
