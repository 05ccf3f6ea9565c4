// Branches and loops: those whose way is known stand written out, in the others a variable keeps its type.

#include <algorithm>

#include "tensor/detail/body_questions.h"
#include "tensor/detail/shape_inference.h"
#include "tensor/operation.h"

namespace strc::tensor {

using ir::BlockId;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::VarRef;

namespace {

/// Iterations and instructions beyond which no loop is written out.
constexpr int kMostTrips = 4096;
constexpr int kFewTrips = 64;
constexpr std::size_t kMostInstructions = 1 << 18;

KnownVariables::Key key(VarRef var) { return {static_cast<int>(var.space), var.index}; }

/// Iterations that require something are written out, even if nothing else asks for it.
bool demandsIn(const ir::Body& body, const Instr& control) {
    return std::any_of(control.blocks.begin(), control.blocks.end(), [&](BlockId block) {
        return anyIn(body, block, [](const Instr& instr) { return instr.op == Op::Require; });
    });
}

}  // namespace

void ShapeInference::control(const Instr& instr) {
    known.forget(instr);
    std::vector<VarRef> changed;
    for (VarRef var : tensorsStoredIn(from, instr))
        if (!iterationLocals.isInside(var.index) && fixed.try_emplace(key(var), nullptr).second) {
            changed.push_back(var);
            fixed[key(var)] = bindings[key(var)].type;
        }
    iterationLocals.enter(instr);
    renameLocals(instr);
    const Type* outside = result;
    result = nullptr;
    Instr copy = instr;
    copy.operands.clear();
    for (Reg operand : instr.operands) copy.operands.push_back(made(operand));
    ++depth;
    for (std::size_t k = 0; k < 3; ++k)
        if (instr.blocks[k] != ir::kNone)
            copy.blocks[k] = w.inBlock([&] { walk(instr.blocks[k]); });
    --depth;
    w.range = instr.range;
    known.forget(instr);
    w.body.blocks[w.block].instrs.push_back(std::move(copy));
    if (instr.result != ir::kNone) {
        const Type* type = from.regs[instr.result].type;
        known.set(instr.result, std::nullopt);
        regs[instr.result] = w.result(isTensor(type) ? result : type, false);
    }
    result = outside;
    iterationLocals.leave(instr);
    for (VarRef var : changed) {
        if (const Type* type = fixed[key(var)]) bindings[key(var)].type = type;
        fixed.erase(key(var));
    }
}

void ShapeInference::yield(const Instr& instr) {
    const Type* type = typeOf(instr.operands[0]);
    if (!result) result = type;
    if (result != type)
        fault.noteOfRun(
            instr, describe(instr),
            "one branch gives " + types::toString(result) + ", the other " + types::toString(type));
    emit(instr, nullptr);
}

bool ShapeInference::takeBranch(const Instr& instr) {
    const auto& condition = known[instr.operands[0]];
    if (!condition || leaves(from, instr.blocks[0]) || leaves(from, instr.blocks[1])) return false;
    const BlockId taken = instr.blocks[condition->bytes[0] != 0 ? 0 : 1];
    if (taken != ir::kNone) inlined(taken, instr.result);
    return true;
}

void ShapeInference::inlined(BlockId id, Reg value) {
    for (const Instr& instr : from.blocks[id].instrs) {
        if (fault) return;
        w.range = instr.range;
        if (instr.op != Op::Yield) {
            walkInstr(instr);
        } else if (value != ir::kNone) {
            regs[value] = regs[instr.operands[0]];
            known.set(value, known[instr.operands[0]]);
        }
    }
}

// ---- loops

/// Has operations on tensors, or fills an array that may say a shape.
bool ShapeInference::decidesOnShapes(BlockId id) const {
    return anyIn(from, id, [&](const Instr& instr) {
        if (instr.op == Op::Tensor || instr.op == Op::Require || isTensor(instr.type)) return true;
        if (instr.op == Op::Pop || instr.op == Op::Peek) return !context.in.input.empty();
        return instr.op == Op::Addr && known.isFollowedArray(instr);
    });
}

/// A loop of scalars may compute what others depend on, but is left alone if it has many iterations. What has to be
/// known before is found out by a copy of the walk.
bool ShapeInference::unroll(const Instr& loop) {
    const bool isWanted = writesOut || demandsIn(from, loop);
    if (!isWanted || loop.flag || leaves(from, loop.blocks[1])) return false;
    const bool isOfTensors = decidesOnShapes(loop.blocks[1]);
    ShapeInference trial(*this);
    if (isOfTensors ? !trial.condition(loop) : !trial.hasFewIterations(loop)) return false;
    hasWrittenOut = hasWrittenOut || isOfTensors;
    writeOut(loop);
    return true;
}

bool ShapeInference::hasFewIterations(const Instr& loop) {
    for (int trips = 0; trips <= kFewTrips; ++trips) {
        const std::optional<bool> more = condition(loop);
        if (!more || fault) return false;
        if (!*more) return true;
        writeIteration(loop);
    }
    return false;
}

void ShapeInference::writeOut(const Instr& loop) {
    for (int trips = 0; !fault; ++trips) {
        const std::optional<bool> more = condition(loop);
        if (!more || trips == kMostTrips || written > kMostInstructions)
            return fault.noteOfRun(
                loop, "a loop", "its rounds have to be written out, and are too many or not known");
        if (!*more) return;
        writeIteration(loop);
    }
}

void ShapeInference::writeIteration(const Instr& loop) {
    iterationLocals.enter(loop);
    renameLocals(loop);
    for (BlockId block : {loop.blocks[1], loop.blocks[2]})
        if (block != ir::kNone) inlined(block, ir::kNone);
    iterationLocals.leave(loop);
}

void ShapeInference::renameLocals(const Instr& loop) {
    for (const std::uint32_t local : iterationLocals.ofLoop(loop)) {
        const auto [name, isFirst] = renamed.try_emplace(local, local);
        if (isFirst) continue;
        name->second = static_cast<std::uint32_t>(w.body.locals.size());
        w.body.locals.push_back(from.locals[local]);
    }
}

std::optional<bool> ShapeInference::condition(const Instr& loop) {
    const BlockId test = loop.blocks[0];
    inlined(test, ir::kNone);
    if (fault) return std::nullopt;
    const auto& value = known[from.blocks[test].instrs.back().operands[0]];
    return value ? std::optional(value->bytes[0] != 0) : std::nullopt;
}

}  // namespace strc::tensor
