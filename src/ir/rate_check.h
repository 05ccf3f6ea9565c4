#pragma once
/// What a broken rate is called, for those that make code of Op::Check.

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "ir/ir.h"

namespace strc::ir {

struct BrokenRate {
    base::Diag id = base::Diag::PopRateViolated;
    std::vector<std::string> words;  ///< arguments of the diagnostic before its numbers
    int numbers = 2;  ///< of the operands behind the condition, so many are told
};

BrokenRate brokenBy(const Check&);

}  // namespace strc::ir
