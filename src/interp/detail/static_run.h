#pragma once
/// Runs a program with static rates: phase by phase, each when all its input is there; at the end of the input what
/// still has its items (docs/design/ending.md).

#include "graph/ending.h"
#include "interp/detail/firings.h"

namespace strc::interp {

class StaticRun {
public:
    StaticRun(RunState& state, Firings& firings) : state(state), firings(firings) {}

    void run();
    /// Reports why nobody can fire though quotas are not met.
    void reportStuck();

private:
    bool runPhase(const std::vector<std::int64_t>& repetitions);
    bool supplyPhase(const std::vector<std::int64_t>& repetitions);
    bool fireToTargets();
    std::int64_t stillInput(std::uint32_t input, std::int64_t most);
    bool drainPhase(const std::vector<std::int64_t>& phase, std::int64_t* left);
    Actor* drainsItself();
    graph::Ending ending();
    bool drainPhases(const strc_draining&);
    void takeFiles(const strc_draining&);
    bool writeFiles();
    bool drainOnce(Actor&, const eval::Code&, bool isInit);
    bool drainFunctions(const strc_draining&, Actor&);
    void drainInput();

    RunState& state;
    Firings& firings;
};

}  // namespace strc::interp
