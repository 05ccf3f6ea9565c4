#pragma once
/// Filters that do the same with other numbers, as one, in lanes (vector/branches.h). In: filters without prework, effects and functions.
/// Out: a kernel and the state of all of them, or why there is none.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "elab/elaborate.h"

namespace strc::horizontal {

struct Merged {
    std::string whyNot;  ///< one sentence; empty: it can be done
    elab::Kernel kernel;
    std::shared_ptr<const std::string> state;
    bool hasState = false;  ///< what one firing stores the next one finds
    /// By field of one filter: the one that has it for all; kNone: it is a constant, or nobody looks at it. Of filters that fill one group of
    /// lanes.
    std::vector<std::uint32_t> fields;
};

struct MergeOptions {
    bool isShared = false;  ///< all read the same window
    bool mayProve = true;  ///< that no check fails
    std::int64_t mostOfLocals = 1024;  ///< bytes of arrays in one filter's locals
};

/// Bodies have to be the same but for constants. No check of them may be able to fail, as nobody could say in which filter it did.
Merged merge(types::TypeTable&, const ir::Module&, const elab::Elaboration&,
             const std::vector<graph::NodeId>&, const MergeOptions&);

/// Does the filter's `work` take and give as many items as its rates say, whatever these are?
bool keepsRates(const ir::Module&, const elab::Elaboration&, graph::NodeId);
/// The filter's `work`, in which only instructions whose check might fail are `checked`; without `mayProve`, all that have one.
ir::Body withoutProvedChecks(const elab::Elaboration&, graph::NodeId, bool mayProve);
/// Can no check of the filter's `work` fail, and does it keep its rates?
bool isSafe(const ir::Module&, const elab::Elaboration&, graph::NodeId, bool mayProve);

}  // namespace strc::horizontal
