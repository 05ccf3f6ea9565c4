#pragma once
/// The loops of a contraction by what they step through. Private to kernels.

#include <cstdint>
#include <vector>

#include "ir/contraction.h"
#include "operators/operator.h"

namespace strc::operators {

using ir::ContractionLoop;
using Loops = std::vector<ContractionLoop>;

struct SortedLoops {
    Loops rows;     ///< step through the result and a
    Loops columns;  ///< through the result and b
    Loops batches;  ///< through all three
    Loops sums;     ///< through a and b
    bool isClean = true;  ///< there are no others, and all go forward
};

/// Loops of one iteration are left out. `merges`: two that are as good as one become that.
SortedLoops sortLoops(const ir::Contraction&, bool merges);

/// With the operands in each other's place.
ir::Contraction swapped(ir::Contraction);

/// No two places of it are the same, in the strict sense that each dimension steps over all smaller ones.
bool isApart(const View&);
/// Dimensions of extent 1 step over everything.
void settleSteps(View&);

/// The columns, and the outputs, are those of b.
std::optional<Operator> asMatmul(const ir::Contraction&);
std::optional<Operator> asConvolution(const ir::Contraction&);

}  // namespace strc::operators
