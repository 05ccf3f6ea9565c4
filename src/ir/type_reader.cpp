#include "ir/detail/type_reader.h"

#include <utility>

namespace strc::ir::detail {

using types::TypeKind;

namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
constexpr std::int64_t kMostLanes = 1024;

/// No product of them is too large to count with.
bool areFew(const std::vector<std::int64_t>& extents) {
    std::int64_t product = 1;
    for (const std::int64_t extent : extents)
        if (extent > 0 &&
            (__builtin_mul_overflow(product, extent, &product) || product > kMostElements))
            return false;
    return true;
}

}  // namespace

const Type* TypeReader::type() {
    if (tokens.accept("tensor")) return tensorType();
    const Type* inner = baseType(tokens.word());
    std::vector<std::int64_t> bounds;
    while (!tokens.failed() && tokens.accept("[")) {
        bounds.push_back(extent("?"));
        tokens.expect("]");
    }
    if (!areFew(bounds)) tokens.fail("a smaller type");
    for (auto bound = bounds.rbegin(); bound != bounds.rend(); ++bound)
        inner = types.array(inner, *bound);
    return inner;
}

Variable TypeReader::variable() {
    std::string name = plainName(tokens.displayName());
    tokens.expect(":");
    return {name, type(), {}};
}

void TypeReader::structure() {
    std::string name = tokens.word();
    const Type* made = types.structure(names.intern(name), {});
    tokens.expect("{");
    while (!tokens.failed() && !tokens.accept("}")) {
        const Type* fieldType = type();
        made->structure->fields.push_back({names.intern(tokens.word()), fieldType, 0, {}});
    }
    if (!tokens.failed()) types.complete(*made->structure);
    structs[name] = made;
}

std::int64_t TypeReader::extent(std::string_view open) {
    return tokens.accept(open) ? types::kDynamic : static_cast<std::int64_t>(tokens.number());
}

const Type* TypeReader::tensorType() {
    const Type* element = nullptr;
    if (tokens.accept("<")) {
        element = baseType(tokens.word());
        tokens.expect(">");
    }
    if (!tokens.accept("[")) return types.tensor(element);
    std::vector<std::int64_t> dims;
    while (!tokens.failed() && !tokens.accept("]")) {
        if (!dims.empty()) tokens.expect(",");
        dims.push_back(extent("_"));
    }
    if (!areFew(dims)) tokens.fail("a smaller type");
    return types.tensor(element, std::move(dims));
}

const Type* TypeReader::baseType(const std::string& name) {
    if (name == "vector") {
        tokens.expect("<");
        const Type* element = baseType(tokens.word());
        tokens.expect(",");
        const auto lanes = static_cast<std::int64_t>(tokens.number());
        tokens.expect(">");
        if (lanes < 1 || lanes > kMostLanes) tokens.fail("a number of lanes");
        return types.vector(element, lanes);
    }
    if (name == "portal") {
        tokens.expect("<");
        const Type* portal = types.portal(names.intern(tokens.word()));
        tokens.expect(">");
        return portal;
    }
    for (int kind = 0; kind <= static_cast<int>(TypeKind::BFloat16); ++kind) {
        const Type* scalar = types.scalar(static_cast<TypeKind>(kind));
        if (scalar && types::toString(scalar) == name) return scalar;
    }
    auto found = structs.find(name);
    if (found != structs.end()) return found->second;
    tokens.fail("a type");
    return types.error();
}

}  // namespace strc::ir::detail
