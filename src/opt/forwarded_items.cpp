#include "opt/detail/forwarded_items.h"

#include <algorithm>
#include <set>

#include "ir/bounds.h"

namespace strc::opt {

bool forwardsItems(const elab::Kernel& kernel) {
    const ir::Body& body = *kernel.code.work;
    std::int64_t pops = 0, pushes = 0;
    for (ir::BlockId id = 0; id < body.blocks.size(); ++id)
        for (const ir::Instr& instr : body.blocks[id].instrs) {
            if (id != body.entry || instr.op == ir::Op::Tensor || ir::hasCheck(instr)) return false;
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
