#pragma once
/// A program that runs: its actors and channels, its files, how far it is and why it ends. Those who fire actors
/// share it.

#include <chrono>
#include <deque>
#include <vector>

#include "interp/detail/actor.h"
#include "interp/detail/channels.h"
#include "interp/detail/messages.h"
#include "interp/detail/ready_set.h"
#include "interp/detail/timing.h"
#include "interp/files.h"
#include "interp/line_limit.h"
#include "interp/machine.h"

namespace strc::interp {

using base::Diag;

struct RunState {
    RunState(base::Context&, const ir::Module&, const elab::Elaboration&, const graph::Repetitions&,
             types::TypeTable&, const Options&);
    RunState(const RunState&) = delete;
    RunState& operator=(const RunState&) = delete;

    /// The first reason stays.
    void stop(End why) {
        if (!stopped) stopped = why;
    }
    /// Is it some milliseconds ago that the clock was looked at? Firings may be long or short.
    bool isCheckDue();
    bool isTimeUp();
    /// Is the run over, by its iterations, by the clock, or because it is interrupted?
    bool checkStops();

    base::Diagnostic& report(const Actor&, Diag, base::SourceRange);
    void reportFullTapes();

    /// Reads ahead until `items` are there; false at the end of the input, or after reporting. `owner`: whose file
    /// it is, kNone for the open input.
    bool supply(io::Supply&, NodeId owner, std::uint64_t items);
    /// Writes what lies at the open output; unless `all`, only until the run is over.
    void drainOutput(bool all);
    /// An item went into a file, unless it `wasThere`: does that end the run?
    bool isLimitReached(bool wasThere);
    /// Does it give nothing to other nodes?
    bool isSink(NodeId id) const {
        return graph.nodes[id].outputs.empty() ||
               (graph.output != graph::kNone && graph.edges[graph.output].from == id);
    }

    base::Context& context;
    const ir::Module& module;
    const elab::Elaboration& elaboration;
    const graph::Graph& graph;
    const graph::Repetitions& repetitions;
    types::TypeTable& types;
    const Options& options;
    const Limited limited = whatIsLimited(module, elaboration);

    std::vector<Actor> actors;  ///< by NodeId
    std::vector<NodeId> byOrder;
    eval::Machine machine;
    Channels channels;
    Messages messages;
    Timing timing{options.profile, channels};
    std::deque<io::Supply> inputs;
    io::Supply* openInput = nullptr;  ///< in `inputs`
    WrittenFiles ownFiles;
    WrittenFiles& writers = options.files ? *options.files : ownFiles;
    types::Random generator;
    ReadySet ready;
    LineLimit lines;
    Actor* current = nullptr;  ///< whose body runs
    const Actor* acting = nullptr;  ///< the last one that began to fire
    std::optional<End> stopped;
    bool orderVisible = false;  ///< firings must not be batched
    bool isLive = false;  ///< stepped from outside, which feeds the open input
    bool hasBegun = false;  ///< initialisation is done
    bool isDraining = false;  ///< no input comes any more
    /// Of a program that has become one filter and was drained: what stays on its tapes, by nodes of what it was.
    std::optional<graph::Waiting> waiting;
    bool isStarved = false;  ///< how the last body ended that did not end well
    bool isReplaying = false;  ///< firings that were seen before: nothing is printed
    bool starved = false;  ///< live: the open input had too little
    std::int64_t itemsWritten = 0;  ///< that count for the limit
    std::uint64_t calls = 0, moved = 0;  ///< of `fire`; items that went without a body
    std::uint64_t effortAtCheck = 0;
    std::chrono::steady_clock::time_point start;
    Outcome outcome;
};

}  // namespace strc::interp
