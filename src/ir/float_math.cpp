#include "ir/float_math.h"

#include <algorithm>

namespace strc::ir {
namespace {

using types::TypeKind;

bool isFloat(const Value& value) {
    if (!value.type || !value.type->is(TypeKind::Double)) return false;
    const auto number = value.as<double>();
    return static_cast<double>(static_cast<float>(number)) == number;
}

/// Values that a float holds.
std::vector<bool> findFloats(const Body& body) {
    std::vector<bool> floats(body.regs.size());
    for (const Block& block : body.blocks)
        for (const Instr& i : block.instrs) {
            if (i.op == Op::Const && i.result != kNone) floats[i.result] = isFloat(i.value);
            if (i.op == Op::Convert)
                floats[i.result] = body.regs[i.operands[0]].type->is(TypeKind::Float);
        }
    return floats;
}

}  // namespace

std::vector<bool> findFloatMath(const Body& body) {
    std::vector<bool> found(body.regs.size());
    const std::vector<bool> floats = findFloats(body);
    for (const Block& block : body.blocks)
        for (const Instr& i : block.instrs) {
            if (i.op != Op::Math) continue;
            found[i.result] =
                i.math == types::MathFn::Arg ||
                (i.type->is(TypeKind::Double) && std::all_of(i.operands.begin(), i.operands.end(),
                                                             [&](Reg reg) { return floats[reg]; }));
        }
    for (const Block& block : body.blocks)
        for (const Instr& i : block.instrs) {
            const bool rounds = i.op == Op::Convert && i.type->is(TypeKind::Float);
            for (Reg reg : i.operands)
                if (!rounds && body.regs[reg].type->is(TypeKind::Double)) found[reg] = false;
        }
    return found;
}

}  // namespace strc::ir
