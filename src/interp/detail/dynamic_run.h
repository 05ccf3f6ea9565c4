#pragma once
/// Runs a program with dynamic rates (language.md 13): sinks pull, everything upstream runs on demand, then what is
/// left over is drained downstream.

#include "interp/detail/firings.h"

namespace strc::interp {

class DynamicRun {
public:
    DynamicRun(RunState& state, Firings& firings) : state(state), firings(firings) {}

    /// Before anything fires.
    void findSelfFed();
    void run();
    /// Fires an actor once, its sources first. False: the program is at its end, or has failed.
    bool fireByDemand(Actor&);
    /// Runs sources until the edge holds so many items; false if they cannot.
    bool ensure(EdgeId, std::uint64_t items);
    /// May it fire behind the sinks, as often as it can? Loops that feed themselves would never end.
    static bool isDrained(const Actor&);

private:
    struct Demand {
        EdgeId edge;
        std::uint64_t items;
        Actor* asker;  ///< null: the firing that called
    };
    bool pursue(std::vector<Demand>&);
    bool pullIsland(std::uint32_t island, bool& progress);
    bool drainStatic();
    void drainDynamic(const std::vector<std::uint32_t>& sinkIslands);

    RunState& state;
    Firings& firings;
};

}  // namespace strc::interp
