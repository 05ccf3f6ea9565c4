#include "tensor/detail/rule_operands.h"

#include <fmt/format.h>

namespace strc::tensor {

using types::TypeKind;

namespace {

/// Within a category, the wider one.
int width(const Type* element) {
    switch (element->kind) {
        case TypeKind::Int8: return 1;
        case TypeKind::Int: return 2;
        case TypeKind::Long: return 3;
        case TypeKind::Half:
        case TypeKind::BFloat16: return 1;
        case TypeKind::Float: return 2;
        case TypeKind::Double: return 3;
        default: return 0;
    }
}

}  // namespace

int category(const Type* element) {
    switch (element->kind) {
        case TypeKind::Boolean: return 0;
        case TypeKind::Int8:
        case TypeKind::Int:
        case TypeKind::Long: return 1;
        default: return 2;
    }
}

const Type* wider(const Type* a, const Type* b, types::TypeTable& types) {
    if (category(a) != category(b)) return category(a) > category(b) ? a : b;
    if (width(a) != width(b)) return width(a) > width(b) ? a : b;
    return a == b ? a : types.floatType();  // half and bfloat16
}

Shaped RuleOperands::shaped(const Type* type) {
    if (type && countElements(type) > INT32_MAX) {
        fail("the result has more than 2147483647 elements");
        type = nullptr;
    }
    return {why.empty() ? type : nullptr, why, isOfRun};
}

const Type* RuleOperands::fail(std::string sentence) {
    if (why.empty()) why = std::move(sentence);
    return nullptr;
}

const Type* RuleOperands::elementOf(const Type* scalar) const {
    return scalar->is(TypeKind::Bit) ? types.intType() : scalar;
}

const Type* RuleOperands::real(std::size_t k) const {
    return category(element(k)) == 2 ? element(k) : types.floatType();
}

const Type* RuleOperands::common(std::size_t a, std::size_t b) const {
    return promoted(input(a), input(b), types);
}

std::int64_t RuleOperands::known(std::size_t k) {
    if (operands[k].constant) return operands[k].constant->toInt();
    isOfRun = isOfRun || why.empty();
    fail(fmt::format(
        "operand {} decides on the shape and is not known when the program is compiled", k + 1));
    return 0;
}

std::size_t RuleOperands::dimensionAt(std::size_t k, std::size_t rank) {
    const std::int64_t value = known(k);
    if (auto found = dimension(value, rank)) return *found;
    fail(fmt::format("there is no dimension {} in {}", value,
                     rank == 0 ? "a tensor without dimensions"
                               : fmt::format("{} dimension{}", rank, rank == 1 ? "" : "s")));
    return 0;
}

Dims RuleOperands::extents(std::size_t first) {
    Dims result;
    for (std::size_t k = first; k < operands.size(); ++k) {
        result.push_back(known(k));
        if (why.empty() && result.back() < 0) fail(fmt::format("{} is no extent", result.back()));
    }
    return result;
}

const Type* RuleOperands::summed() const {
    return category(element(0)) == 2 ? element(0) : types.scalar(TypeKind::Long);
}

std::int64_t RuleOperands::swept(std::int64_t extent, std::int64_t kernel, std::int64_t stride,
                                 std::int64_t dilation) {
    if (stride < 1 || dilation < 1) {
        fail("strides and dilations are at least 1");
        return 0;
    }
    const std::int64_t reach = dilation * (kernel - 1) + 1;
    if (kernel < 1 || reach > extent) {
        fail(fmt::format("a window of {} does not fit into {}", reach, extent));
        return 0;
    }
    return (extent - reach) / stride + 1;
}

void RuleOperands::checkPart(std::int64_t count, std::int64_t extent, std::size_t at,
                             std::size_t first) {
    const std::int64_t from = operands[first].constant ? operands[first].constant->toInt() : 0;
    if (count < 0 || from < 0 || from + count > extent)
        fail(fmt::format("{} items from {} on do not lie in the {} items of dimension {}", count,
                         from, extent, at));
}

}  // namespace strc::tensor
