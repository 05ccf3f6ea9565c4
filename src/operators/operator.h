#pragma once
/// Sums of products (ir/contraction.h) in the form in which libraries take them: the product of matrices or the convolution
/// that the contraction says it is. Tensors are rows of extents with steps, so transposed, sliced and strided operands are no
/// copies.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/contraction.h"

namespace strc::operators {

/// STRC_KERNEL_RANK
constexpr std::size_t kMostRank = 6;

/// Extents and steps in elements, outermost dimension first.
struct View {
    std::int64_t first = 0;
    std::vector<std::int64_t> extents, steps;
};

enum class OperatorKind : std::uint8_t {
    Matmul,  ///< [..., m, k] x [..., k, n]: [..., m, n]; an extent of 1 among the first ones is broadcast
    Convolution  ///< [n, channels, ...] with [(groups,) outputs, inputs, ...], without padding
};

struct Operator {
    OperatorKind kind = OperatorKind::Matmul;
    bool isSwapped = false;  ///< the source is the contraction's operand b, and the weights a
    View source, weights, result;
    std::vector<std::int64_t> strides,
        dilations;  ///< Convolution: of the dimensions from the third on

    bool hasGroups() const { return weights.extents.size() > source.extents.size(); }
};

/// A convolution whose windows have one item each is a product of matrices. `storedB`: b never changes, so it had better be the
/// weights of a product; likewise a. Empty: libraries do not take operands that lie like these.
std::optional<Operator> operatorOf(const ir::Contraction&, bool storedA, bool storedB);

/// "matmul 8x512 512x256", "convolution 1x3x8x8 4x3x3x3"
std::string print(const Operator&);

}  // namespace strc::operators
