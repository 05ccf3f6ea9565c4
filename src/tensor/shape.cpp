#include "tensor/shape.h"

#include "base/assert.h"
#include "tensor/detail/shape_rules.h"

namespace strc::tensor {

const Type* promoted(const Type* a, const Type* b, types::TypeTable& types) {
    const bool isWeakA = a->dims.empty() && !b->dims.empty();
    const bool isWeakB = b->dims.empty() && !a->dims.empty();
    if (isWeakA && category(a->element) <= category(b->element)) return b->element;
    if (isWeakB && category(b->element) <= category(a->element)) return a->element;
    return wider(a->element, b->element, types);
}

std::optional<Dims> broadcast(const Dims& a, const Dims& b) {
    const Dims& longer = a.size() >= b.size() ? a : b;
    const Dims& shorter = a.size() >= b.size() ? b : a;
    Dims result = longer;
    const std::size_t shift = longer.size() - shorter.size();
    for (std::size_t k = 0; k < shorter.size(); ++k) {
        std::int64_t& extent = result[k + shift];
        if (extent == shorter[k] || shorter[k] == 1) continue;
        if (extent != 1) return std::nullopt;
        extent = shorter[k];
    }
    return result;
}

std::optional<std::size_t> dimension(std::int64_t value, std::size_t rank) {
    const auto count = static_cast<std::int64_t>(rank);
    if (value < 0) value += count;
    if (value < 0 || value >= count) return std::nullopt;
    return static_cast<std::size_t>(value);
}

std::string toString(const Dims& dims) {
    if (dims.empty()) return "no dimensions";
    std::string text;
    for (std::int64_t extent : dims) text += (text.empty() ? "" : "x") + std::to_string(extent);
    return text;
}

namespace {

template <typename Rules>
Shaped apply(Rules rules, const Type* (Rules::*rule)()) {
    return rules.shaped((rules.*rule)());
}

}  // namespace

Shaped resultOf(const ir::Instr& instr, std::span<const Operand> operands,
                types::TypeTable& types) {
    switch (instr.tensor) {
#define FN(Id, name, signature, form, kind, reads, shape, dimensions) \
    case types::TensorFn::Id:                                         \
        return apply(kind##Rules(instr, operands, types), &kind##Rules::shape);
#include "types/tensor_functions.def"
        case types::TensorFn::Count: break;
    }
    STRC_UNREACHABLE("operation on tensors");
}

}  // namespace strc::tensor
