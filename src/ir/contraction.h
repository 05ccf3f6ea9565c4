#pragma once
/// Op::Contract: products of matrices, convolutions and whatever else is a sum of products over loops in
/// which all places are affine. For each place of the result: its element is set to the sum, over the
/// loops without a step in it, of a * b; in any order, and with or without rounding of the products.
/// Factors may be of a type that memory alone has (types/tensor_elements.h): int8 for sums of ints and floats, half and bfloat16
/// for sums of floats. Sums of ints wrap, and are exact otherwise.
/// An epilogue may follow before it is written: elements of up to two more arrays are added (a bias, a residual),
/// and what lies outside of two bounds becomes the bound (relu: 0 and infinity).
/// A convolution says which loops move its windows and which go along in them, so a library gets what the program had.
/// It may say which parts threads are to do side by side. Neither changes anything about the result.
/// The loops stand in Instr::value.

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

constexpr std::size_t kMostAddends = 2;

struct ContractionLoop {
    std::int32_t trips = 0;
    std::int32_t out = 0, a = 0, b = 0;  ///< steps, in elements
    std::array<std::int32_t, kMostAddends> added = {};  ///< those in the addends
};

/// Numbers that are none stay.
struct Bounds {
    float low = -std::numeric_limits<float>::infinity();
    float high = std::numeric_limits<float>::infinity();
    bool areAny() const { return *this != Bounds{}; }
    bool operator==(const Bounds&) const = default;
};

/// Parts of so many iterations of a loop: of the result, or of the sums, which are then added part by part.
struct LoopParts {
    std::size_t loop = 0;
    std::int32_t trips = 1;
    /// Processes leave their parts of the result where they are; or, of the sums, have no more of the first factor than their parts.
    bool isPaired = false;
};

/// A dimension in which windows are cut from operand a. A loop of one iteration is not there.
struct Window {
    std::optional<std::size_t> place;  ///< the loop from window to window
    std::optional<std::size_t> tap;  ///< the loop inside of a window
    std::int32_t step = 1;  ///< from item to item of the dimension, in elements of a
    bool operator==(const Window&) const = default;
};

struct Contraction {
    std::int32_t out = 0, a = 0, b = 0;  ///< the first elements
    std::vector<ContractionLoop>
        loops;  ///< outermost first; no two of them reach one place of the result
    std::size_t addends = 0;  ///< operands behind the three
    std::array<std::int32_t, kMostAddends> added = {};  ///< their first elements
    Bounds bounds = {};
    std::optional<LoopParts> parts = std::nullopt;  ///< none: code generation decides
    std::vector<Window> windows =
        {};  ///< of a convolution, outermost first; none: a product of matrices

    /// More than the sum of products, which is all that libraries may know.
    bool hasEpilogue() const { return addends > 0 || bounds.areAny(); }
};

Contraction contractionOf(const Instr&);
/// Is there such a one?
bool contracts(const Body&, bool (*how)(const Contraction&));
/// The value for an instruction, a table of ints: 1 if there are bounds plus 2 if there are parts plus 4 for each window, and
/// the first elements; the loops; the windows (loop of the places, loop of the taps, step; -1: no loop); the bits of the bounds;
/// loop and iterations of the parts. Each row has 4 columns and one for each addend.
Value toValue(const Contraction&, types::TypeTable&);

/// Without loops of one iteration, which change nothing; windows and parts name the others.
void dropSingleLoops(Contraction&);
/// The same with operands a and b in each other's place; windows, which are cut from a, are forgotten.
Contraction swapped(Contraction);
/// Does an iteration of `before` lead as far as all iterations of `loop`, in the result and in all operands?
bool follows(const ContractionLoop& before, const ContractionLoop& loop);

/// The product of all iterations.
std::int64_t countProducts(const Contraction&);
/// Do all places lie inside of arrays of these lengths?
bool fits(const Contraction&, std::int64_t out, std::int64_t a, std::int64_t b,
          std::span<const std::int64_t> addends = {});

}  // namespace strc::ir
