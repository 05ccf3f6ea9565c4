#pragma once
/// Fires actors: filters through the evaluator, everything else by moving items.

#include "interp/detail/run_state.h"

namespace strc::interp {

class Firings {
public:
    explicit Firings(RunState& state) : state(state) {}

    bool canFire(const Actor&);
    /// Firings in a row that need no look at other actors: one where somebody could see the order.
    std::int64_t batchSize(const Actor&) const;
    /// False: the run is over, or a body waits for input that does not come.
    bool fire(Actor&, std::int64_t times);
    /// Runs a function of the filter with its tapes. False: the run is over.
    bool runFunction(Actor&, const eval::Code&);

private:
    bool fireNow(Actor&, std::int64_t times);
    bool fireFilter(Actor&);
    bool fireOneByOne(Actor&, std::int64_t times);
    bool fireBatch(Actor&, std::int64_t times);
    bool fireBuiltin(Actor&, std::int64_t times);
    bool fireReader(Actor&, std::uint64_t times);
    bool fireWriter(Actor&, std::int64_t times);
    void fireSplitter(Actor&, std::int64_t times);
    void fireJoiner(Actor&, std::int64_t times);
    bool runCode(Actor&, const eval::Code&, eval::Firing&);
    bool runHandler(Actor&, const eval::Code&, std::span<const Value> args);
    bool deliverDue(Actor&);
    bool ended(Actor&, eval::Outcome);
    bool checkCounts(Actor&, const FiringRates&, const eval::Firing&, bool prework);
    bool checkRange(Actor&, const graph::Rate&, std::int64_t count, const char* word,
                    const char* verb, base::SourceRange);
    bool areTensorsFit(const Actor&, const std::vector<std::uint64_t>& before);
    void reportTrap(const Actor&, const eval::Trap&);

    RunState& state;
};

}  // namespace strc::interp
