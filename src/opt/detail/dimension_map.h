#pragma once
/// Which items of its operands an operation on tensors makes the items of a dimension of its result of.

#include <cstdint>
#include <optional>

#include "opt/detail/tensor_body.h"

namespace strc::opt {

/// Of a body with those facts.
class DimensionMap {
public:
    explicit DimensionMap(const TensorFacts& known) : facts(known) {}

    /// The dimension of operand `k` that goes along with dimension `dim` of the result: item i there is made of item i
    /// here, and with more items here there are more there, before or behind, which change nothing. None: all need the
    /// same of it, or nobody knows. `isShared`: the operand is one value, whatever the items are.
    std::optional<std::int64_t> operand(const ir::Instr&, std::size_t k, std::int64_t dim,
                                        bool isShared) const;

    std::int64_t rankOf(ir::Reg) const;
    std::int64_t extent(ir::Reg tensor, std::int64_t dim) const;
    /// A dimension that an operand names, of so many.
    std::int64_t dimension(ir::Reg constant, std::int64_t rank) const;
    bool isNumber(ir::Reg, std::int64_t) const;

private:
    using Found = std::optional<std::int64_t>;
    /// What an operation is asked: the arguments of `operand`.
    struct Query {
        const ir::Instr& instr;
        std::size_t k;
        std::int64_t dim;
        bool isShared;
    };
    // The column `dimensions` of types/tensor_functions.def names these.
    Found aligned(const Query&) const;
    Found reshaped(const Query&) const;
    Found transposed(const Query&) const;
    Found permuted(const Query&) const;
    Found matmul(const Query&) const;
    Found conv(const Query&) const;
    Found attention(const Query&) const;
    Found reduced(const Query&) const;
    Found normalised(const Query&) const;
    Found beside(const Query&) const;
    Found windows(const Query&) const;
    Found unknown(const Query&) const { return std::nullopt; }

    const TensorFacts& facts;
};

}  // namespace strc::opt
