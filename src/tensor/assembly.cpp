#include "tensor/detail/assembly.h"

#include "base/assert.h"
#include "tensor/detail/attention.h"
#include "tensor/detail/contractions.h"
#include "tensor/detail/epilogue.h"

namespace strc::tensor {

using ir::Op;
using ir::Reg;
using types::TensorFn;

namespace {

/// Elements that are written at once.
constexpr std::int64_t kLanes = 16;

struct Border {
    Dims first, dims;
};

/// All that is around a part, each element once.
std::vector<Border> bordersOf(const Dims& part, const Dims& first, const Dims& whole) {
    std::vector<Border> borders;
    Border inside{Dims(whole.size(), 0), whole};
    for (std::size_t dim = 0; dim < whole.size(); ++dim) {
        auto add = [&](std::int64_t from, std::int64_t to) {
            if (from == to) return;
            borders.push_back(inside);
            borders.back().first[dim] = from;
            borders.back().dims[dim] = to - from;
        };
        add(0, first[dim]);
        add(first[dim] + part[dim], whole[dim]);
        inside.first[dim] = first[dim];
        inside.dims[dim] = part[dim];
    }
    return borders;
}

/// Times that up to kLanes neighbours are written.
std::int64_t countRuns(const Dims& dims, const Order& order) {
    std::int64_t runs = (dims[order.back()] + kLanes - 1) / kLanes;
    for (std::size_t k = 0; k + 1 < order.size(); ++k) runs *= dims[order[k]];
    return runs;
}

}  // namespace

void Assembly::assemble(const NodePtr& pointer, const Target& target) {
    const Node& node = *pointer;
    switch (node.fn) {
        case TensorFn::Update: return update(node, target);
        case TensorFn::Concat: return concatenate(node, target);
        case TensorFn::Pad: return pad(node, target);
        case TensorFn::Spread: return spread(node, target);
        case TensorFn::CumSum: return runningSum(node, target);
        default: break;
    }
    if (!areSame(node.dims(), target.steps, denseSteps(node.dims())))
        return elements.computeInto(elements.computeRowByRow(pointer), target.var, target.array,
                                    target.steps);
    STRC_ASSERT(node.fn == TensorFn::Attention, "not put together");
    Attention(elements).attend(node, w.address(target.var, target.array));
}

void Assembly::writePart(const NodePtr& part, const Node& whole, const Target& target,
                         const std::function<MultiIndex(const MultiIndex&)>& where) {
    const Reg array = w.address(target.var, target.array);
    places.nest(part->dims(), orderOf(target.steps), [&](const MultiIndex& place) {
        const Reg value = numbers.convert(elements.element(part, place), part->type->element,
                                          whole.type->element);
        places.storeFlat(array, places.at(places.stepped(where(place), target.steps)), value,
                         whole.type->element);
    });
}

/// One nest for each part.
void Assembly::concatenate(const Node& node, const Target& target) {
    const auto dim = static_cast<std::size_t>(node.ints[0]);
    Dims first(node.dims().size(), 0);
    for (const NodePtr& part : node.operands) {
        writeAt(part, first, node, target);
        first[dim] += part->dims()[dim];
    }
}

void Assembly::fill(const Node& node, Reg array, Reg value) {
    w.loop(node.count(), [&](Reg i) { places.storeFlat(array, i, value, node.type->element); });
}

void Assembly::pad(const Node& node, const Target& target) {
    const Type* element = node.type->element;
    const bool isGiven = node.operands.size() > 1;
    Reg value =
        isGiven ? numbers.convert(node.operands[1]->reg, node.operands[1]->type->element, element)
                : numbers.zero(registerType(element, w.types));
    // An infinite value becomes the smallest or greatest number of the type, as conversions to larger integers make it.
    if (element->is(types::TypeKind::Int8)) value = numbers.between(value, -128, 127);
    Dims first(node.dims().size(), 0);  // where the part begins
    const Node* pad = &node;
    for (;; pad = pad->operands[0].get()) {
        first[static_cast<std::size_t>(pad->ints[0])] += pad->ints[1];
        if (!isPadOfPad(*pad)) break;
    }
    const NodePtr& part = pad->operands[0];
    surround(part->dims(), first, node, target, value);
    writeAt(part, first, node, target);
}

/// Fills the border around a part. If the border has more runs than the whole tensor, all of it is filled at once.
void Assembly::surround(const Dims& part, const Dims& first, const Node& whole,
                        const Target& target, Reg value) {
    const Order order = orderOf(target.steps);
    const std::vector<Border> borders = bordersOf(part, first, whole.dims());
    std::int64_t runs = 0;
    for (const Border& border : borders) runs += countRuns(border.dims, order);
    const Reg array = w.address(target.var, target.array);
    if (runs > countRuns({whole.count()}, {0})) return fill(whole, array, value);
    for (const Border& border : borders)
        places.nest(border.dims, order, [&](MultiIndex place) {
            for (std::size_t dim = 0; dim < place.size(); ++dim)
                place[dim] = places.scaled(place[dim], 1, border.first[dim]);
            places.storeFlat(array, places.at(places.stepped(place, target.steps)), value,
                             whole.type->element);
        });
}

/// A sum of products goes straight to its place.
void Assembly::writeAt(const NodePtr& part, const Dims& first, const Node& whole,
                       const Target& target) {
    const bool isSum = part->kind == NodeKind::Operation && epilogueOf(*part) &&
                       part->type->element == whole.type->element;
    Target there = target;
    for (std::size_t dim = 0; dim < first.size(); ++dim)
        there.first += first[dim] * target.steps[dim];
    if (isSum && Contractions(elements).contract(*part, there)) return;
    writePart(isSum ? elements.compute(part, "") : part, whole, target, [&](MultiIndex place) {
        for (std::size_t dim = 0; dim < place.size(); ++dim)
            place[dim] = places.scaled(place[dim], 1, first[dim]);
        return place;
    });
}

void Assembly::spread(const Node& node, const Target& target) {
    fill(node, w.address(target.var, target.array),
         numbers.zero(registerType(node.type->element, w.types)));
    const auto dim = static_cast<std::size_t>(node.ints[0]);
    writePart(node.operands[0], node, target, [&](MultiIndex place) {
        place[dim] = places.scaled(place[dim], node.ints[1], 0);
        return place;
    });
}

void Assembly::update(const Node& node, const Target& target) {
    const NodePtr& whole = node.operands[0];
    const bool isThere = whole->kind == NodeKind::Memory && whole->var == target.var;
    if (!isThere) elements.computeInto(whole, target.var, target.array, target.steps);
    const auto dim = static_cast<std::size_t>(node.ints[0]);
    const Index start =
        node.start == ir::kNone ? Index{node.ints[1], ir::kNone} : Index{0, node.start};
    writePart(node.operands[1], node, target, [&](MultiIndex place) {
        place[dim] = places.plus(place[dim], start);
        return place;
    });
}

void Assembly::runningSum(const Node& node, const Target& target) {
    const Reg array = w.address(target.var, target.array);
    const NodePtr& from = node.operands[0];
    const auto dim = static_cast<std::size_t>(node.ints[0]);
    const Type* element = node.type->element;
    const Type* type = registerType(element, w.types);
    const std::uint32_t total = w.local("sum" + std::to_string(w.body.locals.size()), type);
    Dims outer = node.dims();
    outer[dim] = 1;
    places.nest(outer, [&](const MultiIndex& place) {
        w.store(total, numbers.zero(type));
        places.overAll(*from, place, {dim}, [&](const MultiIndex& each) {
            const Reg value =
                numbers.convert(elements.element(from, each), from->type->element, element);
            w.store(total, w.operation(Op::Add, type, {w.load(total), value}));
            places.storeFlat(array, places.at(places.stepped(each, target.steps)), w.load(total),
                             element);
        });
    });
}

}  // namespace strc::tensor
