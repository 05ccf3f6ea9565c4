#include "opt/detail/tensor_rewriter.h"

#include <numeric>

#include "opt/detail/tensor_constants.h"

namespace strc::opt {

using ir::Instr;
using ir::Op;
using ir::Reg;
using types::TensorFn;
using types::Type;

TensorRewriter::TensorRewriter(elab::Kernel& kernel, types::TypeTable& table)
    : body(*kernel.code.work), types(table), facts(factsOf(kernel, table)), uses(countUses(body)) {}

bool TensorRewriter::changeOne(const Rule& rule) {
    std::vector<Instr>& instrs = body.blocks[body.entry].instrs;
    for (std::size_t k = 0; k < instrs.size(); ++k) {
        if (instrs[k].op != Op::Tensor || !facts.types[instrs[k].result]) continue;
        at = &instrs[k];
        const std::optional<Reg> instead = rule(instrs[k]);
        if (!instead) continue;
        std::vector<Reg> all(body.regs.size());
        std::iota(all.begin(), all.end(), Reg{0});
        all[instrs[k].result] = *instead;
        instrs.insert(instrs.begin() + static_cast<std::ptrdiff_t>(k), made.begin(), made.end());
        substitute(body, all);
        return true;
    }
    return false;
}

const Instr* TensorRewriter::makerOf(Reg value) const {
    const Instr* maker = facts.makers[value];
    const bool isOwn = maker && maker->op == Op::Tensor && uses[value] == 1;
    return isOwn && facts.types[value] ? maker : nullptr;
}

Reg TensorRewriter::add(Instr instr, const Type* type) {
    instr.result = static_cast<Reg>(body.regs.size());
    instr.range = at->range;
    body.regs.push_back({type, false});
    made.push_back(std::move(instr));
    return made.back().result;
}

Reg TensorRewriter::emit(TensorFn fn, std::vector<Reg> operands) {
    Instr instr;
    instr.op = Op::Tensor;
    instr.tensor = fn;
    instr.type = at->type;
    instr.operands = std::move(operands);
    return add(std::move(instr), body.regs[at->result].type);
}

Reg TensorRewriter::emitLike(const Instr& instr, std::vector<Reg> operands) {
    Instr same = instr;
    same.operands = std::move(operands);
    return add(std::move(same), body.regs[instr.result].type);
}

Reg TensorRewriter::constant(types::Value value) {
    Instr instr;
    instr.op = Op::Const;
    instr.type = value.type;
    instr.value = std::move(value);
    const Type* type = instr.type;
    return add(std::move(instr), type);
}

Reg TensorRewriter::integer(std::int64_t value) {
    return constant(types::Value::of(types.intType(), static_cast<std::int32_t>(value)));
}

Reg TensorRewriter::emitTo(TensorFn fn, Reg of, const std::vector<std::int64_t>& numbers) {
    std::vector<Reg> operands{of};
    for (std::int64_t number : numbers) operands.push_back(integer(number));
    return emit(fn, std::move(operands));
}

}  // namespace strc::opt
