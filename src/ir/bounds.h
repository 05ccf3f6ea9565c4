#pragma once
/// Which checks of a filter's bodies cannot fail: indices of arrays, offsets of peeks, divisors. An abstract
/// execution that knows an interval for each int: from constants, conditions, and what fields can hold between
/// firings.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

/// The values that an int may have: min <= value <= max.
struct Range {
    std::int64_t min = INT32_MIN;
    std::int64_t max = INT32_MAX;
    bool operator==(const Range&) const = default;
};

/// Of all ints that lie there side by side; empty: there are none.
std::optional<Range> rangeOfInts(std::string_view bytes);

/// Facts about a filter that its code does not show.
struct BoundsInput {
    /// By field: what an int field, or the ints of an array, may be before the first firing; empty: anything.
    std::vector<std::optional<Range>> fields;
    std::vector<Value> constants;  ///< by StreamCode::constants; of open ones nothing is known
    std::int64_t workPeek = 0, preworkPeek = 0;  ///< items a firing may look at
};

/// Does the instruction have such a check that has not been proved yet? Does any instruction of the code?
bool hasCheck(const Instr&);
bool hasChecks(const StreamCode& code);

/// Operations with a check that always holds, of the bodies that run; addresses are of `code`, which is specialised.
using Proofs = std::set<const Instr*>;
Proofs proveBounds(const StreamCode& code, const BoundsInput&);

/// Per body "work: 3 of 4 checks proved".
std::string print(const StreamCode& code, const Proofs&);

}  // namespace strc::ir
