#include "lower/detail/builder.h"

#include "base/assert.h"

namespace strc::lower::detail {

Builder::Builder(types::TypeTable& table, std::string name, ir::BodyKind kind, SourceRange whole)
    : ir::Writer(table) {
    body.name = std::move(name);
    body.kind = kind;
    body.range = body.header = whole;
}

ir::Writer& Builder::at(SourceRange where) {
    STRC_ASSERT(!ended, "code after the end of a block");
    range = where;
    return *this;
}

Instr& Builder::emit(Op op, const Type* type, std::vector<Reg> operands, SourceRange where) {
    return at(where).emit(op, type, std::move(operands));
}

Reg Builder::value(Op op, const Type* type, std::vector<Reg> operands, SourceRange where) {
    return at(where).operation(op, type, std::move(operands));
}

Reg Builder::ref(Op op, const Type* type, std::vector<Reg> operands, SourceRange where,
                 std::uint32_t index) {
    emit(op, type, std::move(operands), where).index = index;
    return result(type, true);
}

Reg Builder::constant(Value value, SourceRange where) {
    return at(where).constant(std::move(value));
}

Reg Builder::integer(std::int64_t value, SourceRange where) { return at(where).integer(value); }

Reg Builder::boolean(bool value, SourceRange where) {
    return constant(Value::of(types.boolean(), static_cast<std::uint8_t>(value)), where);
}

Reg Builder::load(VarRef var, const Type* type, SourceRange where) {
    return at(where).load(var, type);
}

void Builder::store(VarRef var, const Type* type, Reg reg, SourceRange where) {
    at(where).store(var, type, reg);
}

Reg Builder::address(VarRef var, const Type* type, SourceRange where) {
    return at(where).address(var, type);
}

Reg Builder::extent(VarRef var, std::uint32_t dimension, SourceRange where) {
    const Reg made = value(Op::Extent, types.intType(), {}, where);
    last().var = var;
    last().index = dimension;
    return made;
}

std::uint32_t Builder::addLocal(std::string name, const Type* type, SourceRange where) {
    body.locals.push_back({std::move(name), type, where});
    return static_cast<std::uint32_t>(body.locals.size() - 1);
}

BlockId Builder::newBlock() {
    body.blocks.emplace_back();
    return static_cast<BlockId>(body.blocks.size() - 1);
}

Builder::Outside Builder::enter(BlockId inside) {
    Outside outside{block, ended};
    block = inside;
    ended = false;
    return outside;
}

bool Builder::leave(Outside outside) {
    bool hasEnded = ended;
    block = outside.block;
    ended = outside.ended;
    return hasEnded;
}

void Builder::yield(Reg reg, SourceRange where) {
    emit(Op::Yield, nullptr, {reg}, where);
    ended = true;
}

void Builder::end(Op op, std::vector<Reg> operands, SourceRange where) {
    emit(op, nullptr, std::move(operands), where);
    ended = true;
}

}  // namespace strc::lower::detail
