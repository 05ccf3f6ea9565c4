#pragma once
/// The reference engine: channels are deques, execution is data driven, most downstream first
/// (language.md 12.6); no schedule, the quotas only say when an iteration is over. What this engine
/// does is what programs mean.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/context.h"
#include "elab/elaborate.h"
#include "eval/natives.h"
#include "io/items.h"

struct strc_profile;

namespace strc::interp {

class WrittenFiles;

/// What becomes of items at the end of an input that are too few for a steady state.
enum class Tail : std::uint8_t {
    Drop,
    Pad,  ///< zeros follow, until all that came before is out
    Drain,  ///< what has its items fires
};

/// What a program was that has become one filter (lowered/lower.h).
struct Written {
    const graph::Graph* graph = nullptr;  ///< null: it is as it was written
    const graph::Repetitions* quota = nullptr;
    /// Of the nodes that calls of the one filter name (eval::firingNode).
    const graph::Graph* firing = nullptr;
};

struct Options {
    std::optional<std::int64_t> iterations;  ///< -i N steady states
    std::optional<std::int64_t>
        limit;  ///< --limit N: items of an open output; else printed lines; else items written to files
    std::optional<double> seconds;  ///< wall clock
    bool loopInput = false;  ///< --loop-input
    Tail tail = Tail::Drop;  ///< --tail
    bool lenient = false;
    bool cFormat = false;  ///< --print-format=c
    std::uint64_t stepLimit = UINT64_MAX;  ///< --step-limit
    const volatile bool* interrupt = nullptr;  ///< Ctrl-C
    std::uint32_t workers = 0;  ///< -j; 0: one for each processor. The interpreter is one thread
    bool sharesAlways = false;  ///< --no-tune
    std::uint64_t tuning = 0;  ///< strc_env::tuning
    strc_profile* profile =
        nullptr;  ///< measures the run, with the engine's tables (strc/profile.h)
    std::function<void(std::string_view)> print;  ///< standard output of the program
    eval::Natives* natives = nullptr;  ///< null: natives cannot be called
    Written
        written;  ///< what is told of the end of the input, and how much follows it, are about that
    io::ItemReader* input = nullptr;  ///< of an open input
    std::string inputName = "standard input";  ///< as messages call it
    bool inputFormatAssumed = false;  ///< nobody said it
    io::ItemWriter* output = nullptr;  ///< of an open output
    /// Where the files are that the program writes, for whoever flushes them while it stands still; null: with the
    /// run.
    WrittenFiles* files = nullptr;
    std::function<void()> beforeWaiting;  ///< called when an input file has nothing to read yet
    /// Called now and then when the input is finite: items read of the first input, and items in all.
    std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

enum class End : std::uint8_t {
    Iterations,
    Limit,
    Seconds,
    EndOfInput,
    NoProgress,
    Interrupted,
    Failed
};

struct Outcome {
    End end = End::Iterations;
    std::int64_t iterations = 0;  ///< steady states completed
    std::int64_t firings = 0;
    std::int64_t itemsRead = 0;  ///< from files and the open input
    std::int64_t itemsWritten = 0;  ///< to files and the open output
    std::int64_t itemsLeft = 0;  ///< input items that did not fill a steady state
};

/// Runs to the end; faults are reported in Context::diags with the instance's path. Files are
/// flushed and closed whatever the end, unless a fault comes before anything is written: they then stay as they were.
Outcome run(base::Context&, const ir::Module&, const elab::Elaboration&, const graph::Repetitions&,
            types::TypeTable&, const Options&);

}  // namespace strc::interp
