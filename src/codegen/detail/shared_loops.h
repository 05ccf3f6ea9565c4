#pragma once
/// Which loops of a body the threads of the pool share: those whose iterations are independent (ir/parallel_loops.h) and which
/// take long enough. Decided by numbers alone, not by how many threads there are.

#include <cstdint>
#include <functional>
#include <map>

#include "ir/parallel_loops.h"

namespace strc::codegen {

struct SharedLoop {
    ir::ParallelLoop trips;
    std::int64_t grain = 1;  ///< iterations of a part; the last one may have fewer
    bool isLong = false;  ///< an iteration alone may delay the end of a run

    std::int64_t parts() const { return (trips.counts.trips + grain - 1) / grain; }
};

using SharedLoops = std::map<const ir::Instr*, SharedLoop>;

/// None inside of another one. `mayBe`: what threads of the pool can do; `scratch`: bytes that a part needs besides.
SharedLoops findSharedLoops(const ir::Body&, const std::function<bool(const ir::Instr&)>& mayBe,
                            std::int64_t scratch);

/// One line for each.
std::string print(const ir::Body&, const SharedLoops&);

}  // namespace strc::codegen
