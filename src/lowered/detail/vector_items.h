#pragma once
/// Items of vectors at explicit places of tapes: what stands for the operations on tapes that have vectors (ops.def).

#include "ir/writer.h"

namespace strc::lowered {

/// Where a firing, or the first one of several, finds the next item, or puts it.
struct Window {
    ir::Reg tape = ir::kNone;  ///< a ref to the array
    ir::Reg next = ir::kNone;  ///< an index into it
};

/// What `peek.vector` gives; the instruction emitted last makes it, without a result register.
void loadItems(ir::Writer&, const Window&, const ir::Instr& peek);
/// An array in columns of so many items, which are filled from that row on.
struct Columns {
    ir::Reg array = ir::kNone;
    std::int64_t length = 0, firstRow = 0;
};

/// `peek.columns`, of so many items.
void loadColumns(ir::Writer&, const Window&, const ir::Instr& peek, std::int64_t items);
/// The same: items of a window whose lanes are `pop` apart. Complex ones are taken apart if the array is of floats.
void fillColumns(ir::Writer&, const Window&, const Columns&, std::int64_t pop, std::int64_t items);
/// `push.vector`.
void storeItems(ir::Writer&, const Window&, const ir::Instr& push);
/// `push.rows`.
void storeRows(ir::Writer&, const Window&, const ir::Instr& push);
/// The same: an array with `lanes` items in a row, lane after lane.
void spillRowsTo(ir::Writer&, const Window&, ir::Reg rows, std::int64_t lanes);

/// So many scalars that lie beside each other, from one tape to another one.
void moveItems(ir::Writer&, const Window& to, const Window& from, std::int64_t items);
/// A branch on whether vectors have done what they should, which they nearly always have.
void likely(ir::Writer&, ir::Reg done, ir::BlockId then, ir::BlockId otherwise);

}  // namespace strc::lowered
