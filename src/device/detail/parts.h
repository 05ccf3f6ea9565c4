#pragma once
/// The pass `device-overlap`: a segment in parts, so that what the next part needs is copied to the device, and what the last
/// one has made is copied back, while the device computes. A part is some of the steady states of a phase with all their
/// steps. What it reads must be what it would have read, and no copy may touch what is at work meanwhile: both are decided
/// by bytes of the state, since tapes may share memory. Private to device.

#include <vector>

#include "device/detail/movable.h"
#include "device/detail/trace.h"
#include "plan/plan.h"

namespace strc::device {

struct Part {
    std::vector<plan::Step> steps;
    std::vector<Span> uploads, downloads;  ///< ascending and apart; each byte is copied by one part
};

/// Several, in order; none if there is nothing to gain, or if it cannot be. The steps are those of a segment of the phase
/// `scaled`: what fails there is done again (docs/design/compiled.md), so faults may come in another order.
std::vector<Part> partsOf(const plan::Plan&, const Movable&, const std::vector<const plan::Step*>&);

/// A plan whose tapes between host and device share memory with no others.
plan::Plan withBordersApart(const plan::Plan&, const Movable&);

}  // namespace strc::device
