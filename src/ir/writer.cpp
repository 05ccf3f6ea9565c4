#include "ir/writer.h"

namespace strc::ir {

Writer::Writer(types::TypeTable& table) : types(table) {
    body.result = types.voidType();
    body.blocks.resize(1);
}

Instr& Writer::emit(Op op, const Type* type, std::vector<Reg> operands) {
    Instr& instr = body.blocks[block].instrs.emplace_back();
    instr.op = op;
    instr.type = type;
    instr.operands = std::move(operands);
    instr.range = range;
    return instr;
}

Reg Writer::result(const Type* type, bool isRef) {
    body.regs.push_back({type, isRef});
    return body.blocks[block].instrs.back().result = static_cast<Reg>(body.regs.size() - 1);
}

Reg Writer::operation(Op op, const Type* type, std::vector<Reg> operands) {
    emit(op, type, std::move(operands));
    const bool isComparison = op >= Op::Eq && op <= Op::Ge;
    if (!isComparison) return result(type, false);
    const std::int64_t lanes = types::lanesOf(type);
    return result(lanes != 0 ? types.vector(types.boolean(), lanes) : types.boolean(), false);
}

Reg Writer::constant(Value value) {
    const Type* type = value.type;
    emit(Op::Const, type, {}).value = std::move(value);
    return result(type, type->isAggregate());
}

Reg Writer::integer(std::int64_t value) {
    return constant(Value::of(types.intType(), static_cast<std::int32_t>(value)));
}

Reg Writer::truth() { return constant(Value::of(types.boolean(), static_cast<std::uint8_t>(1))); }

Reg Writer::reference(Reg array, Reg index) {
    const Type* type = body.regs[array].type;
    const Reg extent = integer(type->extent);
    emit(Op::Elem, type->element, {array, index, extent}).checked = false;
    return result(type->element, true);
}

Reg Writer::element(Reg array, Reg index) {
    const Reg ref = reference(array, index);
    return operation(Op::LoadAt, body.regs[ref].type, {ref});
}

void Writer::setElement(Reg array, Reg index, Reg value) {
    const Reg ref = reference(array, index);
    emit(Op::StoreAt, body.regs[ref].type, {ref, value});
}

std::uint32_t Writer::local(const std::string& name, const Type* type) {
    body.locals.push_back({name, type, range});
    const auto id = static_cast<std::uint32_t>(body.locals.size() - 1);
    if (type->isAggregate()) {
        Instr& declare = emit(Op::Declare, type, {});
        declare.var = {Space::Local, id};
        declare.flag = true;
    }
    return id;
}

Reg Writer::address(VarRef var, const Type* type) {
    emit(Op::Addr, type, {}).var = var;
    return result(type, true);
}

Reg Writer::load(VarRef var, const Type* type) {
    emit(Op::Load, type, {}).var = var;
    return result(type, false);
}

void Writer::store(VarRef var, const Type* type, Reg value) {
    emit(Op::Store, type, {value}).var = var;
}

Reg Writer::address(std::uint32_t id) { return address({Space::Local, id}, body.locals[id].type); }

Reg Writer::load(std::uint32_t id) { return load({Space::Local, id}, body.locals[id].type); }

void Writer::store(std::uint32_t id, Reg value) {
    store({Space::Local, id}, body.locals[id].type, value);
}

BlockId Writer::inBlock(const std::function<void()>& inside) {
    body.blocks.emplace_back();
    const BlockId outside = block;
    const auto fresh = static_cast<BlockId>(body.blocks.size() - 1);
    block = fresh;
    inside();
    block = outside;
    return fresh;
}

void Writer::loop(std::int64_t count, const std::function<void(Reg)>& inside) {
    if (count == 1) return inside(integer(0));
    const std::uint32_t counter = local("i" + std::to_string(body.locals.size()), types.intType());
    store(counter, integer(0));
    const BlockId condition = inBlock([&] {
        const Reg i = load(counter);
        const Reg more = operation(Op::Lt, types.intType(), {i, integer(count)});
        emit(Op::Yield, nullptr, {more});
    });
    const BlockId iteration = inBlock([&] { inside(load(counter)); });
    const BlockId step = inBlock(
        [&] { store(counter, operation(Op::Add, types.intType(), {load(counter), integer(1)})); });
    emit(Op::Loop, nullptr, {}).blocks = {condition, iteration, step};
}

}  // namespace strc::ir
