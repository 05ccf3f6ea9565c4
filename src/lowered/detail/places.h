#pragma once
/// Indices into tapes, which never wrap: whoever prints them may count on that.

#include "ir/writer.h"

namespace strc::lowered {

inline ir::Reg natural(ir::Writer& w, ir::Op op, ir::Reg x, ir::Reg y) {
    w.emit(op, w.types.intType(), {x, y}).isNatural = true;
    return w.result(w.types.intType(), false);
}
inline ir::Reg sum(ir::Writer& w, ir::Reg x, ir::Reg y) { return natural(w, ir::Op::Add, x, y); }
inline ir::Reg times(ir::Writer& w, ir::Reg x, std::int64_t factor) {
    return factor == 1 ? x : natural(w, ir::Op::Mul, x, w.integer(factor));
}

}  // namespace strc::lowered
