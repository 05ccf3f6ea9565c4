#include "io/detail/numbers.h"

#include <algorithm>
#include <cstring>

#include "types/math.h"

namespace strc::io {

using base::Diag;
using base::Result;
using types::Type;
using types::TypeKind;

namespace {

/// Fields that are numbers of one kind, one after the other.
std::optional<Numbers> numbersOfStruct(const Type* item) {
    Numbers all;
    for (const types::StructField& field : item->structure->fields) {
        const std::optional<Numbers> numbers = numbersOf(field.type);
        if (!numbers) return std::nullopt;
        if (all.count == 0) all = {numbers->kind, numbers->size, 0};
        if (all.kind != numbers->kind ||
            static_cast<std::uint64_t>(field.offset) != all.count * all.size)
            return std::nullopt;
        all.count += numbers->count;
    }
    const auto size = static_cast<std::uint64_t>(types::sizeOf(item));
    if (all.count == 0 || size != all.count * all.size) return std::nullopt;
    return all;
}

}  // namespace

std::optional<Numbers> numbersOf(const Type* item) {
    const Type* one = types::innermost(item);
    TypeKind kind = one->kind;
    std::uint64_t perElement = 1;
    switch (one->kind) {
        case TypeKind::Struct: {
            const std::optional<Numbers> numbers = numbersOfStruct(one);
            if (!numbers) return std::nullopt;
            kind = numbers->kind;
            perElement = numbers->count;
            break;
        }
        case TypeKind::Boolean:
        case TypeKind::Bit:
        case TypeKind::Int:
        case TypeKind::Float:
        case TypeKind::Double:
        case TypeKind::Complex: break;
        case TypeKind::Float2:
        case TypeKind::Float3:
        case TypeKind::Float4:
            kind = TypeKind::Float;
            perElement = static_cast<std::uint64_t>(one->components());
            break;
        default: return std::nullopt;
    }
    auto elementSize = static_cast<std::uint64_t>(types::sizeOf(one));
    std::uint64_t elements = static_cast<std::uint64_t>(types::sizeOf(item)) / elementSize;
    if (elements == 0) return std::nullopt;
    return Numbers{kind, elementSize / perElement, elements * perElement};
}

std::uint64_t samplesOf(const Type* item) {
    const std::optional<Numbers> numbers = numbersOf(item);
    if (!numbers) return 0;
    return numbers->kind == TypeKind::Complex ? 2 * numbers->count : numbers->count;
}

namespace {

template <typename T>
void put(std::byte* to, T value) {
    std::memcpy(to, &value, sizeof value);
}

template <typename T>
T get(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

bool storeInt(const Number& number, std::byte* to) {
    if (number.exact && (number.integer < INT32_MIN || number.integer > UINT32_MAX)) return false;
    put(to, number.exact ? types::wrap(number.integer) : types::toInt(number.real));
    return true;
}

}  // namespace

bool store(const Number& number, TypeKind kind, std::byte* to) {
    switch (kind) {
        case TypeKind::Boolean:
        case TypeKind::Bit:
            if (number.real != 0 && number.real != 1) return false;
            put(to, static_cast<std::uint8_t>(number.real));
            return true;
        case TypeKind::Int: return storeInt(number, to);
        case TypeKind::Float: put(to, static_cast<float>(number.real)); return true;
        case TypeKind::Double: put(to, number.real); return true;
        case TypeKind::Complex:
            put(to, static_cast<float>(number.real));
            put(to + sizeof(float), static_cast<float>(number.imag));
            return true;
        default: STRC_UNREACHABLE("not a number");
    }
}

Number load(TypeKind kind, const std::byte* from) {
    switch (kind) {
        case TypeKind::Boolean:
        case TypeKind::Bit: return ofInteger(get<std::uint8_t>(from));
        case TypeKind::Int: return ofInteger(get<std::int32_t>(from));
        case TypeKind::Float: return ofReal(get<float>(from));
        case TypeKind::Double: return ofReal(get<double>(from));
        case TypeKind::Complex:
            return {get<float>(from), get<float>(from + sizeof(float)), 0, false};
        default: STRC_UNREACHABLE("not a number");
    }
}

Result<std::size_t> NumberReader::read(std::byte* to, std::size_t count) {
    const std::size_t itemSize = item.size * item.count;
    std::size_t have = part.size();  // bytes at `to`
    std::copy(part.begin(), part.end(), to);
    part.clear();
    do {
        Result<std::size_t> got = readNumbers(to + have, (count * itemSize - have) / item.size);
        if (!got) return got.failure();
        if (*got == 0) break;
        have += *got * item.size;
    } while (have < itemSize);
    std::size_t whole = have / itemSize;
    part.assign(to + whole * itemSize, to + have);
    if (whole == 0 && !any) return noItems(*source);
    any = true;
    return whole;
}

Result<std::size_t> noItems(const Source& source) {
    if (source.interrupted()) return std::size_t{0};
    return base::failure(Diag::EmptyInput, {source.name()});
}

}  // namespace strc::io
