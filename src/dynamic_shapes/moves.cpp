#include "dynamic_shapes/detail/moves.h"

#include <algorithm>
#include <cstring>

#include "types/tensor_text.h"

namespace strc::dynamic_shapes {

using tensor::Operand;
using types::TensorFn;
using types::Type;
using types::TypeKind;

namespace {

/// A tensor as rows: each has the elements of all dimensions behind a given one.
struct Rows {
    std::int64_t count = 1;
    std::size_t bytes = 0;  ///< of an item of the dimension
};

Rows rowsOf(const Type* type, std::size_t dimension) {
    Rows rows;
    for (std::size_t d = 0; d < dimension; ++d) rows.count *= type->dims[d];
    const std::int64_t items = rows.count * type->dims[dimension];
    const auto all = static_cast<std::size_t>(types::sizeOf(type));
    rows.bytes = items == 0 ? 0 : all / static_cast<std::size_t>(items);
    return rows;
}

std::size_t bytesOf(const Rows& rows, std::int64_t items) {
    return rows.bytes * static_cast<std::size_t>(items);
}

void narrow(std::span<const Operand> operands, const std::byte* from, const Type* result,
            std::byte* to) {
    const Type* type = operands[0].type;
    const auto d = *tensor::dimension(operands[1].constant->toInt(), type->dims.size());
    const Rows rows = rowsOf(type, d);
    const std::size_t step = bytesOf(rows, type->dims[d]), size = bytesOf(rows, result->dims[d]);
    from += bytesOf(rows, operands[2].constant->toInt());
    for (std::int64_t k = 0; k < rows.count && size > 0; ++k, from += step, to += size)
        std::memcpy(to, from, size);
}

void concat(std::span<const Operand> operands, std::span<const std::byte* const> places,
            const Type* result, std::byte* to) {
    const auto d = *tensor::dimension(operands.back().constant->toInt(), result->dims.size());
    const Rows rows = rowsOf(result, d);
    const std::size_t step = bytesOf(rows, result->dims[d]);
    for (std::size_t k = 0; k + 1 < operands.size(); ++k) {
        const std::size_t size = bytesOf(rows, operands[k].type->dims[d]);
        const std::byte* from = places[k];
        for (std::int64_t row = 0; row < rows.count && size > 0; ++row, from += size)
            std::memcpy(to + static_cast<std::size_t>(row) * step, from, size);
        to += size;
    }
}

}  // namespace

bool canMove(TensorFn fn, std::span<const Operand> operands, const Type* result) {
    auto isAlike = [result](const Operand& operand) {
        return operand.type->is(TypeKind::Tensor) && operand.type->element == result->element;
    };
    switch (fn) {
        case TensorFn::Reshape:
        case TensorFn::Flatten:
        case TensorFn::Squeeze:
        case TensorFn::Unsqueeze:
        case TensorFn::Narrow: return isAlike(operands[0]);
        case TensorFn::Concat: return std::all_of(operands.begin(), operands.end() - 1, isAlike);
        default: return false;
    }
}

void moveRuns(TensorFn fn, std::span<const Operand> operands,
              std::span<const std::byte* const> places, const Type* result, std::byte* to) {
    if (fn == TensorFn::Concat) return concat(operands, places, result, to);
    if (fn == TensorFn::Narrow) return narrow(operands, places[0], result, to);
    const auto size = static_cast<std::size_t>(types::sizeOf(result));
    if (size > 0) std::memcpy(to, places[0], size);
}

}  // namespace strc::dynamic_shapes
