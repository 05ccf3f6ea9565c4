#pragma once
/// Schedules for blocks in a row: everything flows from earlier ones to later ones. Looped schedules
/// after P. Murthy, S. Bhattacharyya, E. Lee, "Joint Minimization of Code and Data for Synchronous
/// Dataflow Programs", 1997 (dynamic programming over the splits, GDPPO), and S. Bhattacharyya,
/// P. Murthy, E. Lee, "APGAN and RPMC", 1997 (pairwise clustering by greatest common repetition).

#include <cstdint>
#include <vector>

#include "sched/detail/loops.h"
#include "sched/schedule.h"

namespace strc::sched {

/// Part of the graph with a schedule of its own.
struct Block {
    Body body;  ///< one execution
    std::int64_t trips = 1;  ///< executions per steady state
    std::int64_t leaves = 1;  ///< of the body
    std::int64_t nodes = 1;  ///< distinct nodes
};

/// Between two blocks. No item is available before it has been made, but for `slack`.
struct Crossing {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::int64_t items = 0;  ///< per steady state
    std::int64_t slack = 0;  ///< held at its start beyond what has to stay
};

/// The blocks, in this order, as one. SingleAppearance: each body occurs once. Buffers: bodies may
/// recur to keep the tapes between them short, as long as the tree stays small.
Block scheduleChain(std::vector<Block> blocks, std::vector<Crossing>, Order);

/// Blocks without order between them as one.
Block besides(std::vector<Block> blocks);

}  // namespace strc::sched
