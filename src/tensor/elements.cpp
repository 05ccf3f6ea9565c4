#include "tensor/detail/elements.h"

#include "base/assert.h"
#include "tensor/detail/assembly.h"
#include "tensor/detail/contractions.h"
#include "tensor/detail/definitions.h"
#include "tensor/detail/epilogue.h"
#include "tensor/detail/reductions.h"

namespace strc::tensor {

using ir::Op;
using ir::Reg;
using types::TensorFn;
using types::TypeKind;

NodePtr Elements::compute(const NodePtr& node, const std::string& name) {
    const Type* array = storageOf(node->type, w.types);
    const ir::VarRef var{ir::Space::Local, w.local(name, array)};
    Dims steps;
    if (node->kind == NodeKind::Memory)
        steps = node->steps;
    else if (keepsPreferredOrder)
        steps = stepsIn(preferredOrder(*node), node->dims());
    computeInto(node, var, array, steps);
    return memory(node->type, var, array, std::move(steps));
}

NodePtr Elements::computeRowByRow(const NodePtr& node) {
    const Type* array = storageOf(node->type, w.types);
    const ir::VarRef var{ir::Space::Local, w.local("", array)};
    computeInto(node, var, array);
    return memory(node->type, var, array);
}

void Elements::computeInto(const NodePtr& node, ir::VarRef var, const Type* array,
                           const Dims& layout) {
    const Dims steps = layout.empty() ? denseSteps(node->dims()) : layout;
    if (node->kind == NodeKind::Memory && node->array == array &&
        areSame(node->dims(), stepsOf(*node), steps)) {
        const Reg to = w.address(var, array);
        w.emit(Op::Copy, array, {to, places.address(*node)});
        return;
    }
    const Target target{var, array, 0, steps};
    if (isAssembled(node->fn)) return Assembly(*this).assemble(node, target);
    if (Contractions(*this).contract(*node, target)) return;
    if (std::optional<Epilogue> epilogue = epilogueOf(*node); epilogue && epilogue->sum) {
        *epilogue->sum = *compute(epilogue->sum, "");
        for (const NodePtr& addend : epilogue->addends)
            if (epilogueOf(*addend)) *addend = *compute(addend, "");
    }
    const Type* element = node->type->element;
    if (isFlat(*node, steps)) {
        w.loop(node->count(), [&](Reg i) {
            const Reg value = flatElement(node, {0, i});
            places.storeFlat(w.address(var, array), i, value, element);
        });
        return;
    }
    places.nest(node->dims(), orderOf(steps), [&](const MultiIndex& place) {
        const Reg value = this->element(node, place);
        places.storeFlat(w.address(var, array), places.at(places.stepped(place, steps)), value,
                         element);
    });
}

bool Elements::isInPlace(const Node& node, ir::VarRef var) const {
    if (node.kind != NodeKind::Operation) return false;
    if (node.fn != TensorFn::Update) return isFlat(node, denseSteps(node.dims()));
    const Node& whole = *node.operands[0];
    const bool isThere = whole.kind == NodeKind::Memory && whole.var == var;
    return isThere && !reads(*node.operands[1], var);
}

bool Elements::isFlat(const Node& node, const Dims& steps) const {
    if (node.kind == NodeKind::Number) return true;
    if (node.kind == NodeKind::Memory) return areSame(node.dims(), stepsOf(node), steps);
    if (isMade(node.fn)) return true;
    if (keepsOrder(node.fn))
        return areSame(node.dims(), denseSteps(node.dims()), steps) &&
               isFlat(*node.operands[0], denseSteps(node.operands[0]->dims()));
    if (!isElementwise(node.fn)) return false;
    for (const NodePtr& operand : node.operands) {
        if (operand->kind == NodeKind::Number) continue;
        if (operand->count() != node.count()) return false;
        const auto more = static_cast<std::ptrdiff_t>(node.dims().size() - operand->dims().size());
        if (!isFlat(*operand, Dims(steps.begin() + more, steps.end()))) return false;
    }
    return true;
}

Reg Elements::flatElement(const NodePtr& pointer, const Index& flat) {
    const Node& node = *pointer;
    if (node.kind == NodeKind::Memory) return places.loadFlat(node, places.at(flat));
    if (node.kind == NodeKind::Number) return node.reg;
    if (keepsOrder(node.fn)) return flatElement(node.operands[0], flat);
    if (node.fn == TensorFn::Arange)
        return numbers.convert(places.at(flat), w.types.intType(), node.type->element);
    w.range = node.range;
    std::vector<Reg> operands;
    for (const NodePtr& operand : node.operands) operands.push_back(flatElement(operand, flat));
    w.range = node.range;
    return numbers.rounded(Definitions(w).operation(node, operands), node.type->element);
}

Reg Elements::element(const NodePtr& pointer, const MultiIndex& place) {
    const Node& node = *pointer;
    if (node.kind == NodeKind::Memory)
        return places.loadFlat(node, places.at(places.stepped(place, stepsOf(node))));
    if (node.kind == NodeKind::Number) return node.reg;
    if (keepsOrder(node.fn)) {
        const NodePtr& operand = node.operands[0];
        const Index flat = places.linear(place, node.dims());
        if (isFlat(*operand, denseSteps(operand->dims()))) return flatElement(operand, flat);
        return element(operand, places.placeOf(flat, operand->dims()));
    }
    if (isView(node.fn)) return element(node.operands[0], viewed(node, place));
    if (isReduction(node.fn))
        return numbers.rounded(Reductions(*this).element(node, place), node.type->element);
    if (node.fn == TensorFn::Take) return taken(node, place);
    if (node.fn == TensorFn::Arange)
        return numbers.convert(places.at(place[0]), w.types.intType(), node.type->element);
    STRC_ASSERT(!isAssembled(node.fn), "one element of what is only there as a whole");
    std::vector<Reg> operands;
    for (const NodePtr& operand : node.operands)
        operands.push_back(element(operand, aligned(operand->dims(), place)));
    w.range = node.range;
    return numbers.rounded(Definitions(w).operation(node, operands), node.type->element);
}

MultiIndex Elements::viewed(const Node& node, const MultiIndex& place) {
    MultiIndex result = place;
    switch (node.fn) {
        case TensorFn::Transpose:
            std::swap(result[static_cast<std::size_t>(node.ints[0])],
                      result[static_cast<std::size_t>(node.ints[1])]);
            return result;
        case TensorFn::Permute:
            for (std::size_t k = 0; k < place.size(); ++k)
                result[static_cast<std::size_t>(node.ints[k])] = place[k];
            return result;
        case TensorFn::Slice: {
            Index& index = result[static_cast<std::size_t>(node.ints[0])];
            index = places.scaled(index, node.ints.size() > 3 ? node.ints[3] : 1, node.ints[1]);
            return result;
        }
        case TensorFn::Narrow: {
            Index& index = result[static_cast<std::size_t>(node.ints[0])];
            index = places.plus(index, {0, node.start});
            return result;
        }
        case TensorFn::Flip: {
            const auto dim = static_cast<std::size_t>(node.ints[0]);
            result[dim] = places.scaled(place[dim], -1, node.dims()[dim] - 1);
            return result;
        }
        case TensorFn::Windows: {
            const std::int64_t dilation = node.ints.size() > 3 ? node.ints[3] : 1;
            result.pop_back();
            Index& index = result[static_cast<std::size_t>(node.ints[0])];
            index = places.plus(places.scaled(index, node.ints[2], 0),
                                places.scaled(place.back(), dilation, 0));
            return result;
        }
        case TensorFn::Broadcast: return aligned(node.operands[0]->dims(), place);
        default: STRC_UNREACHABLE("no view");
    }
}

/// An item that a tensor of integers names.
Reg Elements::taken(const Node& node, const MultiIndex& place) {
    const NodePtr& from = node.operands[0];
    const NodePtr& items = node.operands[1];
    const auto dim = static_cast<std::ptrdiff_t>(node.ints[0]);
    const auto rank = static_cast<std::ptrdiff_t>(items->dims().size());
    const MultiIndex which(place.begin() + dim, place.begin() + dim + rank);
    const std::int64_t extent = from->dims()[static_cast<std::size_t>(dim)];
    Reg item = element(items, which);
    w.range = node.range;
    if (items->type->element->is(TypeKind::Long)) item = places.indexOf(item);
    places.check(item, extent);
    MultiIndex there(place.begin(), place.begin() + dim);
    there.push_back({0, item});
    there.insert(there.end(), place.begin() + dim + rank, place.end());
    return element(from, there);
}

/// An element of an operand, of the result's type.
Reg Elements::operandElement(const Node& node, std::size_t k, const MultiIndex& place) {
    const NodePtr& operand = node.operands[k];
    const Reg value =
        numbers.convert(element(operand, place), operand->type->element, node.type->element);
    w.range = node.range;
    return value;
}

}  // namespace strc::tensor
