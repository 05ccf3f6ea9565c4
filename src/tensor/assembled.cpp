// Tensors that are put together part by part.

#include "base/assert.h"
#include "tensor/elements.h"
#include "tensor/epilogue.h"

namespace strc::tensor {

using ir::Op;
using ir::Reg;
using types::TensorFn;

void Elements::assemble(const Node& node, ir::VarRef var, const Type* array) {
    if (node.fn == TensorFn::Update) return update(node, var, array);
    if (node.fn == TensorFn::Concat) return concatenate(node, var, array);
    const Reg to = w.address(var, array);
    switch (node.fn) {
        case TensorFn::Pad: return pad(node, to);
        case TensorFn::Spread: return spread(node, to);
        case TensorFn::CumSum: return runningSum(node, to);
        case TensorFn::Attention: return attend(node, to);
        default: STRC_UNREACHABLE("not put together");
    }
}

void Elements::writePart(const NodePtr& part, const Node& whole, Reg array,
                         const std::function<Place(const Place&)>& where) {
    nest(part->dims(), [&](const Place& place) {
        const Reg value = convert(element(part, place), part->type->element, whole.type->element);
        storeFlat(array, at(linear(where(place), whole.dims())), value, whole.type->element);
    });
}

/// One nest for each part. Sums of products, and what is done with them, go straight to their places.
void Elements::concatenate(const Node& node, ir::VarRef var, const Type* array) {
    const auto dim = static_cast<std::size_t>(node.ints[0]);
    const Dims steps = denseSteps(node.dims());
    std::int64_t offset = 0;
    for (const NodePtr& part : node.operands) {
        const Target target{var, array, offset * steps[dim], steps};
        const bool isSum = part->kind == NodeKind::Operation && epilogueOf(*part) &&
                           part->type->element == node.type->element;
        if (!isSum || !contract(*part, target))
            writePart(isSum ? compute(part, "") : part, node, w.address(var, array),
                      [&](Place place) {
                          place[dim] = scaled(place[dim], 1, offset);
                          return place;
                      });
        offset += part->dims()[dim];
    }
}

void Elements::fill(const Node& node, Reg array, Reg value) {
    w.loop(node.count(), [&](Reg i) { storeFlat(array, i, value, node.type->element); });
}

Reg Elements::between(Reg value, std::int32_t low, std::int32_t high) {
    const Type* type = w.types.intType();
    const Reg isLess = w.operation(Op::Lt, type, {value, w.integer(low)});
    const Reg raised = select(isLess, type, [&] { return w.integer(low); }, [&] { return value; });
    const Reg isMore = w.operation(Op::Gt, type, {raised, w.integer(high)});
    return select(isMore, type, [&] { return w.integer(high); }, [&] { return raised; });
}

void Elements::pad(const Node& node, Reg array) {
    const Type* element = node.type->element;
    const bool isGiven = node.operands.size() > 1;
    Reg value = isGiven
                    ? convert(node.operands[1]->reg, node.operands[1]->type->element, element)
                    : zero(registerType(element, w.types));
    // What is infinite is the last number that there is, as for larger integers.
    if (element->is(types::TypeKind::Int8)) value = between(value, -128, 127);
    fill(node, array, value);
    Dims first(node.dims().size(), 0);  // where the part begins
    const Node* pad = &node;
    for (;; pad = pad->operands[0].get()) {
        first[static_cast<std::size_t>(pad->ints[0])] += pad->ints[1];
        if (!isPadOfPad(*pad)) break;
    }
    writePart(pad->operands[0], node, array, [&](Place place) {
        for (std::size_t dim = 0; dim < place.size(); ++dim)
            place[dim] = scaled(place[dim], 1, first[dim]);
        return place;
    });
}

void Elements::spread(const Node& node, Reg array) {
    fill(node, array, zero(registerType(node.type->element, w.types)));
    const auto dim = static_cast<std::size_t>(node.ints[0]);
    writePart(node.operands[0], node, array, [&](Place place) {
        place[dim] = scaled(place[dim], node.ints[1], 0);
        return place;
    });
}

void Elements::update(const Node& node, ir::VarRef var, const Type* array) {
    const NodePtr& whole = node.operands[0];
    const bool isThere = whole->kind == NodeKind::Memory && whole->var == var;
    if (!isThere) computeInto(whole, var, array);
    const auto dim = static_cast<std::size_t>(node.ints[0]);
    const Index start =
        node.start == ir::kNone ? Index{node.ints[1], ir::kNone} : Index{0, node.start};
    writePart(node.operands[1], node, w.address(var, array), [&](Place place) {
        place[dim] = plus(place[dim], start);
        return place;
    });
}

void Elements::runningSum(const Node& node, Reg array) {
    const NodePtr& from = node.operands[0];
    const auto dim = static_cast<std::size_t>(node.ints[0]);
    const Type* element = node.type->element;
    const Type* type = registerType(element, w.types);
    const std::uint32_t total = w.local("sum" + std::to_string(w.body.locals.size()), type);
    Dims outer = node.dims();
    outer[dim] = 1;
    nest(outer, [&](const Place& place) {
        w.store(total, zero(type));
        overAll(*from, place, {dim}, [&](const Place& each) {
            const Reg value = convert(this->element(from, each), from->type->element, element);
            w.store(total, w.operation(Op::Add, type, {w.load(total), value}));
            storeFlat(array, at(linear(each, node.dims())), w.load(total), element);
        });
    });
}

}  // namespace strc::tensor
