// Slices whose bounds differ by a constant, in loops too, are parts at a place that the run decides on: the loop need not be
// written out.

#include <map>

#include "tensor/detail/expansion.h"

namespace strc::tensor {
namespace {

using ir::BlockId;
using ir::Body;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::TensorFn;
using types::TypeKind;

/// A value that is another one and a number.
struct Sum {
    Reg base = ir::kNone;
    std::int64_t offset = 0;
};

class Slices {
public:
    Slices(Body& in, types::TypeTable& table) : body(in), types(table) {
        for (Reg reg = 0; reg < body.regs.size(); ++reg) sums.push_back({reg, 0});
        constants.resize(body.regs.size());
    }

    bool run() {
        walk(body.entry);
        return hasChanged;
    }

private:
    void walk(BlockId id) {
        if (id == ir::kNone) return;
        for (std::size_t k = 0; k < body.blocks[id].instrs.size(); ++k) {
            const Instr instr = body.blocks[id].instrs[k];
            for (BlockId block : instr.blocks) forgetStored(block);
            for (BlockId block : instr.blocks) {
                walk(block);
                forgetStored(block);
            }
            note(instr);
            if (const std::optional<std::int64_t> count = itemsOf(instr)) {
                makeNarrow(body.blocks[id].instrs[k], *count);
                body.blocks[id].instrs.insert(
                    body.blocks[id].instrs.begin() + static_cast<std::ptrdiff_t>(k), made);
                ++k;
            }
        }
    }

    void note(const Instr& instr) {
        if (changesLocal(instr)) loaded.erase(instr.var.index);
        if (instr.result == ir::kNone || !instr.type || !instr.type->is(TypeKind::Int)) return;
        if (instr.op == Op::Const) constants[instr.result] = instr.value.toInt();
        if (instr.op == Op::Load && instr.var.space == Space::Local)
            sums[instr.result] =
                sums[loaded.try_emplace(instr.var.index, instr.result).first->second];
        if (instr.op != Op::Add && instr.op != Op::Sub) return;
        const auto &a = constants[instr.operands[0]], &b = constants[instr.operands[1]];
        if (b)
            shift(instr, 0, instr.op == Op::Add ? *b : -*b);
        else if (a && instr.op == Op::Add)
            shift(instr, 1, *a);
    }

    void shift(const Instr& instr, std::size_t k, std::int64_t by) {
        sums[instr.result] = sums[instr.operands[k]];
        sums[instr.result].offset += by;
    }

    static bool changesLocal(const Instr& instr) {
        return (instr.op == Op::Store || instr.op == Op::Declare) &&
               instr.var.space == Space::Local;
    }

    void forgetStored(BlockId id) {
        if (id == ir::kNone) return;
        for (const Instr& instr : body.blocks[id].instrs) {
            if (changesLocal(instr)) loaded.erase(instr.var.index);
            for (BlockId block : instr.blocks) forgetStored(block);
        }
    }

    /// How many neighbours a slice takes, if its length is known but its beginning is not.

    std::optional<std::int64_t> itemsOf(const Instr& instr) const {
        if (instr.op != Op::Tensor || instr.tensor != TensorFn::Slice) return std::nullopt;
        const bool isEach = instr.operands.size() == 4 || constants[instr.operands[4]] == 1;
        const Sum &from = sums[instr.operands[2]], &to = sums[instr.operands[3]];
        if (!isEach || constants[instr.operands[2]] || from.base != to.base ||
            to.offset < from.offset)
            return std::nullopt;
        return to.offset - from.offset;
    }

    void makeNarrow(Instr& slice, std::int64_t count) {
        made = {};
        made.op = Op::Const;
        made.type = types.intType();
        made.value = Value::of(made.type, static_cast<std::int32_t>(count));
        made.range = slice.range;
        made.result = static_cast<Reg>(body.regs.size());
        body.regs.push_back({made.type, false});
        slice.tensor = TensorFn::Narrow;
        slice.operands.resize(3);
        slice.operands.push_back(made.result);
        hasChanged = true;
    }

    Body& body;
    types::TypeTable& types;
    std::vector<Sum> sums;  ///< by register
    std::vector<std::optional<std::int64_t>> constants;  ///< by register
    std::map<std::uint32_t, Reg>
        loaded;  ///< by local variable: a register that has what it has now
    Instr made;
    bool hasChanged = false;
};

}  // namespace

std::optional<Body> withoutOpenSlices(const Body& body, types::TypeTable& types) {
    Body made = body;
    if (!Slices(made, types).run()) return std::nullopt;
    return made;
}

}  // namespace strc::tensor
