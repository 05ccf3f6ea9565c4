#include "symbolic/moves.h"

#include <cstring>

#include "types/tensor_text.h"

namespace strc::symbolic {

using tensor::Operand;
using types::TensorFn;
using types::Type;
using types::TypeKind;

namespace {

/// Of a tensor, seen as rows of what lies behind a dimension.
struct Rows {
    std::int64_t count = 1;
    std::size_t bytes = 0;  ///< of an item of the dimension
};

Rows rowsOf(const Type* type, std::size_t dimension) {
    Rows rows;
    for (std::size_t d = 0; d < dimension; ++d) rows.count *= type->dims[d];
    const std::int64_t items = rows.count * type->dims[dimension];
    const auto all = static_cast<std::size_t>(types::bytesInMemory(type));
    rows.bytes = items == 0 ? 0 : all / static_cast<std::size_t>(items);
    return rows;
}

std::size_t bytesOf(const Rows& rows, std::int64_t items) {
    return rows.bytes * static_cast<std::size_t>(items);
}

bool narrow(std::span<const Operand> operands, const std::byte* from, const Type* result,
            std::byte* to) {
    const Type* type = operands[0].type;
    const auto d = *tensor::dimension(operands[1].constant->toInt(), type->dims.size());
    const std::int64_t first = operands[2].constant->toInt(), items = result->dims[d];
    if (first < 0 || first + items > type->dims[d]) return false;
    const Rows rows = rowsOf(type, d);
    const std::size_t step = bytesOf(rows, type->dims[d]), size = bytesOf(rows, items);
    from += bytesOf(rows, first);
    for (std::int64_t k = 0; k < rows.count; ++k, from += step, to += size)
        std::memcpy(to, from, size);
    return true;
}

bool concat(std::span<const Operand> operands, std::span<const std::byte* const> places,
            const Type* result, std::byte* to) {
    const auto d = *tensor::dimension(operands.back().constant->toInt(), result->dims.size());
    const Rows rows = rowsOf(result, d);
    const std::size_t step = bytesOf(rows, result->dims[d]);
    for (std::size_t k = 0; k + 1 < operands.size(); ++k) {
        const Type* type = operands[k].type;
        const bool isAlike = type->is(TypeKind::Tensor) && type->element == result->element &&
                             type->dims.size() == result->dims.size();
        if (!isAlike) return false;
        const std::size_t size = bytesOf(rows, type->dims[d]);
        const std::byte* from = places[k];
        for (std::int64_t row = 0; row < rows.count && size > 0; ++row, from += size)
            std::memcpy(to + static_cast<std::size_t>(row) * step, from, size);
        to += size;
    }
    return true;
}

}  // namespace

bool canMove(TensorFn fn) {
    switch (fn) {
        case TensorFn::Reshape:
        case TensorFn::Flatten:
        case TensorFn::Squeeze:
        case TensorFn::Unsqueeze:
        case TensorFn::Narrow:
        case TensorFn::Concat: return true;
        default: return false;
    }
}

bool moveRuns(const ir::Instr& instr, std::span<const Operand> operands,
              std::span<const std::byte* const> places, const Type* result, std::byte* to) {
    if (!operands[0].type->is(TypeKind::Tensor)) return false;
    const auto size = static_cast<std::size_t>(types::bytesInMemory(result));
    if (instr.tensor == TensorFn::Concat) return concat(operands, places, result, to);
    if (instr.tensor == TensorFn::Narrow)
        return size > 0 && narrow(operands, places[0], result, to);
    if (size > 0) std::memcpy(to, places[0], size);
    return true;
}

}  // namespace strc::symbolic
