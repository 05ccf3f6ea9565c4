#include "tensor/detail/shape_inference.h"

#include "base/assert.h"
#include "tensor/detail/body_questions.h"
#include "tensor/operation.h"

namespace strc::tensor {

using ir::BlockId;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::TypeKind;

namespace {

/// So many instructions become of an operation on tensors, about.
constexpr std::size_t kInstructionsOfOperation = 16;

}  // namespace

ShapeInference::ShapeInference(const BodyContext& of, const ExpansionState& before,
                               bool writesLoopsOut)
    : context(of),
      from(of.body),
      writesOut(writesLoopsOut),
      w(of.types),
      state(before),
      known(of, before.known),
      regs(of.body.regs.size(), ir::kNone),
      iterationLocals(of.body) {
    ir::Body& to = w.body;
    to.name = from.name;
    to.kind = from.kind;
    to.params = from.params;
    to.result = from.result;
    to.creates = from.creates;
    to.sends = from.sends;
    to.rates = from.rates;
    to.range = from.range;
    to.header = from.header;
    to.locals = from.locals;
}

ShapedBody ShapeInference::run() && {
    walk(from.entry);
    ShapedBody shaped;
    shaped.hasWrittenOut = hasWrittenOut;
    shaped.fault = fault.take();
    if (shaped.fault) return shaped;
    state.known = known.ofFields();
    values.resize(w.body.regs.size());
    shaped.body = std::move(w.body);
    shaped.values = std::move(values);
    shaped.state = std::move(state);
    return shaped;
}

std::string describe(const Instr& instr) {
    switch (instr.op) {
        case Op::Tensor: {
            const bool isMath = instr.math != types::MathFn::Count;
            return "'" +
                   std::string(isMath ? types::name(instr.math) : types::info(instr.tensor).name) +
                   "'";
        }
        case Op::Push: return "'push'";
        case Op::Pop: return "'pop'";
        case Op::Peek: return "'peek'";
        case Op::Call: return "a call of a native function";
        default: return "a value";
    }
}

// ---- walking

void ShapeInference::walk(BlockId id) {
    for (const Instr& instr : from.blocks[id].instrs) {
        if (fault) return;
        w.range = instr.range;
        walkInstr(instr);
    }
}

void ShapeInference::walkInstr(const Instr& instr) {
    const bool isOfTensor = isTensor(instr.type);
    const bool takesTensors = !context.in.input.empty();
    switch (instr.op) {
        case Op::Tensor: return operation(instr);
        case Op::Require: return demand(instr);
        case Op::If:
            if (!takeBranch(instr)) control(instr);
            return;
        case Op::Loop:
            if (!unroll(instr)) control(instr);
            return;
        case Op::Load:
            if (isOfTensor) return load(instr);
            break;
        case Op::Store:
            if (isOfTensor) return store(instr);
            break;
        case Op::Declare:
            if (isTensor(context.typeOf(instr.var))) return declare(instr);
            break;
        case Op::Pop:
        case Op::Peek:
        case Op::Discard:
            if (takesTensors) return take(instr);
            break;
        case Op::Push:
            if (isOfTensor) return push(instr);
            break;
        case Op::Convert:
            if (!isOfTensor) break;
            regs[instr.result] = regs[instr.operands[0]];
            return;
        case Op::Yield:
            if (isTensor(from.regs[instr.operands[0]].type)) return yield(instr);
            break;
        case Op::Enqueue:
        case Op::Print:
            if (isOfTensor && !fault.checkComputable(instr, typeOf(instr.operands[0]))) return;
            break;
        case Op::Call:
            if (isCallWithTensors(from, instr)) return callNative(instr);
            break;
        default: break;
    }
    if (!keepsAsText(instr)) emitScalar(instr);
}

Reg ShapeInference::made(Reg reg) {
    const auto& value = known[reg];
    if (regs[reg] == ir::kNone && value && value->type->is(TypeKind::String))
        return w.constant(*value);
    STRC_ASSERT(regs[reg] != ir::kNone, "an operand that has no value");
    return regs[reg];
}

void ShapeInference::emit(const Instr& instr, const Type* type) {
    Instr copy = instr;
    for (Reg& operand : copy.operands) operand = made(operand);
    if (instr.var.space == Space::Local)
        if (const auto other = renamed.find(instr.var.index); other != renamed.end())
            copy.var.index = other->second;
    fixExtents(instr, copy);
    if (instr.op == Op::Addr) type = copy.type;
    w.body.blocks[w.block].instrs.push_back(std::move(copy));
    written += instr.op == Op::Tensor ? kInstructionsOfOperation : 1;
    if (instr.result == ir::kNone) return;
    regs[instr.result] = w.result(type, from.regs[instr.result].ref);
    values.resize(w.body.regs.size());
}

void ShapeInference::emitScalar(const Instr& instr) {
    const bool hasResult = instr.result != ir::kNone;
    emit(instr, hasResult ? from.regs[instr.result].type : nullptr);
    known.note(instr, w.body);
    if (hasResult) values.back() = known[instr.result];
}

void ShapeInference::fixExtents(const Instr& instr, Instr& copy) {
    const bool hasVariable = instr.op == Op::Addr || instr.op == Op::Declare;
    if (!hasVariable || instr.var.space != Space::Local) return;
    ir::Variable& local = w.body.locals[instr.var.index];
    if (instr.op == Op::Addr) {
        if (!isTensor(instr.type)) copy.type = local.type;
    } else if (instr.operands.size() == 1 && known[instr.operands[0]] &&
               known[instr.operands[0]]->toInt() >= 0) {
        const std::int64_t extent = known[instr.operands[0]]->toInt();
        local.type = context.types.array(types::innermost(local.type), extent);
        copy.type = local.type;
        copy.operands.clear();
    }
}

bool ShapeInference::keepsAsText(const Instr& instr) {
    const bool isText = instr.result != ir::kNone && instr.type && instr.type->is(TypeKind::String);
    if (!isText || (instr.op != Op::Const && ir::info(instr.op).effects != ir::Effects::Pure))
        return false;
    known.set(instr.result, known.valueOf(instr, w.body));
    return known[instr.result].has_value();
}

/// Stops unless what it asks for holds, also where the run decides whether it comes there, as the rules of operations do.
void ShapeInference::demand(const Instr& instr) {
    const auto& holds = known[instr.operands[0]];
    const auto& text = known[instr.operands[1]];
    if (!holds) return fault.noteUnknown(instr, "the condition of 'require'");
    if (holds->bytes[0] != 0) return;
    if (!text) return fault.noteUnknown(instr, "the text of 'require'");
    fault.note(instr, {}, text->bytes);
}

}  // namespace strc::tensor
