#include "eval/detail/variable_compiler.h"

namespace strc::eval {
namespace {

/// Key of what a preheader computes once: an address, by its opcode and number.
std::pair<std::uint64_t, std::uint64_t> keyOf(Code32 operation, std::uint32_t index) {
    return {std::uint64_t{3} << 32, (static_cast<std::uint64_t>(operation) << 32) | index};
}

Code32 addressCode(ir::VarRef var) {
    return var.space == Space::Field      ? Code32::FieldAddr
           : var.space == Space::Constant ? Code32::ConstantAddr
                                          : Code32::GlobalAddr;
}

}  // namespace

VariableCompiler::VariableCompiler(BodyState& state, AccessCompiler& accesses,
                                   std::span<const std::int64_t> fieldOffsets)
    : state(state),
      accesses(accesses),
      fieldOffsets(fieldOffsets),
      code(state.code),
      body(state.body),
      frame(state.frame),
      analysis(state.analysis),
      registers(state.registers),
      out(state.out) {}

/// The slot with the address of a field, constant or global that no frame knows, if it can be found in
/// front of the loop.
std::optional<std::uint32_t> VariableCompiler::hoistedAddress(ir::VarRef var) {
    // While setup declares fields, those before them move; a static item sets globals.
    bool moves = (var.space == Space::Field && body.kind == ir::BodyKind::Setup) ||
                 (var.space == Space::Global && body.kind == ir::BodyKind::Static);
    if (moves || !out.hasPreheader()) return std::nullopt;
    Code32 operation = addressCode(var);
    return out.hoist(keyOf(operation, var.index), 1,
                     [&](std::uint32_t slot) { out.op(operation, {slot, var.index}); });
}

void VariableCompiler::load(const Instr& instr) {
    loadVariable(instr);
    if (mayLackTensor(instr.var)) checkTensor(instr);
}

void VariableCompiler::loadVariable(const Instr& instr) {
    const RegFacts& facts = analysis[instr.result];
    switch (instr.var.space) {
        case Space::Local: {
            std::uint32_t slot = frame[instr.var.index].slot;
            if (facts.alias)
                registers.setSlot(instr.result, slot);
            else
                registers.moveSlots(registers.destination(instr), slot, slotsOf(instr.type));
            return;
        }
        case Space::Constant:
        case Space::Global: {
            bool isConstant = instr.var.space == Space::Constant;
            Code32 operation = isConstant ? Code32::ConstantLoad : Code32::GlobalLoad;
            if (isConstant && out.hasPreheader()) {
                registers.setSlot(instr.result,
                                  out.hoist(keyOf(operation, instr.var.index), slotsOf(instr.type),
                                            [&](std::uint32_t slot) {
                                                out.op(operation, {slot, instr.var.index});
                                            }));
                return;
            }
            out.op(operation, {registers.destination(instr), instr.var.index});
            return;
        }
        case Space::Field: {
            Location ref = fieldRef(instr.var);
            accesses.loadFrom(ref, instr.type, registers.destination(instr));
            return;
        }
        case Space::Stored:
        case Space::Input:
        case Space::Output: break;
    }
    STRC_UNREACHABLE("load of what is no scalar");
}

Location VariableCompiler::fieldRef(ir::VarRef var) {
    Location ref;
    ref.kind = Location::Kind::Ref;
    if (var.index < fieldOffsets.size()) {
        ref.slot = kState;
        ref.offset = fieldOffsets[var.index];
        return ref;
    }
    if (auto slot = hoistedAddress(var)) {
        ref.slot = *slot;
        return ref;
    }
    ref.slot = registers.temporary();
    out.op(Code32::FieldAddr, {ref.slot, var.index});
    return ref;
}

void VariableCompiler::store(const Instr& instr) {
    Reg value = instr.operands[0];
    if (checksTensor(instr)) {
        HostOp op;
        op.declared = declaredTensor(instr.var);
        emitHost(state, instr, std::move(op));
    }
    const Type* type = registers.typeOf(value);
    if (instr.var.space == Space::Local && !type->is(TypeKind::String))
        return registers.moveTo(frame[instr.var.index].slot, value);
    std::uint32_t slot = registers.slotOf(value);
    if (type->is(TypeKind::String)) slot = registers.keptText(slot);
    switch (instr.var.space) {
        case Space::Local: return registers.moveSlots(frame[instr.var.index].slot, slot, 1);
        case Space::Field: return accesses.storeTo(fieldRef(instr.var), type, slot);
        case Space::Global: out.op(Code32::GlobalStore, {slot, instr.var.index}); return;
        case Space::Constant:
        case Space::Stored:
        case Space::Input:
        case Space::Output: break;
    }
    STRC_UNREACHABLE("store to something that is not variable");
}

void VariableCompiler::address(const Instr& instr) {
    Location& location = registers[instr.result];
    const ir::VarRef var = instr.var;
    if (var.space == Space::Local) {
        const Frame::Local& local = frame[var.index];
        if (local.offset < 0) {
            if (var.index < body.params || analysis[instr.result].alias)
                return registers.setSlot(instr.result, local.slot);
            return registers.moveSlots(registers.destination(instr), local.slot + kAddress, 1);
        }
        location.kind = Location::Kind::Ref;
        location.slot = kFrame;
        location.offset = local.offset;
        return;
    }
    if (var.space == Space::Field && var.index < fieldOffsets.size()) {
        location = fieldRef(var);
        return;
    }
    if (var.space == Space::Input || var.space == Space::Output) {
        const bool isInput = var.space == Space::Input;
        out.op(isInput ? Code32::InputAddr : Code32::OutputAddr,
               {registers.destination(instr), static_cast<std::uint32_t>(instr.type->extent)});
        return;
    }
    if (var.space == Space::Stored)
        return registers.sharedAddress(instr, code.stream->stored[var.index].bytes.get());
    if (auto slot = hoistedAddress(var)) return registers.setSlot(instr.result, *slot);
    out.op(addressCode(var), {registers.destination(instr), var.index});
}

void VariableCompiler::extent(const Instr& instr) {
    ExtentSource source = extentSource(instr.var, instr.index);
    if (source.kind == ExtentSource::Kind::Slot) {
        if (analysis[instr.result].alias) return registers.setSlot(instr.result, source.index);
        return registers.moveSlots(registers.destination(instr), source.index, 1);
    }
    std::uint32_t to = registers.destination(instr);
    if (source.kind == ExtentSource::Kind::Literal)
        out.op(Code32::Const, {to, static_cast<std::uint32_t>(source.literal)});
    else
        out.op(Code32::Extent,
               {to, static_cast<std::uint32_t>(source.kind), source.index, source.dimension});
}

void VariableCompiler::declare(const Instr& instr) {
    if (instr.var.space != Space::Local) return declareByHost(instr);
    const Frame::Local& local = frame[instr.var.index];
    const Type* type = body.locals[instr.var.index].type;
    if (type->is(TypeKind::Tensor)) return declareTensor(instr);
    if (local.extents != 0) return declareByHost(instr);
    if (local.offset >= 0) {
        if (instr.flag) return;
        Location ref;
        ref.slot = kFrame;
        ref.offset = local.offset;
        ref = registers.settle(ref);
        std::int64_t bytes = types::sizeOf(type);
        accesses.charge(static_cast<std::uint64_t>(bytes));
        out.op(Code32::Zero, {ref.slot, static_cast<std::uint32_t>(ref.offset),
                              static_cast<std::uint32_t>(bytes)});
        return;
    }
    if (instr.var.index < body.params && type->isAggregate()) return;
    for (std::uint32_t part = 0; part < slotsOf(type); ++part)
        out.op(Code32::Const, {local.slot + part, 0});
}

void VariableCompiler::declareByHost(const Instr& instr) {
    HostOp op;
    op.declared = declaredTensor(instr.var);
    if (instr.var.space == Space::Local) {
        op.local = frame[instr.var.index].slot;
        op.extents = frame[instr.var.index].extents;
    }
    emitHost(state, instr, std::move(op));
}

/// A shape that is known makes zeros; else the variable has no value yet.
void VariableCompiler::declareTensor(const Instr& instr) {
    const Type* type = body.locals[instr.var.index].type;
    std::vector<std::int64_t> dims;
    for (Reg operand : instr.operands) {
        const std::optional<std::int64_t> extent = registers.literalInt(operand);
        dims.push_back(extent && *extent != ir::kOpenExtent ? *extent : types::kDynamic);
    }
    if (!dims.empty()) type = code.types->tensor(type->element, std::move(dims));
    tensorLocals[instr.var.index] = type;
    if (types::isConcrete(type)) return declareByHost(instr);
    out.op(Code32::Const, {frame[instr.var.index].slot, 0});
}

const Type* VariableCompiler::declaredTensor(ir::VarRef var) const {
    const auto found = tensorLocals.find(var.index);
    if (var.space == Space::Local && found != tensorLocals.end()) return found->second;
    return declaredType(var);
}

/// A tensor that nothing may have been stored to yet?
bool VariableCompiler::mayLackTensor(ir::VarRef var) const {
    if (var.space == Space::Field) return declaredType(var)->is(TypeKind::Tensor);
    const auto found = tensorLocals.find(var.index);
    return var.space == Space::Local && found != tensorLocals.end() &&
           !types::isConcrete(found->second);
}

/// Traps unless what has been loaded is a tensor.
void VariableCompiler::checkTensor(const Instr& instr) {
    HostOp op;
    op.instr = &instr;
    op.body = &body;
    op.operands.push_back({registers.slotOf(instr.result), instr.type, false});
    op.result = registers.temporary(2);
    appendHost(state, std::move(op));
}

/// Does the declaration of the variable say more than that it is a tensor?
bool VariableCompiler::checksTensor(const Instr& instr) const {
    if (!registers.typeOf(instr.operands[0])->is(TypeKind::Tensor)) return false;
    const Type* declared = declaredTensor(instr.var);
    return declared->element || declared->isRanked;
}

const Type* VariableCompiler::declaredType(ir::VarRef var) const {
    switch (var.space) {
        case Space::Local: return body.locals[var.index].type;
        case Space::Field: return code.stream->fields[var.index].type;
        case Space::Constant: return code.stream->constants[var.index].type;
        case Space::Global: return code.module->globals[var.index].type;
        case Space::Stored: return code.stream->stored[var.index].type;
        case Space::Input: return code.stream->input;
        case Space::Output: return code.stream->output;
    }
    STRC_UNREACHABLE("space");
}

ExtentSource VariableCompiler::extentSource(ir::VarRef var, std::uint32_t dimension) const {
    using Kind = ExtentSource::Kind;
    const Type* type = declaredType(var);
    for (std::uint32_t k = 0; k < dimension; ++k) type = type->element;
    if (type->extent != types::kDynamic) return {Kind::Literal, 0, dimension, type->extent};
    switch (var.space) {
        case Space::Local: return {Kind::Slot, frame[var.index].extents + dimension, 0, 0};
        case Space::Field: return {Kind::Field, var.index, dimension, 0};
        case Space::Constant: return {Kind::Constant, var.index, dimension, 0};
        case Space::Global: return {Kind::Global, var.index, dimension, 0};
        case Space::Stored: break;  // all extents are literals
        case Space::Input: return {Kind::Item, 0, dimension, 0};
        case Space::Output: return {Kind::Item, 1, dimension, 0};
    }
    STRC_UNREACHABLE("space");
}

}  // namespace strc::eval
