#include "linear/writer.h"

#include "base/assert.h"

namespace strc::linear {

using ir::Op;
using ir::Reg;
using types::TypeKind;
using types::Value;

namespace {

Value valueOf(const Type* type, Number number) {
    switch (type->kind) {
        case TypeKind::Int: return Value::of(type, static_cast<std::int32_t>(number.re));
        case TypeKind::Float: return Value::of(type, static_cast<float>(number.re));
        case TypeKind::Double: return Value::of(type, number.re);
        case TypeKind::Complex: {
            const float parts[] = {static_cast<float>(number.re), static_cast<float>(number.im)};
            return {type, std::string(reinterpret_cast<const char*>(parts), sizeof parts)};
        }
        default: STRC_UNREACHABLE("a type without sums");
    }
}

}  // namespace

Writer::Writer(types::TypeTable& table, base::SourceRange from) : types(table), range(from) {
    made.name = "work";
    made.kind = ir::BodyKind::Work;
    made.result = types.voidType();
    made.range = made.header = range;
    made.blocks.resize(1);
}

ir::Instr& Writer::emit(Op op, const Type* type, std::vector<Reg> operands) {
    ir::Instr& instr = made.blocks[current].instrs.emplace_back();
    instr.op = op;
    instr.type = type;
    instr.operands = std::move(operands);
    instr.range = range;
    return instr;
}

Reg Writer::result(const Type* type, bool isRef) {
    made.regs.push_back({type, isRef});
    return made.blocks[current].instrs.back().result = static_cast<Reg>(made.regs.size() - 1);
}

Reg Writer::constant(const Type* type, Number number) {
    emit(Op::Const, type, {}).value = valueOf(type, number);
    return result(type, false);
}

Reg Writer::integer(std::int64_t value) {
    return constant(types.intType(), {static_cast<double>(value), 0});
}

Reg Writer::truth() {
    emit(Op::Const, types.boolean(), {}).value =
        Value::of(types.boolean(), static_cast<std::uint8_t>(1));
    return result(types.boolean(), false);
}

Reg Writer::table(const Type* array, const std::vector<Number>& numbers) {
    const Type* element = types::innermost(array);
    Value contents{array, {}};
    for (Number number : numbers) contents.bytes += valueOf(element, number).bytes;
    emit(Op::Const, array, {}).value = std::move(contents);
    return result(array, true);
}

Reg Writer::operation(Op op, const Type* type, std::vector<Reg> operands) {
    emit(op, type, std::move(operands));
    return result(op >= Op::Eq && op <= Op::Ge ? types.boolean() : type, false);
}

Reg Writer::reference(Reg array, Reg index) {
    const Type* type = made.regs[array].type;
    const Reg extent = integer(type->extent);
    emit(Op::Elem, type->element, {array, index, extent}).checked = false;
    return result(type->element, true);
}

Reg Writer::element(Reg array, Reg index) {
    const Reg ref = reference(array, index);
    const Type* type = made.regs[ref].type;
    emit(Op::LoadAt, type, {ref});
    return result(type, false);
}

void Writer::setElement(Reg array, Reg index, Reg value) {
    const Reg ref = reference(array, index);
    emit(Op::StoreAt, made.regs[ref].type, {ref, value});
}

std::uint32_t Writer::local(const std::string& name, const Type* type) {
    made.locals.push_back({name, type, range});
    const auto id = static_cast<std::uint32_t>(made.locals.size() - 1);
    if (type->isAggregate()) {
        ir::Instr& declare = emit(Op::Declare, type, {});
        declare.var = {ir::Space::Local, id};
        declare.flag = true;
    }
    return id;
}

Reg Writer::address(std::uint32_t id) {
    const Type* type = made.locals[id].type;
    emit(Op::Addr, type, {}).var = {ir::Space::Local, id};
    return result(type, true);
}

Reg Writer::load(std::uint32_t id) {
    const Type* type = made.locals[id].type;
    emit(Op::Load, type, {}).var = {ir::Space::Local, id};
    return result(type, false);
}

void Writer::store(std::uint32_t id, Reg value) {
    emit(Op::Store, made.locals[id].type, {value}).var = {ir::Space::Local, id};
}

Reg Writer::peek(const Type* type, Reg offset) {
    emit(Op::Peek, type, {offset}).checked = false;
    return result(type, false);
}

void Writer::push(const Type* type, Reg value) { emit(Op::Push, type, {value}); }

void Writer::discard(const Type* type) { emit(Op::Discard, type, {}); }

void Writer::finishWith(Reg value) {
    made.result = made.regs[value].type;
    emit(Op::Return, nullptr, {value});
}

ir::BlockId Writer::inBlock(const std::function<void()>& body) {
    made.blocks.emplace_back();
    const ir::BlockId outside = current;
    const auto inside = static_cast<ir::BlockId>(made.blocks.size() - 1);
    current = inside;
    body();
    current = outside;
    return inside;
}

void Writer::loop(std::int64_t count, const std::function<void(Reg)>& body) {
    if (count == 1) return body(integer(0));
    const std::uint32_t counter = local("i" + std::to_string(made.locals.size()), types.intType());
    store(counter, integer(0));
    const ir::BlockId condition = inBlock([&] {
        const Reg i = load(counter);
        const Reg more = operation(Op::Lt, types.intType(), {i, integer(count)});
        emit(Op::Yield, nullptr, {more});
    });
    const ir::BlockId inside = inBlock([&] { body(load(counter)); });
    const ir::BlockId step = inBlock(
        [&] { store(counter, operation(Op::Add, types.intType(), {load(counter), integer(1)})); });
    emit(Op::Loop, nullptr, {}).blocks = {condition, inside, step};
}

}  // namespace strc::linear
