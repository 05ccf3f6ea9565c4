#pragma once
/// Bodies with vectors, as steps of a scaled phase call them: what the passes `vectorise-firings`, `skip-ahead` and
/// `vectorise-loops` make of the filters of the lower form.

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/context.h"
#include "ir/affine_state.h"
#include "ir/varying.h"
#include "lowered/detail/rates.h"
#include "target/model.h"
#include "types/type.h"
#include "vector/firings.h"

namespace strc::lowered {

/// A body that does several firings at once (vector::FiringShape); no lanes: one firing.
struct LaneShape {
    std::int64_t lanes = 0;
    bool takesColumns = false;  ///< its window is an array, the first parameter
    bool leavesRows = false;  ///< what it pushes goes to an array, the last parameter
    /// Of the columns and rows of a pipeline that looks back, in which these firings have a place, the parameter behind each array.
    std::int64_t inLength = 0, outLength = 0;
    bool partsComplex = false;  ///< vector::ItemParts
    auto operator<=>(const LaneShape&) const = default;
};

class Lanes {
public:
    /// Which of them there are is for the passes of the context.
    Lanes(base::Context&, types::TypeTable&, const target::Model&, const elab::Elaboration&,
          const RateProofs&);

    /// The firings that a vector of a step with so many takes; 0: they are done one by one.
    unsigned widthOf(graph::KernelId, std::int64_t firings);
    /// Is it one of those that there are, be it not the best one?
    bool hasWidth(graph::KernelId, unsigned width) const;
    /// Has the filter state, which every firing changes once?
    bool hasState(graph::KernelId) const;
    /// Can its lanes find their items in columns? Not where each looks somewhere else, or has state.
    bool takesColumns(graph::KernelId) const;
    /// The body of that shape, made when it is asked for: it pops nothing, and gives whether it has done the firings
    /// (vector/firings.h). Of a width that widthOf gave.
    const ir::Body& body(graph::KernelId, const LaneShape&);
    /// May a body of so many lanes give that it has not done the firings?
    bool mayGiveUp(graph::KernelId, unsigned width);
    /// A firing with loops in vectors; null: it has none, or is done in vectors with others.
    const ir::Body* loopsInVectors(graph::KernelId);

private:
    struct Filter {
        std::vector<ir::AffineField> state;
        std::optional<ir::Body> stateInLocals;
        ir::Varying varying;
        std::vector<unsigned> widths;
        std::set<unsigned> asked;  ///< those of them that steps have
        std::optional<ir::Body> loops;  ///< loopsInVectors
    };

    Filter& filter(graph::KernelId);
    vector::FiringFacts factsOf(graph::KernelId, const Filter&) const;
    const ir::Body& firingOf(graph::KernelId, const Filter&) const;
    std::optional<ir::Body> vectoriseLoops(graph::KernelId) const;

    base::Context& context;
    types::TypeTable& types;
    const target::Model target;
    const elab::Elaboration& program;
    const RateProofs& rates;
    std::map<graph::KernelId, Filter> filters;
    std::map<std::pair<graph::KernelId, LaneShape>, ir::Body> bodies;
    std::map<std::pair<graph::KernelId, unsigned>, bool> givesUp;
};

}  // namespace strc::lowered
