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
/// `peek.columns`, of so many items.
void loadColumns(ir::Writer&, const Window&, const ir::Instr& peek, std::int64_t items);
/// The same: items of a window whose lanes are `pop` apart, to an array in columns.
void fillColumns(ir::Writer&, const Window&, ir::Reg columns, std::int64_t pop, std::int64_t items);
/// `push.vector`.
void storeItems(ir::Writer&, const Window&, const ir::Instr& push);
/// `push.rows`.
void storeRows(ir::Writer&, const Window&, const ir::Instr& push);
/// The same: an array with `lanes` items in a row, lane after lane.
void spillRowsTo(ir::Writer&, const Window&, ir::Reg rows, std::int64_t lanes);

}  // namespace strc::lowered
