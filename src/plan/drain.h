#pragma once
/// The phases that drain a program.

#include <optional>

#include "plan/plan.h"

namespace strc::plan {

/// Of a plan whose phases are there. `ending`, `repetitions`: of the program before passes, and of this one. None if passes have
/// made filters that somebody could see fire on zeros, or whose firings hang together with others in another way.
std::optional<Drain> findDrain(const Plan&, const graph::Ending& ending, const graph::Repetitions&);

/// Of a program that has been lowered to one filter, whose functions leave the firings out (elab::Drain): what they may take, the
/// function as a Part, and what they may give. None: nothing can be left.
std::optional<Drain> takeOverDrain(const Plan&);

/// Items that a firing takes from, or gives to, a port of a step.
std::int64_t itemsAt(const Plan&, NodeId, std::size_t port, bool isInput, bool first = false);

}  // namespace strc::plan
