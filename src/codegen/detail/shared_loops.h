#pragma once
/// Which loops of a body the threads of the pool share: those whose rounds are independent (ir/independent.h) and which
/// take long enough. Decided by numbers alone, not by how many threads there are.

#include <cstdint>
#include <functional>
#include <map>

#include "ir/independent.h"

namespace strc::codegen {

struct SharedLoop {
    ir::Rounds rounds;
    std::int64_t grain = 1;  ///< rounds of a part; the last one may have fewer
    bool isLong = false;  ///< an iteration alone may delay the end of a run

    std::int64_t parts() const { return (rounds.counts.rounds + grain - 1) / grain; }
};

using SharedLoops = std::map<const ir::Instr*, SharedLoop>;

/// None inside of another one. `mayBe`: what threads of the pool can do; `room`: bytes that a part needs besides.
SharedLoops findSharedLoops(const ir::Body&, const std::function<bool(const ir::Instr&)>& mayBe,
                            std::int64_t room);

/// One line for each.
std::string print(const ir::Body&, const SharedLoops&);

}  // namespace strc::codegen
