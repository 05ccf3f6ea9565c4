#pragma once
/// The loops of a contraction by what they step through. Private to operators.

#include <cstdint>
#include <vector>

#include "ir/contraction.h"
#include "operators/operator.h"

namespace strc::operators {

using ir::ContractionLoop;
using Loops = std::vector<ContractionLoop>;

constexpr ContractionLoop kOnce{1, 0, 0, 0};

struct SortedLoops {
    Loops rows;     ///< step through the result and a
    Loops columns;  ///< through the result and b
    Loops batches;  ///< through all three
    Loops sums;     ///< through a and b
    bool isClean = true;  ///< there are no others, and all go forward
};

/// Loops of one iteration are left out, and two that are as good as one become that.
SortedLoops sortLoops(const ir::Contraction&);

/// No two places of it are the same, in the strict sense that each dimension steps over all smaller ones.
bool isApart(const View&);
/// Dimensions of extent 1 step over everything.
void settleSteps(View&);

/// The columns are those of b. Empty: elements do not lie beside each other as they have to, or nothing is summed.
std::optional<Operator> matmulOf(const ir::Contraction&);
/// Of a contraction with windows. Empty: places overlap.
std::optional<Operator> convolutionOf(const ir::Contraction&);

}  // namespace strc::operators
