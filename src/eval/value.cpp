// Scalars between slots, Values and text; the code as text.

#include <cstring>

#include <fmt/format.h>

#include "eval/detail/code.h"

namespace strc::eval {

using types::TypeKind;

std::string_view operands(Code32 code) {
    static constexpr std::string_view table[] = {
#define X(Name, operands) operands,
#include "eval/opcodes.def"
#undef X
    };
    return table[static_cast<std::size_t>(code)];
}

std::string format(const Slot* slot, TypeKind kind, bool cFormat) {
    switch (kind) {
        case TypeKind::Boolean: return slot->i ? "true" : "false";
        case TypeKind::Bit:
        case TypeKind::Int: return std::to_string(slot->i);
        case TypeKind::Char: return std::string(1, static_cast<char>(slot->i));
        case TypeKind::Portal: return "portal" + std::to_string(slot->i);
        case TypeKind::Float: return types::formatFloat(slot->f, cFormat);
        case TypeKind::Double: return types::formatDouble(slot->d, cFormat);
        case TypeKind::Complex:
            return types::formatComplex(slot->parts[0], slot->parts[1], cFormat);
        case TypeKind::String: return slot->text ? *slot->text : std::string();
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4:
        case TypeKind::Error:
        case TypeKind::Void:
        case TypeKind::Array:
        case TypeKind::Struct:
        case TypeKind::Tensor:
        case TypeKind::Vector:
        case TypeKind::Int8:
        case TypeKind::Long:
        case TypeKind::Half:
        case TypeKind::BFloat16: break;
    }
    STRC_UNREACHABLE("text of something that is not printed");
}

Value toValue(const Slot* slot, const Type* type) {
    if (type->is(TypeKind::String))
        return Value::text(type, slot->text ? *slot->text : std::string());
    auto size = static_cast<std::size_t>(types::sizeOf(type));
    Value value = Value::zero(type);
    if (size == 1)
        value.bytes[0] = static_cast<char>(slot->i);
    else
        std::memcpy(value.bytes.data(), slot, size);
    return value;
}

void fromValue(Slot* slot, const Value& value, const std::string* text) {
    slot->bits = 0;
    if (value.type->is(TypeKind::String))
        slot->text = text;
    else if (value.bytes.size() == 1)
        slot->i = static_cast<unsigned char>(value.bytes[0]);
    else
        std::memcpy(static_cast<void*>(slot), value.bytes.data(), value.bytes.size());
}

namespace {

constexpr const char* kNames[] = {
#define X(Name, operands) #Name,
#include "eval/opcodes.def"
#undef X
};

std::string operandText(char letter, std::uint32_t word, std::size_t at) {
    switch (letter) {
        case 'i': return fmt::format("{}", static_cast<std::int32_t>(word));
        case 'f': {
            float value;
            std::memcpy(&value, &word, sizeof value);
            return types::formatFloat(value);
        }
        case 'j':
            return fmt::format("->{}",
                               static_cast<std::int64_t>(at) + static_cast<std::int32_t>(word));
        case 'n': return fmt::format("#{}", word);
        default:
            return word == kState ? "state" : word == kFrame ? "frame" : fmt::format("${}", word);
    }
}

}  // namespace

std::string disassemble(const Code& code) {
    std::string text;
    for (const Function& function : code.functions) {
        text += fmt::format("{}: {} slots\n", function.body->name, function.slots);
        for (std::size_t at = 0; at < function.code.size();) {
            std::uint32_t number = function.code[at];
            std::string line = fmt::format("{:5} {}", at, kNames[number]);
            std::size_t word = at + 1;
            for (char letter : operands(static_cast<Code32>(number)))
                line += ' ' + operandText(letter, function.code[word++], at);
            text += line + '\n';
            at = word;
        }
    }
    return text;
}

}  // namespace strc::eval
