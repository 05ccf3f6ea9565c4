#include "tensor/detail/places.h"

namespace strc::tensor {

using ir::Op;
using ir::Reg;
using types::TypeKind;

MultiIndex aligned(const Dims& operand, const MultiIndex& place) {
    MultiIndex result;
    const std::size_t shift = place.size() - operand.size();
    for (std::size_t k = 0; k < operand.size(); ++k)
        result.push_back(operand[k] == 1 ? Index{} : place[k + shift]);
    return result;
}

Reg Places::at(const Index& index) {
    return index.isConstant() ? w.integer(index.constant) : index.reg;
}

Index Places::scaled(const Index& index, std::int64_t factor, std::int64_t offset) {
    if (index.isConstant()) return {index.constant * factor + offset, ir::kNone};
    const Type* type = w.types.intType();
    Reg value = index.reg;
    if (factor != 1) value = w.operation(Op::Mul, type, {value, w.integer(factor)});
    if (offset != 0) value = w.operation(Op::Add, type, {value, w.integer(offset)});
    return {0, value};
}

Index Places::plus(const Index& a, const Index& b) {
    if (a.isConstant()) return scaled(b, 1, a.constant);
    if (b.isConstant()) return scaled(a, 1, b.constant);
    return {0, w.operation(Op::Add, w.types.intType(), {a.reg, b.reg})};
}

Index Places::linear(const MultiIndex& place, const Dims& dims) {
    return stepped(place, denseSteps(dims));
}

Index Places::stepped(const MultiIndex& place, const Dims& steps) {
    Index sum;
    for (std::size_t k = place.size(); k-- > 0;) sum = plus(sum, scaled(place[k], steps[k], 0));
    return sum;
}

MultiIndex Places::placeOf(const Index& flat, const Dims& dims) {
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

Reg Places::address(const Node& node) { return w.address(node.var, node.array); }

Reg Places::loadFlat(const Node& node, Reg index) {
    return numbers.widened(w.element(address(node), index));
}

void Places::storeFlat(Reg array, Reg index, Reg value, const Type* element) {
    w.setElement(array, index, numbers.narrowed(value, element));
}

void Places::store(const Node& memory, const MultiIndex& place, Reg value) {
    storeFlat(address(memory), at(stepped(place, stepsOf(memory))), value, memory.type->element);
}

void Places::check(Reg index, std::int64_t extent) {
    const Type* nothing = w.types.array(w.types.bit(), 0);
    const std::uint32_t local = w.local("", w.types.array(nothing, extent));
    const Reg array = w.address(local);
    w.emit(Op::Elem, nothing, {array, index, w.integer(extent)});
    w.result(nothing, true);
}

void Places::nest(const Dims& dims, const Writing& write) {
    nest(dims, orderOf(denseSteps(dims)), write);
}

void Places::nest(const Dims& dims, const Order& order, const Writing& write) {
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

/// A `long` as an index; what is no int is the last one of these, which lies outside of every array.
Reg Places::indexOf(Reg value) {
    const Type* type = w.types.intType();
    const Type* wide = w.types.scalar(TypeKind::Long);
    auto bound = [&](std::int64_t most) { return w.constant(Value::of(wide, most)); };
    const Reg fits = w.operation(Op::And, w.types.boolean(),
                                 {w.operation(Op::Ge, wide, {value, bound(INT32_MIN)}),
                                  w.operation(Op::Le, wide, {value, bound(INT32_MAX)})});
    return numbers.select(
        fits, type, [&] { return w.operation(Op::Convert, type, {value}); },
        [&] { return w.integer(INT32_MAX); });
}

/// Calls with all places in which `inner` dimensions vary and the others stay.
void Places::overAll(const Node& from, const MultiIndex& outer,
                     const std::vector<std::size_t>& inner, const Writing& visit) {
    MultiIndex place = outer;
    std::function<void(std::size_t)> level = [&](std::size_t k) {
        if (k == inner.size()) return visit(place);
        const std::int64_t extent = from.dims()[inner[k]];
        w.loop(extent, [&](Reg i) {
            place[inner[k]] = extent == 1 ? Index{} : Index{0, i};
            level(k + 1);
        });
    };
    level(0);
}

}  // namespace strc::tensor
