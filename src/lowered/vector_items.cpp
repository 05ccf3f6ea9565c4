#include "lowered/detail/vector_items.h"

namespace strc::lowered {
namespace {

using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Writer;
using types::Type;

constexpr std::int64_t kGroup = 16;  ///< rows of a column that are loaded together

Reg sum(Writer& w, Reg x, Reg y) { return w.operation(Op::Add, w.types.intType(), {x, y}); }

Reg times(Writer& w, Reg x, std::int64_t factor) {
    if (factor == 1) return x;
    return w.operation(Op::Mul, w.types.intType(), {x, w.integer(factor)});
}

Reg itemAt(Writer& w, const Window& window, Reg offset) {
    return w.reference(window.tape, sum(w, window.next, offset));
}

/// Neighbours in memory that are `stride` scalars apart.
Instr& loadVector(Writer& w, const Type* vector, Reg at, std::int64_t stride) {
    Instr& made = w.emit(Op::LoadVector, vector, {at});
    made.index = static_cast<std::uint32_t>(stride);
    return made;
}

/// Each lane's own offset, behind the place of the lane's window.
void gatherItems(Writer& w, const Window& window, const Instr& peek) {
    const std::int64_t lanes = peek.type->extent;
    const Type* vector = w.types.vector(w.types.intType(), lanes);
    auto all = [&](Reg x) { return w.operation(Op::Splat, vector, {x}); };
    Reg index = w.operation(Op::LaneNumbers, vector, {});
    index = w.operation(Op::Mul, vector, {index, all(w.integer(peek.index))});
    index = w.operation(Op::Add, vector, {index, all(window.next)});
    index = w.operation(Op::Add, vector, {index, peek.operands[0]});
    const Reg refs = w.reference(window.tape, index);
    w.body.regs[refs].lanes = static_cast<std::uint32_t>(lanes);
    w.emit(Op::Gather, peek.type, {refs});
}

void copyItem(Writer& w, Reg to, Reg from) {
    const Type* type = w.body.regs[to].type;
    w.emit(Op::StoreAt, type, {to, w.operation(Op::LoadAt, type, {from})});
}

}  // namespace

void loadItems(Writer& w, const Window& window, const Instr& peek) {
    if (types::lanesOf(w.body.regs[peek.operands[0]].type) != 0)
        return gatherItems(w, window, peek);
    loadVector(w, peek.type, itemAt(w, window, peek.operands[0]), peek.index);
}

void loadColumns(Writer& w, const Window& window, const Instr& peek, std::int64_t items) {
    fillColumns(w, window, peek.operands[0], peek.index, items);
}

void fillColumns(Writer& w, const Window& window, Reg columns, std::int64_t pop,
                 std::int64_t items) {
    const Type* array = w.body.regs[columns].type;
    const std::int64_t length = array->extent / pop;
    const std::int64_t rows = items / pop, groups = rows / kGroup;
    const Type* vector = w.types.vector(array->element, kGroup);
    auto placeIn = [&](Reg column, Reg row) {
        return w.reference(columns, sum(w, times(w, column, length), row));
    };
    auto copyRow = [&](Reg column, Reg row) {
        const Reg from = itemAt(w, window, sum(w, column, times(w, row, pop)));
        copyItem(w, placeIn(column, row), from);
    };
    w.loop(pop, [&](Reg column) {
        if (groups != 0)
            w.loop(groups, [&](Reg group) {
                const Reg row = times(w, group, kGroup);
                const Reg from = itemAt(w, window, sum(w, column, times(w, row, pop)));
                loadVector(w, vector, from, pop);
                const Reg loaded = w.result(vector, false);
                w.emit(Op::StoreVector, vector, {placeIn(column, row), loaded});
            });
        if (groups * kGroup == rows) return;
        w.loop(rows - groups * kGroup,
               [&](Reg row) { copyRow(column, sum(w, row, w.integer(groups * kGroup))); });
    });
    if (rows * pop != items)
        w.loop(items - rows * pop, [&](Reg column) { copyRow(column, w.integer(rows)); });
}

void storeItems(Writer& w, const Window& window, const Instr& push) {
    const Reg value = push.operands[0];
    const Reg to = w.reference(window.tape, window.next);
    w.emit(Op::StoreVector, w.body.regs[value].type, {to, value});
}

void storeRows(Writer& w, const Window& window, const Instr& push) {
    spillRowsTo(w, window, push.operands[0], push.index);
}

void spillRowsTo(Writer& w, const Window& window, Reg rows, std::int64_t lanes) {
    const Type* array = w.body.regs[rows].type;
    const std::int64_t count = array->extent / lanes;
    if (count == 0) return;
    if (count == 1) {
        const Type* vector = w.types.vector(array->element, lanes);
        loadVector(w, vector, w.reference(rows, w.integer(0)), 1);
        const Reg loaded = w.result(vector, false);
        w.emit(Op::StoreVector, vector, {w.reference(window.tape, window.next), loaded});
        return;
    }
    w.loop(lanes, [&](Reg lane) {
        w.loop(count, [&](Reg row) {
            const Reg from = w.reference(rows, sum(w, times(w, row, lanes), lane));
            copyItem(w, itemAt(w, window, sum(w, times(w, lane, count), row)), from);
        });
    });
}

}  // namespace strc::lowered
