#include "tensor/elements.h"

#include "base/assert.h"
#include "tensor/epilogue.h"

namespace strc::tensor {

using ir::Op;
using ir::Reg;
using types::TensorFn;
using types::TypeKind;

MultiIndex aligned(const Dims& operand, const MultiIndex& place) {
    MultiIndex result;
    const std::size_t shift = place.size() - operand.size();
    for (std::size_t k = 0; k < operand.size(); ++k)
        result.push_back(operand[k] == 1 ? Index{} : place[k + shift]);
    return result;
}

const Type* registerType(const Type* element, types::TypeTable& types) {
    switch (element->kind) {
        case TypeKind::Int8: return types.intType();
        case TypeKind::Half:
        case TypeKind::BFloat16: return types.floatType();
        default: return element;
    }
}

Reg Elements::at(const Index& index) {
    return index.isConstant() ? w.integer(index.constant) : index.reg;
}

// ---- numbers

Reg Elements::real(double value) { return w.constant(Value::of(w.types.doubleType(), value)); }

Reg Elements::zero(const Type* type) { return w.constant(Value::zero(type)); }

Reg Elements::select(Reg condition, const Type* type, const std::function<Reg()>& yes,
                     const std::function<Reg()>& no) {
    ir::BlockId blocks[2];
    for (int k = 0; k < 2; ++k)
        blocks[k] = w.inBlock([&] {
            const Reg value = k == 0 ? yes() : no();
            w.emit(Op::Yield, nullptr, {value});
        });
    w.emit(Op::If, type, {condition}).blocks = {blocks[0], blocks[1], ir::kNone};
    return w.result(type, false);
}

Reg Elements::convert(Reg value, const Type* from, const Type* to) {
    const Type* have = registerType(from, w.types);
    const Type* want = registerType(to, w.types);
    if (isRounded(to) && have != want && !have->is(TypeKind::Boolean)) {
        const Type* real = w.types.doubleType();
        const Reg exact = have == real ? value : w.operation(Op::Convert, real, {value});
        return w.operation(Op::Convert, want, {roundedReal(exact, to)});
    }
    if (have == want) return value;
    auto isTrue = [&](Reg number, const Type* type) {
        return w.operation(Op::Ne, type, {number, zero(type)});
    };
    if (want->is(TypeKind::Boolean)) return isTrue(value, have);
    if (!have->is(TypeKind::Boolean)) return w.operation(Op::Convert, want, {value});
    const Type* number = w.types.intType();
    const Reg counted =
        select(value, number, [&] { return w.integer(1); }, [&] { return w.integer(0); });
    return convert(counted, number, want);
}

// ---- memory

Reg Elements::address(const Node& node) { return w.address(node.var, node.array); }

Index Elements::scaled(const Index& index, std::int64_t factor, std::int64_t offset) {
    if (index.isConstant()) return {index.constant * factor + offset, ir::kNone};
    const Type* type = w.types.intType();
    Reg value = index.reg;
    if (factor != 1) value = w.operation(Op::Mul, type, {value, w.integer(factor)});
    if (offset != 0) value = w.operation(Op::Add, type, {value, w.integer(offset)});
    return {0, value};
}

Index Elements::plus(const Index& a, const Index& b) {
    if (a.isConstant()) return scaled(b, 1, a.constant);
    if (b.isConstant()) return scaled(a, 1, b.constant);
    return {0, w.operation(Op::Add, w.types.intType(), {a.reg, b.reg})};
}

Index Elements::linear(const MultiIndex& place, const Dims& dims) {
    return stepped(place, denseSteps(dims));
}

Index Elements::stepped(const MultiIndex& place, const Dims& steps) {
    Index sum;
    for (std::size_t k = place.size(); k-- > 0;) sum = plus(sum, scaled(place[k], steps[k], 0));
    return sum;
}

MultiIndex Elements::placeOf(const Index& flat, const Dims& dims) {
    const Type* type = w.types.intType();
    const Dims steps = denseSteps(dims);
    MultiIndex place(dims.size());
    for (std::size_t k = 0; k < dims.size(); ++k) {
        if (dims[k] == 1) continue;
        const Reg outer = w.operation(Op::Div, type, {at(flat), w.integer(steps[k])});
        place[k] = {0, w.operation(Op::Rem, type, {outer, w.integer(dims[k])})};
    }
    return place;
}

Reg Elements::loadFlat(const Node& node, Reg index) { return w.element(address(node), index); }

void Elements::storeFlat(Reg array, Reg index, Reg value, const Type* element) {
    w.setElement(array, index, rounded(value, element));
}

void Elements::store(const Node& memory, const MultiIndex& place, Reg value) {
    storeFlat(address(memory), at(stepped(place, stepsOf(memory))), value, memory.type->element);
}

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
        w.emit(Op::Copy, array, {to, address(*node)});
        return;
    }
    const Target target{var, array, 0, steps};
    if (isAssembled(node->fn)) return assemble(node, target);
    if (contract(*node, target)) return;
    if (std::optional<Epilogue> epilogue = epilogueOf(*node); epilogue && epilogue->sum) {
        *epilogue->sum = *compute(epilogue->sum, "");
        for (const NodePtr& addend : epilogue->addends)
            if (epilogueOf(*addend)) *addend = *compute(addend, "");
    }
    const Type* element = node->type->element;
    if (isFlat(*node, steps)) {
        w.loop(node->count(), [&](Reg i) {
            const Reg value = flatElement(node, {0, i});
            storeFlat(w.address(var, array), i, value, element);
        });
        return;
    }
    nest(node->dims(), orderOf(steps), [&](const MultiIndex& place) {
        const Reg value = this->element(node, place);
        storeFlat(w.address(var, array), at(stepped(place, steps)), value, element);
    });
}

