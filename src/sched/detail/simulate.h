#pragma once
/// Executes a network on counts and writes down who fired, as a loop tree. Loops are recognised
/// while they run and then taken at one go: the work done follows the size of the tree, not the
/// number of firings.

#include <cstdint>
#include <vector>

#include "base/limits.h"
#include "graph/flow.h"
#include "graph/graph.h"
#include "graph/sdep.h"
#include "sched/detail/loops.h"

namespace strc::sched {

struct Actor {
    std::int64_t repetitions = 0;  ///< firings still to do
    std::int64_t fired = 0;  ///< firings done before
    std::uint32_t rank = 0;  ///< greater is more downstream; no two are equal
    bool hasFirst = false;   ///< the first firing ever has rates of its own
};

struct Channel {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::int64_t items = 0;
    graph::FlowRate push, pop, look;
};

/// Actor `to` may start a firing only when `from` has completed as many as the guard says.
struct Barrier {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    graph::Guard* guard = nullptr;
};

struct Network {
    std::vector<Actor> actors;
    std::vector<Channel> channels;
    std::vector<Barrier> barriers;
};

/// The channels of each actor.
struct Wiring {
    explicit Wiring(const Network&);
    std::vector<std::vector<std::uint32_t>> inputs, outputs;
};

/// DownstreamFirst: of those that can fire, always the most downstream one (language.md 12.6).
/// Thorough: round and round, each as often as it can.
enum class Policy : std::uint8_t { DownstreamFirst, Thorough };

struct Bounds {
    std::int64_t runs = 1 << 22;  ///< runs of one actor that are simulated
    std::int64_t size = 1 << 20;  ///< nodes of the tree

    /// With no more runs than Limits::simulationSteps.
    Bounds within(const base::Limits&) const;
};

struct Simulated {
    enum class End : std::uint8_t { Done, Stuck, TooLong };
    End end = End::Done;
    Body body;  ///< leaves' nodes are indices of actors; first firings are leaves outside of loops
};

/// Until every quota is met. `accelerate` may be switched off to check that it changes nothing.
Simulated simulate(Network, Policy, Bounds = {}, bool accelerate = true);

}  // namespace strc::sched
