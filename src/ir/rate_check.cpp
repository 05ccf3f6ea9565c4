#include "ir/rate_check.h"

namespace strc::ir {

BrokenRate brokenBy(const Check& check) {
    if (check.kind == CheckKind::NegativePeek) return {base::Diag::NegativePeek, {}, 1};
    static constexpr base::Diag ids[] = {base::Diag::PopRateViolated, base::Diag::PushRateViolated,
                                         base::Diag::PeekRateViolated};
    return {
        ids[static_cast<int>(check.kind)],
        {check.prework ? "'prework'" : "'work'", check.filter.empty() ? "filter" : check.filter},
        2};
}

}  // namespace strc::ir
