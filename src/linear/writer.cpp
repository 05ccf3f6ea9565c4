#include "linear/detail/writer.h"

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

Writer::Writer(types::TypeTable& table, base::SourceRange from) : ir::Writer(table) {
    range = from;
    body.name = "work";
    body.kind = ir::BodyKind::Work;
    body.range = body.header = from;
}

Reg Writer::constant(const Type* type, Number number) { return constant(valueOf(type, number)); }

Reg Writer::table(const Type* array, const std::vector<Number>& numbers) {
    const Type* element = types::innermost(array);
    Value contents{array, {}};
    for (Number number : numbers) contents.bytes += valueOf(element, number).bytes;
    return constant(std::move(contents));
}

Reg Writer::peek(const Type* type, Reg offset) {
    emit(Op::Peek, type, {offset}).checked = false;
    return result(type, false);
}

void Writer::push(const Type* type, Reg value) { emit(Op::Push, type, {value}); }

void Writer::discard(const Type* type) { emit(Op::Discard, type, {}); }

void Writer::finishWith(Reg value) {
    body.result = body.regs[value].type;
    emit(Op::Return, nullptr, {value});
}

}  // namespace strc::linear
