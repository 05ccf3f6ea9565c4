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

/// In each lane of a vector, too.
bool isReal(const Type* type, TypeKind kind) { return types::laneType(type)->is(kind); }

/// Values that a float holds.
std::vector<bool> findFloats(const Body& body) {
    std::vector<bool> floats(body.regs.size());
    for (const Block& block : body.blocks)
        for (const Instr& i : block.instrs) {
            if (i.op == Op::Const && i.result != kNone) floats[i.result] = isFloat(i.value);
            if (i.op == Op::Convert)
                floats[i.result] = isReal(body.regs[i.operands[0]].type, TypeKind::Float);
            if (i.op == Op::Splat) floats[i.result] = floats[i.operands[0]];
            if (i.op == Op::Select)
                floats[i.result] = floats[i.operands[1]] && floats[i.operands[2]];
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
                i.math == types::MathFn::Arg || (isReal(i.type, TypeKind::Double) &&
                                                 std::all_of(i.operands.begin(), i.operands.end(),
                                                             [&](Reg reg) { return floats[reg]; }));
        }
    for (const Block& block : body.blocks)
        for (const Instr& i : block.instrs) {
            const bool trips = i.op == Op::Convert && isReal(i.type, TypeKind::Float);
            for (Reg reg : i.operands)
                if (!trips && isReal(body.regs[reg].type, TypeKind::Double)) found[reg] = false;
        }
    return found;
}

namespace {

/// Where values come from, for a few operations that follow each other.
class Origins {
public:
    explicit Origins(const Body& body) : body(body), made(body.regs.size()) {
        for (const Block& block : body.blocks)
            for (const Instr& i : block.instrs)
                if (i.result != kNone) made[i.result] = &i;
    }

    /// The instruction that made the value, if it is that operation on doubles.
    const Instr* find(Reg reg, Op op) const {
        const Instr* instr = made[reg];
        if (instr && instr->op == Op::Splat) return find(instr->operands[0], op);
        const bool isIt = instr && instr->op == op && isReal(body.regs[reg].type, TypeKind::Double);
        return isIt ? instr : nullptr;
    }
    bool isOne(Reg reg) const {
        const Instr* one = find(reg, Op::Const);
        return one && one->value.as<double>() == 1;
    }
    /// The exponential of 1 / (1 + exp(-x)), in double; or null.
    const Instr* powerOfSigmoid(Reg reg) const {
        const Instr* quotient = find(reg, Op::Div);
        if (!quotient || !isOne(quotient->operands[0])) return nullptr;
        const Instr* sum = find(quotient->operands[1], Op::Add);
        if (!sum || !isOne(sum->operands[0])) return nullptr;
        const Instr* power = find(sum->operands[1], Op::Math);
        const bool isExp = power && power->math == types::MathFn::Exp;
        return isExp && find(power->operands[0], Op::Neg) ? power : nullptr;
    }
    /// Its x.
    Reg argument(const Instr& power) const { return made[power.operands[0]]->operands[0]; }
    /// The float that a double was made of; or kNone.
    Reg floatOf(Reg reg) const {
        const Instr* wide = find(reg, Op::Convert);
        const bool isFloat = wide && isReal(body.regs[wide->operands[0]].type, TypeKind::Float);
        return isFloat ? wide->operands[0] : kNone;
    }

private:
    const Body& body;
    std::vector<const Instr*> made;
};

}  // namespace

std::map<Reg, Sigmoid> findSigmoids(const Body& body) {
    std::map<Reg, Sigmoid> found;
    const Origins origins(body);
    for (const Block& block : body.blocks)
        for (const Instr& i : block.instrs) {
            if (i.op != Op::Convert || !isReal(i.type, TypeKind::Float)) continue;
            const Instr* product = origins.find(i.operands[0], Op::Mul);
            const Reg share = product ? product->operands[1] : i.operands[0];
            const Instr* power = origins.powerOfSigmoid(share);
            if (!power) continue;
            const Reg x = origins.argument(*power);
            if (product && x != product->operands[0]) continue;
            if (origins.floatOf(x) == kNone) continue;
            found[i.result] = {origins.floatOf(x), product != nullptr, power->flag};
        }
    return found;
}

namespace {

/// All that runs in an iteration of a loop that has neither tapes nor calls nor loops in it; else nothing.
std::vector<const Instr*> simpleIteration(const Body& body, const Instr& loop) {
    std::vector<const Instr*> all;
    std::vector<BlockId> todo(loop.blocks.begin(), loop.blocks.end());
    while (!todo.empty()) {
        const BlockId id = todo.back();
        todo.pop_back();
        if (id == kNone) continue;
        for (const Instr& i : body.blocks[id].instrs) {
            const bool isTape = i.op >= Op::Push && i.op < Op::Call;
            if (i.op == Op::Loop || isTape || info(i.op).effects == Effects::Ordered) return {};
            all.push_back(&i);
            todo.insert(todo.end(), i.blocks.begin(), i.blocks.end());
        }
    }
    return all;
}

}  // namespace

std::set<const Instr*> findLoopMath(const Body& body) {
    std::set<const Instr*> found;
    for (const Block& block : body.blocks)
        for (const Instr& loop : block.instrs) {
            if (loop.op != Op::Loop) continue;
            for (const Instr* i : simpleIteration(body, loop))
                if (i->op == Op::Math) found.insert(i);
        }
    return found;
}

}  // namespace strc::ir
