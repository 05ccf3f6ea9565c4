#pragma once
/// Declared rates against what bodies do (language.md 8.2, error 95). The counts of one firing are
/// intervals over the paths through the body: exact for straight-line code, loops with a constant
/// trip count and branches that agree. What is provably wrong is an error here; what cannot be
/// decided is left to run time.

#include "base/context.h"
#include "elab/elaborate.h"

namespace strc::elab {

void checkRates(base::Context&, const ir::Module&, const Elaboration&);

}  // namespace strc::elab
