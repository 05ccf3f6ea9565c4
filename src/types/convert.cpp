#include "types/convert.h"

#include "types/math.h"

namespace strc::types {
namespace {

std::optional<double> number(const Value& value) {
    switch (value.type->kind) {
        case TypeKind::Bit:
        case TypeKind::Int: return static_cast<double>(value.toInt());
        case TypeKind::Float: return value.as<float>();
        case TypeKind::Double: return value.as<double>();
        default: return std::nullopt;
    }
}

}  // namespace

std::optional<Value> convertImplicitly(const Value& value, const Type* target) {
    if (value.type == target) return value;
    std::optional<double> from = number(value);
    if (!from) return std::nullopt;
    if (target->is(TypeKind::Bit) && (*from == 0 || *from == 1) && value.type->is(TypeKind::Int))
        return Value::of(target, static_cast<std::uint8_t>(*from));
    if (value.type->kind > target->kind) return std::nullopt;
    switch (target->kind) {
        case TypeKind::Int: return Value::of(target, static_cast<std::int32_t>(*from));
        case TypeKind::Float: return Value::of(target, static_cast<float>(*from));
        case TypeKind::Double: return Value::of(target, *from);
        case TypeKind::Complex: return Value::of(target, Complex(static_cast<float>(*from), 0));
        default: return std::nullopt;
    }
}

}  // namespace strc::types
