#include "opt/detail/dimension_map.h"

namespace strc::opt {

using ir::Instr;
using ir::Reg;
using types::TensorFn;
using types::TypeKind;

std::optional<std::int64_t> DimensionMap::operand(const Instr& instr, std::size_t k,
                                                  std::int64_t dim, bool isShared) const {
    if (!facts.types[instr.operands[k]]) return std::nullopt;
    const Query query{instr, k, dim, isShared};
    switch (instr.tensor) {
#define FN(Id, name, signature, form, kind, reads, shape, dimensions) \
    case TensorFn::Id: return dimensions(query);
#include "types/tensor_functions.def"
        case TensorFn::Count: break;
    }
    return std::nullopt;
}

std::int64_t DimensionMap::rankOf(Reg tensor) const {
    return facts.types[tensor] ? static_cast<std::int64_t>(facts.types[tensor]->dims.size()) : 0;
}

std::int64_t DimensionMap::extent(Reg tensor, std::int64_t dim) const {
    return facts.types[tensor]->dims[static_cast<std::size_t>(dim)];
}

std::int64_t DimensionMap::dimension(Reg constant, std::int64_t rank) const {
    const std::int64_t dim = facts.constants[constant]->toInt();
    return dim < 0 ? dim + rank : dim;
}

bool DimensionMap::isNumber(Reg constant, std::int64_t number) const {
    const auto& value = facts.constants[constant];
    return value && value->type->is(TypeKind::Int) && value->toInt() == number;
}

DimensionMap::Found DimensionMap::matmul(const Query& query) const {
    const Instr& instr = query.instr;
    const std::size_t k = query.k;
    const std::int64_t dim = query.dim;
    const std::int64_t rank = rankOf(instr.result), own = rankOf(instr.operands[k]);
    if (rankOf(instr.operands[1 - k]) < 2 || own < 2) return std::nullopt;
    if (dim < rank - 2) return aligned(query);
    const bool isRow = dim == rank - 2;
    if (isRow != (k == 0)) return std::nullopt;
    return isRow ? own - 2 : own - 1;
}

DimensionMap::Found DimensionMap::conv(const Query& query) const {
    const Instr& instr = query.instr;
    const std::size_t k = query.k;
    const std::int64_t dim = query.dim;
    const bool isBatched = rankOf(instr.operands[0]) == rankOf(instr.operands[1]);
    if (k == 0 && isBatched && dim == 0) return 0;
    const bool isWhole = isNumber(instr.operands.back(), 1);  // of one group
    if (k == 1 && isWhole && dim == (isBatched ? 1 : 0)) return 0;
    return std::nullopt;
}

/// Heads and the like; not rows, which may see each other.
DimensionMap::Found DimensionMap::attention(const Query& query) const {
    const Instr& instr = query.instr;
    const std::size_t k = query.k;
    const std::int64_t dim = query.dim;
    const std::int64_t rank = rankOf(instr.result);
    const bool isOuter = k < 3 && rankOf(instr.operands[k]) == rank && dim < rank - 2;
    return isOuter ? Found(dim) : std::nullopt;
}

DimensionMap::Found DimensionMap::transposed(const Query& query) const {
    const Instr& instr = query.instr;
    const std::int64_t dim = query.dim;
    const std::int64_t rank = rankOf(instr.result), a = dimension(instr.operands[1], rank),
                       b = dimension(instr.operands[2], rank);
    return dim == a ? b : dim == b ? a : dim;
}

DimensionMap::Found DimensionMap::reduced(const Query& query) const {
    const Instr& instr = query.instr;
    const std::int64_t dim = query.dim;
    if (instr.operands.size() == 1) return std::nullopt;
    const std::int64_t rank = rankOf(instr.operands[0]), at = dimension(instr.operands[1], rank);
    if (rankOf(instr.result) == rank) return dim == at ? std::nullopt : Found(dim);
    return dim < at ? dim : dim + 1;
}

/// Softmax: the last dimension, unless an operand names one.
DimensionMap::Found DimensionMap::normalised(const Query& query) const {
    if (query.instr.operands.size() > 1) return beside(query);
    return query.dim == rankOf(query.instr.result) - 1 ? std::nullopt : Found(query.dim);
}

DimensionMap::Found DimensionMap::permuted(const Query& query) const {
    const Reg named = query.instr.operands[static_cast<std::size_t>(query.dim) + 1];
    return dimension(named, rankOf(query.instr.result));
}

/// Something is done along another dimension, which the first operand of that kind names.
DimensionMap::Found DimensionMap::beside(const Query& query) const {
    const Instr& instr = query.instr;
    const std::string_view signature = types::info(instr.tensor).signature;
    const std::size_t count = instr.operands.size();
    std::size_t named = 0;
    while (!types::isDimension(signature, named, count)) ++named;
    const std::int64_t at = dimension(instr.operands[named], rankOf(instr.operands[0]));
    return query.dim == at ? std::nullopt : Found(query.dim);
}

/// The last dimension is that of the items of a window.
DimensionMap::Found DimensionMap::windows(const Query& query) const {
    return query.dim == rankOf(query.instr.operands[0]) ? std::nullopt : beside(query);
}

/// For each place in the dimensions before it, the elements of an item lie behind each other, so it is any dimension of the
/// operand with the same places before it; of these one with as many items.
DimensionMap::Found DimensionMap::reshaped(const Query& query) const {
    const Instr& instr = query.instr;
    const std::int64_t dim = query.dim;
    std::int64_t before = 1, passed = 1;
    for (std::int64_t d = 0; d < dim; ++d) before *= extent(instr.result, d);
    Found found;
    for (std::int64_t d = 0; d < rankOf(instr.operands[0]); ++d) {
        const std::int64_t items = extent(instr.operands[0], d);
        if (passed == before && items == extent(instr.result, dim)) return d;
        if (passed == before) found = d;
        passed *= items;
    }
    return found;
}

/// Counted from the last one; an operand that all share may stand still along it.
DimensionMap::Found DimensionMap::aligned(const Query& query) const {
    const auto& [instr, k, dim, isShared] = query;
    const Reg operand = instr.operands[k];
    const std::int64_t own = dim - rankOf(instr.result) + rankOf(operand);
    if (own < 0 || (isShared && extent(operand, own) == 1)) return std::nullopt;
    return own;
}

}  // namespace strc::opt
