#pragma once
/// Which items of which edges the firings of a step read and write. Private to device.

#include <vector>

#include "plan/plan.h"

namespace strc::device {

struct Use {
    graph::EdgeId edge = graph::kNone;
    std::size_t port = 0;  ///< of Step::outputs if it is written, else of Step::inputs
    bool isWritten = false;
    std::int64_t perFiring = 0;  ///< items from one firing to the next
    std::int64_t items = 0;  ///< of all firings, from where the first one begins
};

/// The tapes that a Fire step reads and writes.
std::vector<Use> usesOf(const plan::Plan&, const plan::Step&);

/// Does any step of it read or write the tape of this edge?
bool touches(const plan::Plan&, const plan::Step&, graph::EdgeId);

/// Some of its firings as a step.
plan::Step firingsOf(const plan::Plan&, const plan::Step&, std::int64_t first, std::int64_t count);

}  // namespace strc::device
