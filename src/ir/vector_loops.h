#pragma once
/// Loops of which several iterations can run at once, one in each lane of a vector: no iteration reads what another one
/// wrote, each pushes one item, and inside of it is a loop that sums up real numbers. Each addition of such a sum depends on
/// the one before, and their order must not change; with several sums side by side in vectors it does not.
/// (Vectorisation of outer loops: Nuzman and Zaks, PACT 2008.)
/// In: a specialised work body. Out: the loops, outermost first, with what differs between iterations.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "ir/varying.h"

namespace strc::ir {

struct VectorLoop {
    BlockId body = kNone;  ///< of the loop
    std::uint32_t counter = kNone;  ///< the local that counts iterations, by 1
    std::int32_t end = 0;  ///< the loop goes on while it is less
    bool isNested = false;  ///< in another loop
    Varying facts;  ///< what differs between neighbouring iterations
    /// By register, of ints that vary: by how much each iteration has more than the one before, if that is constant.
    std::vector<std::optional<std::int64_t>> strides;
    std::vector<std::int64_t> peekStrides;  ///< of the peeks at places that vary
};

std::vector<VectorLoop> findVectorLoops(const Body& work);

/// "iterations of j: varying: %3 %4 x".
std::string print(const Body&, const VectorLoop&);

}  // namespace strc::ir
