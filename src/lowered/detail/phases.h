#pragma once
/// Phases of a plan as bodies of the one filter.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lowered/detail/functions.h"

namespace strc::lowered {

/// The work of the filter; its prework, if `isFirst`. `header`: where the program is declared.
ir::Body phaseBody(Functions&, const plan::Plan&, const plan::Phase&, bool isFirst,
                   base::SourceRange header);

/// The work of a filter without blocks, which runs often. Of a context: with firings in vectors, as far as its passes are enabled.
ir::Body workBody(Functions&, base::Context*, const plan::Plan&, base::SourceRange header);

/// The phase `scaled` as elab::Blocks::work, with firings in vectors and small state in variables, as far as passes of the context
/// are enabled.
ir::Body blocksBody(Functions&, base::Context&, const plan::Plan&, base::SourceRange header);

/// The segments of a chunk of one slice as functions that threads call, each with its steps as in `blocksBody`. One of them takes all
/// that is read, and one gives all that is written.
struct SegmentBodies {
    std::vector<ir::Body> bodies;
    std::size_t taker = SIZE_MAX, giver = SIZE_MAX;  ///< SIZE_MAX: there is none
};
SegmentBodies segmentBodies(Functions&, base::Context&, const plan::Plan&,
                            std::span<const plan::Segment>, base::SourceRange header);

/// Steps as a function that threads call: as a phase that runs often, unless the context is null.
struct PartSteps {
    const std::vector<plan::Step>& steps;
    std::size_t depth = 0;  ///< of loops around, whose iterations are its arguments
    std::string name;
    base::SourceRange header;
};
ir::Body partBody(Functions&, base::Context*, const plan::Plan&, const PartSteps&);

/// A function that does a phase of Plan::drain, whose firings and items are left out where State::left has no number for them.
ir::Body drainBody(Functions&, const plan::Plan&, const plan::Phase&, const std::string& name,
                   base::SourceRange header);

}  // namespace strc::lowered
