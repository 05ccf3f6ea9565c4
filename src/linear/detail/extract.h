#pragma once
/// Finds linear filters: runs a work body once with items as unknowns. Loops are followed iteration by iteration,
/// so everything that decides about control has to be constant.

#include <optional>
#include <string>

#include "elab/elaborate.h"
#include "linear/detail/form.h"

namespace strc::linear {

struct Extraction {
    std::optional<Form> form;
    std::string whyNot;  ///< a clause: "it has state"
    std::int64_t steps = 0;  ///< that it took to find out
};

/// Enough for one filter.
constexpr std::int64_t kMostSteps = 300'000;

/// Runs the filter `node`, as it is after its init. `floats` allows types whose sums change when they are reordered.
/// A filter for which a form is returned cannot trap and has no effects but its pushes.
Extraction extract(const ir::Module&, const elab::Elaboration&, graph::NodeId node, bool floats,
                   std::int64_t mostSteps = kMostSteps);

}  // namespace strc::linear
