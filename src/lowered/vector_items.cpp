#include "lowered/detail/vector_items.h"

#include "lowered/detail/places.h"

namespace strc::lowered {
namespace {

using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Writer;
using types::Type;

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

/// So many items in rows of so many, whose columns become `length` items long.
struct Matrix {
    std::int64_t columns = 0, items = 0, length = 0;
};

void transpose(Writer& w, Reg to, Reg from, const Matrix& matrix) {
    const Reg items = w.integer(matrix.items), length = w.integer(matrix.length);
    w.emit(Op::Transpose, w.body.regs[from].type, {to, from, items, length}).index =
        static_cast<std::uint32_t>(matrix.columns);
}

}  // namespace

void loadItems(Writer& w, const Window& window, const Instr& peek) {
    if (types::lanesOf(w.body.regs[peek.operands[0]].type) != 0)
        return gatherItems(w, window, peek);
    loadVector(w, peek.type, itemAt(w, window, peek.operands[0]), peek.index);
}

void loadColumns(Writer& w, const Window& window, const Instr& peek, std::int64_t items) {
    const Type* array = w.body.regs[peek.operands[0]].type;
    const std::int64_t parts = array->element == peek.type ? 1 : 2;
    fillColumns(w, window, {peek.operands[0], array->extent / peek.index / parts}, peek.index,
                items);
}

void fillColumns(Writer& w, const Window& window, const Columns& columns, std::int64_t pop,
                 std::int64_t items) {
    const Reg from = w.reference(window.tape, window.next);
    const bool inParts = w.body.regs[from].type != w.body.regs[columns.array].type->element;
    const std::int64_t parts = inParts ? 2 : 1;
    transpose(w, w.reference(columns.array, w.integer(columns.firstRow)), from,
              {.columns = pop * parts, .items = items * parts, .length = columns.length});
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
    const std::int64_t items = w.body.regs[rows].type->extent;
    if (items == 0) return;
    transpose(w, w.reference(window.tape, window.next), w.reference(rows, w.integer(0)),
              {.columns = lanes, .items = items, .length = items / lanes});
}

void moveItems(Writer& w, const Window& to, const Window& from, std::int64_t items) {
    transpose(w, w.reference(to.tape, to.next), w.reference(from.tape, from.next),
              {.columns = 1, .items = items, .length = items});
}

void likely(Writer& w, Reg done, ir::BlockId then, ir::BlockId otherwise) {
    Instr& made = w.emit(Op::If, nullptr, {done});
    made.flag = true;
    made.blocks = {then, otherwise, ir::kNone};
}

}  // namespace strc::lowered