bool Elements::isInPlace(const Node& node, ir::VarRef var) const {
    if (node.kind != NodeKind::Operation) return false;
    if (node.fn != TensorFn::Update) return isFlat(node, denseSteps(node.dims()));
    const Node& whole = *node.operands[0];
    const bool isThere = whole.kind == NodeKind::Memory && whole.var == var;
    return isThere && !reads(*node.operands[1], var);
}

void Elements::check(Reg index, std::int64_t extent) {
    const Type* nothing = w.types.array(w.types.bit(), 0);
    const std::uint32_t local = w.local("", w.types.array(nothing, extent));
    const Reg array = w.address(local);
    w.emit(Op::Elem, nothing, {array, index, w.integer(extent)});
    w.result(nothing, true);
}

// ---- nests

void Elements::nest(const Dims& dims, const Writing& write) {
    nest(dims, orderOf(denseSteps(dims)), write);
}

void Elements::nest(const Dims& dims, const Order& order, const Writing& write) {
    MultiIndex place(dims.size());
    std::function<void(std::size_t)> level = [&](std::size_t k) {
        if (k == order.size()) return write(place);
        const std::int64_t trips = dims[order[k]];
        if (trips == 1) return level(k + 1);
        w.loop(trips, [&](Reg i) {
            place[order[k]] = {0, i};
            level(k + 1);
        });
    };
    level(0);
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
    if (node.kind == NodeKind::Memory) return loadFlat(node, at(flat));
    if (node.kind == NodeKind::Number) return node.reg;
    if (keepsOrder(node.fn)) return flatElement(node.operands[0], flat);
    if (node.fn == TensorFn::Arange)
        return convert(at(flat), w.types.intType(), node.type->element);
    w.range = node.range;
    std::vector<Reg> operands;
    for (const NodePtr& operand : node.operands) operands.push_back(flatElement(operand, flat));
    w.range = node.range;
    return rounded(operation(node, operands), node.type->element);
}

Reg Elements::element(const NodePtr& pointer, const MultiIndex& place) {
    const Node& node = *pointer;
    if (node.kind == NodeKind::Memory) return loadFlat(node, at(stepped(place, stepsOf(node))));
    if (node.kind == NodeKind::Number) return node.reg;
    if (keepsOrder(node.fn)) {
        const NodePtr& operand = node.operands[0];
        const Index flat = linear(place, node.dims());
        if (isFlat(*operand, denseSteps(operand->dims()))) return flatElement(operand, flat);
        return element(operand, placeOf(flat, operand->dims()));
    }
    if (isView(node.fn)) return element(node.operands[0], viewed(node, place));
    if (isReduction(node.fn)) return rounded(reduction(node, place), node.type->element);
    if (node.fn == TensorFn::Take) return taken(node, place);
    if (node.fn == TensorFn::Arange)
        return convert(at(place[0]), w.types.intType(), node.type->element);
    STRC_ASSERT(!isAssembled(node.fn), "one element of what is only there as a whole");
    std::vector<Reg> operands;
    for (const NodePtr& operand : node.operands)
        operands.push_back(element(operand, aligned(operand->dims(), place)));
    w.range = node.range;
    return rounded(operation(node, operands), node.type->element);
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
            index = scaled(index, node.ints.size() > 3 ? node.ints[3] : 1, node.ints[1]);
            return result;
        }
        case TensorFn::Narrow: {
            Index& index = result[static_cast<std::size_t>(node.ints[0])];
            index = plus(index, {0, node.start});
            return result;
        }
        case TensorFn::Flip: {
            const auto dim = static_cast<std::size_t>(node.ints[0]);
            result[dim] = scaled(place[dim], -1, node.dims()[dim] - 1);
            return result;
        }
        case TensorFn::Windows: {
            const std::int64_t dilation = node.ints.size() > 3 ? node.ints[3] : 1;
            result.pop_back();
            Index& index = result[static_cast<std::size_t>(node.ints[0])];
            index = plus(scaled(index, node.ints[2], 0), scaled(place.back(), dilation, 0));
            return result;
        }
        case TensorFn::Broadcast: return aligned(node.operands[0]->dims(), place);
        default: STRC_UNREACHABLE("no view");
    }
}

/// A `long` as an index; what is no int is the last one of these, which lies outside of every array.
Reg Elements::indexOf(Reg value) {
    const Type* type = w.types.intType();
    const Type* wide = w.types.scalar(TypeKind::Long);
    auto bound = [&](std::int64_t most) { return w.constant(Value::of(wide, most)); };
    const Reg fits = w.operation(Op::And, w.types.boolean(),
                                 {w.operation(Op::Ge, wide, {value, bound(INT32_MIN)}),
                                  w.operation(Op::Le, wide, {value, bound(INT32_MAX)})});
    return select(
        fits, type, [&] { return w.operation(Op::Convert, type, {value}); },
        [&] { return w.integer(INT32_MAX); });
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
    if (items->type->element->is(TypeKind::Long)) item = indexOf(item);
    check(item, extent);
    MultiIndex there(place.begin(), place.begin() + dim);
    there.push_back({0, item});
    there.insert(there.end(), place.begin() + dim + rank, place.end());
    return element(from, there);
}

}  // namespace strc::tensor
