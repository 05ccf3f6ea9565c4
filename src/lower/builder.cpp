#include "lower/detail/builder.h"

#include "base/assert.h"

namespace strc::lower::detail {

Builder::Builder(types::TypeTable& types, std::string name, ir::BodyKind kind, SourceRange range)
    : types(types) {
    body.name = std::move(name);
    body.kind = kind;
    body.result = types.voidType();
    body.range = body.header = range;
    body.blocks.resize(1);
}

Instr& Builder::emit(Op op, const Type* type, std::vector<Reg> operands, SourceRange range) {
    STRC_ASSERT(!ended, "code after the end of a block");
    Instr& instr = body.blocks[current].instrs.emplace_back();
    instr.op = op;
    instr.type = type;
    instr.operands = std::move(operands);
    instr.range = range;
    return instr;
}

Reg Builder::value(Op op, const Type* type, std::vector<Reg> operands, SourceRange range) {
    auto result = static_cast<Reg>(body.regs.size());
    body.regs.push_back({type, false});
    emit(op, type, std::move(operands), range).result = result;
    return result;
}

Reg Builder::ref(Op op, const Type* type, std::vector<Reg> operands, SourceRange range,
                 std::uint32_t index) {
    auto result = static_cast<Reg>(body.regs.size());
    body.regs.push_back({type, true});
    Instr& instr = emit(op, type, std::move(operands), range);
    instr.result = result;
    instr.index = index;
    return result;
}

Reg Builder::compare(Op op, const Type* type, Reg left, Reg right, SourceRange range) {
    auto result = static_cast<Reg>(body.regs.size());
    body.regs.push_back({types.boolean(), false});
    emit(op, type, {left, right}, range).result = result;
    return result;
}

Reg Builder::constant(Value value, SourceRange range) {
    const Type* type = value.type;
    Reg result = type->isAggregate() ? ref(Op::Const, type, {}, range)
                                     : this->value(Op::Const, type, {}, range);
    last().value = std::move(value);
    return result;
}

Reg Builder::integer(std::int64_t value, SourceRange range) {
    return constant(Value::of(types.intType(), static_cast<std::int32_t>(value)), range);
}

Reg Builder::boolean(bool value, SourceRange range) {
    return constant(Value::of(types.boolean(), static_cast<std::uint8_t>(value)), range);
}

Reg Builder::load(VarRef var, const Type* type, SourceRange range) {
    Reg result = value(Op::Load, type, {}, range);
    last().var = var;
    return result;
}

void Builder::store(VarRef var, const Type* type, Reg reg, SourceRange range) {
    emit(Op::Store, type, {reg}, range).var = var;
}

Reg Builder::address(VarRef var, const Type* type, SourceRange range) {
    Reg result = ref(Op::Addr, type, {}, range);
    last().var = var;
    return result;
}

Reg Builder::extent(VarRef var, std::uint32_t dimension, SourceRange range) {
    Reg result = value(Op::Extent, types.intType(), {}, range);
    last().var = var;
    last().index = dimension;
    return result;
}

std::uint32_t Builder::addLocal(std::string name, const Type* type, SourceRange range) {
    body.locals.push_back({std::move(name), type, range});
    return static_cast<std::uint32_t>(body.locals.size() - 1);
}

BlockId Builder::newBlock() {
    body.blocks.emplace_back();
    return static_cast<BlockId>(body.blocks.size() - 1);
}

Builder::Outside Builder::enter(BlockId block) {
    Outside outside{current, ended};
    current = block;
    ended = false;
    return outside;
}

bool Builder::leave(Outside outside) {
    bool hasEnded = ended;
    current = outside.block;
    ended = outside.ended;
    return hasEnded;
}

void Builder::yield(Reg reg, SourceRange range) {
    emit(Op::Yield, nullptr, {reg}, range);
    ended = true;
}

void Builder::end(Op op, std::vector<Reg> operands, SourceRange range) {
    emit(op, nullptr, std::move(operands), range);
    ended = true;
}

}  // namespace strc::lower::detail
