#pragma once
/// Scaled dot-product attention that is told as a whole: softmax(q k^T scale + mask) v. An `if` whose condition is true and that
/// has more operands says that its block computes it: refs to the result, queries, keys and values, then to the mask if
/// there is one. Who knows how may do all of it at once and leave the block out; others do the block, which is the meaning but
/// for the order of sums. What it says stands in Instr::value.

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

/// Steps of a loop in the arrays, in elements of float.
struct AttentionLoop {
    std::int32_t trips = 1;
    std::int32_t out = 0, query = 0, key = 0, value = 0, mask = 0;
    bool operator==(const AttentionLoop&) const = default;
};

struct Attention {
    float scale = 1;
    bool isCausal = false;  ///< no query sees a key with a greater number
    bool hasMask = false;  ///< an array that is added to the scaled products
    AttentionLoop first;  ///< the first elements; one iteration
    AttentionLoop queries, keys, width, values;
    std::vector<AttentionLoop> outer;  ///< heads, batches: attentions that are independent
    bool operator==(const Attention&) const = default;
};

/// None: it is no such instruction.
std::optional<Attention> attentionOf(const Instr&);
/// Is there such a one?
bool tellsAttention(const Body&);
/// The value of the instruction, a table of ints: causal plus 2 if there is a mask, and the first elements; the scale's bits;
/// queries, keys, width, values; the loops around. Each row has trips, then the steps.
Value toValue(const Attention&, types::TypeTable&);

/// Do all places lie inside of arrays of these lengths, in the order of the operands?
bool fits(const Attention&, const std::vector<std::int64_t>& lengths);

}  // namespace strc::ir
