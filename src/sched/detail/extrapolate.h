#pragma once
/// How long a loop goes on: given what was done in its latest iteration, how many further iterations will be
/// the same under the policy DownstreamFirst?

#include <cstdint>
#include <map>

#include "sched/detail/simulate.h"

namespace strc::sched {

/// Firings of each actor in one execution of the body.
std::map<std::uint32_t, std::int64_t> firingsOf(const Body&);

/// A lower bound, often exact: in each of that many iterations from the present state on, every actor of
/// the body can fire when its turn comes, and none that is more downstream can. Contents of channels
/// change linearly with the iteration, so each condition is an inequality in the number of iterations. The
/// body holds no first firings.
std::int64_t furtherTrips(const Network&, const Wiring&, const Body&);

}  // namespace strc::sched
