#include "opt/detail/padded_images.h"

#include <algorithm>
#include <span>

namespace strc::opt {
namespace {

using ir::Instr;
using ir::Op;
using ir::Reg;
using types::MathFn;
using types::TensorFn;

std::span<const Instr> instrsOf(const ir::Body& body) { return body.blocks[body.entry].instrs; }

bool does(const Instr* instr, TensorFn fn) {
    return instr && instr->op == Op::Tensor && instr->tensor == fn;
}

/// The one instruction of its kind.
const Instr* only(const ir::Body& body, Op op) {
    const Instr* found = nullptr;
    for (const Instr& instr : instrsOf(body)) {
        if (instr.op != op) continue;
        if (found) return nullptr;
        found = &instr;
    }
    return found;
}

const Instr* makerOf(const ir::Body& body, Reg reg) {
    for (const Instr& instr : instrsOf(body))
        if (instr.result == reg) return &instr;
    return nullptr;
}

/// The one instruction that has it among its operands.
const Instr* userOf(const ir::Body& body, Reg reg) {
    const Instr* found = nullptr;
    for (const Instr& instr : instrsOf(body))
        for (Reg operand : instr.operands) {
            if (operand != reg) continue;
            if (found) return nullptr;
            found = &instr;
        }
    return found;
}

/// Can be part of a sum of products, or of its weights?
bool followsSum(const Instr& instr) {
    switch (instr.tensor) {
        case TensorFn::Add:
        case TensorFn::Mul:
        case TensorFn::Relu: return true;
        case TensorFn::Math: return instr.math == MathFn::Max || instr.math == MathFn::Min;
        default: return false;
    }
}

bool isSum(const ir::Body& body, Reg reg) {
    const Instr* maker = makerOf(body, reg);
    if (does(maker, TensorFn::Conv) || does(maker, TensorFn::Matmul)) return true;
    return maker && maker->op == Op::Tensor && followsSum(*maker) &&
           std::any_of(maker->operands.begin(), maker->operands.end(),
                       [&](Reg operand) { return isSum(body, operand); });
}

}  // namespace

bool pushesSum(const ir::Body& body) {
    const Instr* push = only(body, Op::Push);
    return push && isSum(body, push->operands[0]);
}

bool padsItem(const ir::Body& body) {
    const Instr* pop = only(body, Op::Pop);
    if (!pop) return false;
    const Instr* pad = userOf(body, pop->result);
    if (!does(pad, TensorFn::Pad) || pad->operands[0] != pop->result) return false;
    const Instr* user = pad;
    while (does(user, TensorFn::Pad)) user = userOf(body, user->result);
    return does(user, TensorFn::Conv);
}

}  // namespace strc::opt
