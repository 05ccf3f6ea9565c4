#pragma once
/// A node of the graph with everything that runs it.

#include <deque>
#include <map>
#include <string>

#include "elab/elaborate.h"
#include "eval/eval.h"
#include "io/items.h"
#include "io/supply.h"

namespace strc::interp {

using graph::EdgeId;
using graph::NodeId;
using types::Type;
using types::Value;

/// Compiled bodies of one kernel.
struct KernelCode {
    eval::CodePtr work, prework;
    eval::CodePtr firstDrain, drain;  ///< functions of elab::Kernel::drain
    std::map<std::string, eval::CodePtr> handlers;
};

/// A message on its way.
struct PendingMessage {
    std::int64_t before;         ///< runs before this firing of the receiver (1: the first)
    std::string handler;
    std::vector<Value> args;
    std::uint64_t bytes = 0;  ///< that it counts for
};

/// How one firing of a filter must behave.
struct FiringRates {
    graph::Rates rates;
    std::int64_t need = 0;       ///< items the input must hold; 0 for dynamic input
    bool dynamicInput = false;
    eval::Firing limits;         ///< what the evaluator checks while the body runs
};

struct Actor {
    NodeId id = graph::kNone;
    const graph::Node* node = nullptr;
    std::int64_t fired = 0;
    std::int64_t target = 0;     ///< quota of the present phase, as a count from the start
    std::uint32_t order = 0;

    // ---- filters
    ir::BuiltinStream builtin = ir::BuiltinStream::None;
    const elab::Kernel* kernel = nullptr;
    const KernelCode* code = nullptr;
    eval::Instance instance;
    FiringRates first, later;  ///< of the first firing (prework, if there is one) and the others
    eval::Tape* input = nullptr;
    eval::Tape* output = nullptr;
    std::deque<PendingMessage> messages;  ///< sorted by `before`, stable
    std::vector<std::size_t> guards;  ///< those that may hold this receiver back
    std::vector<std::uint32_t> wakes;  ///< orders of actors a firing may make ready
    std::int64_t emptyFirings = 0;
    bool firing = false;  ///< on the way, waiting for dynamic input; for ever if that is over
    bool waiting = false;  ///< its sources are asked for items
    bool selfFed = false;  ///< in a feedback loop without outer input
    std::int64_t written =
        0;  ///< items in the file: more than firings if the program was taken back
    bool warnedPops = false;

    // ---- files
    io::Supply* reader = nullptr;
    io::ItemWriter* writer = nullptr;

    const FiringRates& next() const { return fired == 0 ? first : later; }
};

}  // namespace strc::interp
