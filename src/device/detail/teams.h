#pragma once
/// Iterations of a nest that are long are done by a team, the threads of a warp, or of a block where they are very long and few: the
/// loops of an iteration are shared by them, and what else it computes each of them does for itself. So the rows of a softmax or of a norm keep a device busy though there are
/// few of them, and neighbouring threads read neighbours. Private to device.

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "ir/parallel_loops.h"

namespace strc::device {

struct Group;

/// A variable to which each iteration adds, or which keeps the greatest or least of all, in any order.
struct Reduction {
    std::uint32_t local = ir::kNone;
    const ir::Instr* combined = nullptr;  ///< the operation, on the variable and another number
    bool isSum = false;  ///< else its first value may take part several times
};

/// A nest of loops whose iterations a team shares: but for reductions they are independent.
struct TeamLoop {
    ir::Nest nest;
    std::vector<Reduction> reductions;
};

/// Instructions of the outermost level of an iteration.
using Team = std::map<const ir::Instr*, TeamLoop>;

/// Empty: one thread does an iteration, since it is too short, or there are iterations enough, or what it does cannot be shared.
/// `isShared` tells locals that other launches look at.
Team findTeam(const ir::Body&, ir::Affine&, const Group&,
              const std::function<bool(std::uint32_t local)>& isShared);

/// How many threads do each of so many iterations.
std::int64_t teamSize(const Team&, std::int64_t iterations);

/// Does the instruction change memory that the whole team sees?
bool writesMemory(const ir::Body&, const ir::Instr&,
                  const std::function<bool(std::uint32_t local)>& isShared);

}  // namespace strc::device
