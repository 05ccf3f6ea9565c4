#pragma once
/// The pass `vectorise-splitjoins`: the branches of a splitjoin that do the same with other numbers as one body, a branch in each
/// lane of vectors (horizontal SIMDization: Hormati et al., "MacroSS", ASPLOS 2010, section 3.2). What each branch has for itself
/// lies in fields, for so many branches beside each other; the splitter and the joiner go, as their weights are 1 (or the
/// splitter duplicates): item k of all branches lies together.

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "ir/ir.h"
#include "ir/varying.h"

namespace strc::vector {

struct Branches {
    const types::Type *input = nullptr, *output = nullptr;
    graph::Rates rates;  ///< of one branch; no check can fail
    std::int64_t count = 0;  ///< at least 4
    bool isShared = false;  ///< all branches look at the same items
    std::vector<std::uint32_t>
        own;  ///< locals of the body of which each branch has its own, which live on between firings
};

/// Branches beside each other: those of the fields, `groups` times `lanes`.
struct LaneGroup {
    std::int64_t lanes = 0, groups = 0;
};

/// Groups of equal size, then perhaps a smaller one. None has a single lane.
std::vector<LaneGroup> groupsOf(std::int64_t branches);

/// Fields are, group by group, an array for each of `own`: element g has what the branches of group g have, in their lanes.
struct FusedBranches {
    ir::Body work;
    std::vector<const types::Type*> fields;
};
FusedBranches fuseBranches(types::TypeTable&, const ir::Body& one, const ir::Varying&,
                           const Branches&);

}  // namespace strc::vector
