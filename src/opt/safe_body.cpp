#include "opt/safe_body.h"

#include <algorithm>
#include <set>

#include "ir/bounds.h"

namespace strc::opt {
namespace {

using types::TensorFn;

/// The run may say which elements it reads or where.
bool mayFail(const ir::Instr& instr) {
    if (ir::hasCheck(instr)) return true;
    if (instr.op != ir::Op::Tensor) return false;
    switch (instr.tensor) {
        case TensorFn::Read:
        case TensorFn::Narrow:
        case TensorFn::Update:
        case TensorFn::Take: return true;
        default: return false;
    }
}

}  // namespace

bool isSafeAsItIs(const elab::Kernel& kernel) {
    const ir::Body& body = *kernel.code.work;
    std::int64_t pops = 0, pushes = 0;
    for (ir::BlockId id = 0; id < body.blocks.size(); ++id)
        for (const ir::Instr& instr : body.blocks[id].instrs) {
            if (id != body.entry || mayFail(instr)) return false;
            if (instr.op == ir::Op::Pop || instr.op == ir::Op::Discard) ++pops;
            if (instr.op == ir::Op::Push) ++pushes;
        }
    return pops == kernel.work.pop.max && pushes == kernel.work.push.max;
}

bool dropsItems(const ir::Body& body) {
    std::set<ir::Reg> used;
    for (const ir::Block& block : body.blocks)
        for (const ir::Instr& instr : block.instrs)
            used.insert(instr.operands.begin(), instr.operands.end());
    const std::vector<ir::Instr>& instrs = body.blocks[body.entry].instrs;
    return std::any_of(instrs.begin(), instrs.end(), [&](const ir::Instr& instr) {
        return instr.op == ir::Op::Pop && !used.contains(instr.result);
    });
}

}  // namespace strc::opt
