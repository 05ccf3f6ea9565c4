#pragma once
/// The pass `vectorise-loops`: several iterations of a loop at once, one in each lane of vectors (ir/vector_loops.h). As many
/// groups of iterations as there are go first; the loop does those that are left as it did all of them. A group in which a check
/// fails is left to the loop, too; one item too many is the same fault in a vector. In: a specialised work body. Out: the same with such loops, if there are any.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "graph/graph.h"
#include "ir/ir.h"
#include "ir/vector_loops.h"
#include "target/model.h"

namespace strc::vector {

struct LoopFacts {
    const types::Type* input = nullptr;
    graph::Rates rates;
    std::function<bool(const ir::Instr&)> isSafe;  ///< a check that cannot fail
    std::function<bool(const ir::VectorLoop&)>
        isWanted;  ///< asked for each loop that could be done so
};

std::optional<ir::Body> vectoriseLoops(types::TypeTable&, const target::Model&, const ir::Body&,
                                       const LoopFacts&);

}  // namespace strc::vector
