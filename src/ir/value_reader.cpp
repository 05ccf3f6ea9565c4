#include "ir/detail/value_reader.h"

#include <charconv>
#include <cstring>
#include <limits>

namespace strc::ir::detail {

using types::TypeKind;

namespace {

constexpr std::int64_t kMostValueBytes = std::int64_t{1} << 28;

template <typename T>
void put(char* to, T item) {
    std::memcpy(to, &item, sizeof item);
}

}  // namespace

template <typename Item>
void ValueReader::list(char open, char close, std::int64_t count, Item item) {
    tokens.expect(std::string_view(&open, 1));
    for (std::int64_t k = 0; k < count && !tokens.failed(); ++k) {
        if (k) tokens.expect(",");
        item(k);
    }
    tokens.expect(std::string_view(&close, 1));
}

template <typename Integer>
Integer ValueReader::integer() {
    std::string text = tokens.take(Token::Kind::Number, "a number");
    Integer made = 0;
    std::from_chars(text.data(), text.data() + text.size(), made);
    return made;
}

template <typename Real>
Real ValueReader::real() {
    if (tokens.accept("NaN")) return std::numeric_limits<Real>::quiet_NaN();
    if (tokens.accept("Infinity")) return std::numeric_limits<Real>::infinity();
    if (tokens.accept("-Infinity")) return -std::numeric_limits<Real>::infinity();
    std::string text = tokens.take(Token::Kind::Number, "a number");
    Real made = 0;
    std::from_chars(text.data(), text.data() + text.size(), made);
    return made;
}

void ValueReader::parts(int count, char* to) {
    list('(', ')', count, [&](std::int64_t k) { put(to + 4 * k, real<float>()); });
}

/// Recursion follows the nesting of the type.
void ValueReader::fill(const Type* of, char* to) {
    switch (of->kind) {
        case TypeKind::Array:
            return list('{', '}', of->extent,
                        [&](std::int64_t k) { fill(of->element, to + k * sizeOf(of->element)); });
        case TypeKind::Struct: {
            const auto& members = of->structure->fields;
            return list('{', '}', static_cast<std::int64_t>(members.size()), [&](std::int64_t k) {
                fill(members[static_cast<std::size_t>(k)].type,
                     to + members[static_cast<std::size_t>(k)].offset);
            });
        }
        case TypeKind::Complex: return parts(2, to);
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4: return parts(of->components(), to);
        case TypeKind::Boolean: *to = tokens.word() == "true"; return;
        case TypeKind::Char: *to = tokens.take(Token::Kind::Char, "a character")[0]; return;
        case TypeKind::Bit: *to = static_cast<char>(tokens.number()); return;
        case TypeKind::Float: return put(to, real<float>());
        case TypeKind::Double: return put(to, real<double>());
        case TypeKind::Long: return put(to, integer<std::int64_t>());
        case TypeKind::Int8: return put(to, integer<std::int8_t>());
        case TypeKind::Half:
        case TypeKind::BFloat16: return put(to, integer<std::uint16_t>());
        default: return put(to, integer<std::int32_t>());
    }
}

Value ValueReader::value(const Type* of) {
    if (of && of->is(TypeKind::String))
        return Value::text(of, tokens.take(Token::Kind::String, "a string"));
    if (!of || of->isError() || !types::isConcrete(of) || sizeOf(of) > kMostValueBytes) {
        tokens.fail("a value of a concrete type");
        return {};
    }
    Value made = Value::zero(of);
    fill(of, made.bytes.data());
    return made;
}

}  // namespace strc::ir::detail
