#include "operators/choice.h"

#include "types/type.h"

namespace strc::operators {
namespace {

/// Is the library worth its call? docs/design/kernels.md has the figures that this is made of.
bool pays(const Operator& what, const ir::Contraction& how) {
    constexpr std::int64_t kWorthACall = std::int64_t{1} << 26;
    return !what.hasGroups() && countProducts(how) >= kWorthACall;
}

}  // namespace

std::string nameOf(Provider provider) {
    switch (provider) {
        case Provider::OneDnn: return "onednn";
        case Provider::Torch: return "torch";
        default: return "generated";
    }
}

const ir::StoredArray* storedArray(const ir::Body& body, const ir::StreamCode* code, ir::Reg ref) {
    if (!code) return nullptr;
    for (const ir::Block& block : body.blocks)
        for (const ir::Instr& from : block.instrs)
            if (from.op == ir::Op::Addr && from.result == ref &&
                from.var.space == ir::Space::Stored)
                return &code->stored[from.var.index];
    return nullptr;
}

Chosen choose(const ir::Body& body, const ir::StreamCode* code, const ir::Instr& instr,
              Choice choice) {
    Chosen made;
    auto isFloat = [&](std::size_t k) {
        return body.regs[instr.operands[k]].type->element->is(types::TypeKind::Float);
    };
    if (!isFloat(0) || !isFloat(1) || !isFloat(2)) return made;
    const ir::Contraction how = ir::contractionOf(instr);
    const ir::StoredArray* a = storedArray(body, code, instr.operands[1]);
    const ir::StoredArray* b = storedArray(body, code, instr.operands[2]);
    made.what = operatorOf(how, a != nullptr, b != nullptr);
    if (!made.what) return made;
    made.weights = made.what->isSwapped ? a : b;
    if (!choice.isFree || pays(*made.what, how)) made.provider = choice.provider;
    return made;
}

std::string print(const Chosen& chosen) {
    std::string line =
        nameOf(chosen.provider) + ": " + (chosen.what ? print(*chosen.what) : "loops");
    // It insists on a result of its own (runtime/torch).
    if (chosen.provider == Provider::Torch && chosen.what->kind == OperatorKind::Convolution)
        line += ", result copied";
    return line;
}

}  // namespace strc::operators
