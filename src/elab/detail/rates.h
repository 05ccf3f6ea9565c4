#pragma once
/// Rates of one filter instance, from the clauses its setup stated.

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "base/context.h"
#include "elab/elaborate.h"

namespace strc::elab {

/// One executed rate clause; for a static rate `min` is its value.
struct StatedRate {
    ir::RateClause clause;
    std::optional<std::int64_t> min, average, max;
    base::SourceRange range;
};

/// Clauses of one firing: push, pop, peek (indexed by ir::RateKind).
using StatedRates = std::array<std::optional<StatedRate>, 3>;

struct RateOwner {
    std::string name;            ///< of the filter
    std::function<std::string()> path;  ///< of the instance; takes long among many siblings
    base::SourceRange header;    ///< of work or prework
    bool prework = false;
    bool hasInput = false;
    bool hasOutput = false;
    base::SourceRange added = {};  ///< of a filter of the library: where the program adds it
};

/// Completes and checks them (language.md 8.2, 13; errors 90 to 96 but 93 and 95).
graph::Rates makeRates(base::Context&, const StatedRates&, const RateOwner&);

}  // namespace strc::elab
