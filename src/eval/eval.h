#pragma once
/// The one evaluator: it runs lowered bodies for elaboration, constant expressions, static items and
/// the interpreter. A body is compiled once to a flat code over 8-byte slots, then run many times
/// without allocation. It knows tapes (tape.h) and a Host for everything that reaches further.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/limits.h"
#include "base/result.h"
#include "eval/tape.h"
#include "eval/tensors.h"
#include "ir/file_question.h"
#include "ir/ir.h"

namespace strc::eval {

using base::Diag;
using base::SourceRange;
using types::Type;
using types::Value;

/// Callbacks of a body for all that is outside of its own memory. By default each of them is an internal error, except for
/// callNative, which refuses.
class Host {
public:
    virtual ~Host() = default;
    virtual void print(std::string_view text);
    virtual types::Random& random();
    /// Aggregate arguments are given as values too. A returned trap ends the run.
    virtual std::optional<Trap> send(std::int32_t portal, const ir::Send&,
                                     std::optional<std::int64_t> maxLatency,
                                     std::span<const Value> args, SourceRange range);
    /// A dynamic filter wants its input tape to hold `items`; runs the sources. False: it never will
    /// (end of input): the firing is abandoned (Outcome::Starved).
    virtual bool demandInput(std::uint64_t items);
    /// The heap of tensors, for bodies whose tensors have no shapes before they run.
    virtual Tensors& tensors();
    /// Runs a native function; a trap if it cannot be found.
    virtual std::optional<Trap> callNative(const ir::Native&, std::span<std::uint64_t> args,
                                           std::uint64_t& result);
    /// Contents of an init_array_1D_* file that the code at `range` names, or a sentence why not.
    virtual base::Result<std::string> readFile(const std::string& name, SourceRange range);
    /// Something to tell the user although the run goes on.
    virtual void warn(const Trap&);

    // ---- elaboration; `args` are parallel to ir::Create::args, empty optional: default applies.
    // A returned trap ends the run: what is added without end has a limit.
    virtual std::int32_t newPortal(SourceRange range);
    virtual std::optional<Trap> create(const ir::Create&, const Type* typeArgument,
                                       std::span<const std::optional<Value>> args,
                                       std::span<const std::int32_t> portals, SourceRange range);
    /// Before `create` of one that sees variables: their values.
    virtual void see(const ir::Create&, std::span<const Value> values);
    virtual std::optional<Trap> split(bool duplicate, ir::SplitForm,
                                      std::span<const std::int64_t> weights, SourceRange range);
    virtual std::optional<Trap> join(bool duplicate, ir::SplitForm,
                                     std::span<const std::int64_t> weights, SourceRange range);
    virtual std::optional<Trap> enqueue(const Value&, SourceRange range);
    /// A bound that is not there is an empty optional: `*`, or no average.
    virtual void rate(const ir::RateClause&, std::optional<std::int64_t> minOrValue,
                      std::optional<std::int64_t> average, std::optional<std::int64_t> max,
                      SourceRange range);
    /// Concrete type of the stream's input (0) or output (1); also in Instance::itemTypes then.
    virtual void itemType(int side, const Type* concrete);

    // ---- files that are looked at while the graph is built
    /// Tells a number of a file that the code at `range` names; `other`: the second operand (ir/file_question.h).
    virtual base::Result<std::int32_t> fileNumber(const ir::FileQuestion&, const std::string& name,
                                                  std::int32_t other, SourceRange range);
    /// The items that fileNumber counts, as they lie in memory.
    virtual base::Result<std::string> readItems(const ir::FileQuestion&, const std::string& name,
                                                std::int32_t channel, SourceRange range);
};

/// Memory and surroundings of one stream instance while its bodies run.
struct Instance {
    const ir::Module* module = nullptr;
    const ir::StreamCode* code = nullptr;  ///< null for static items and package functions
    std::vector<Value> constants;  ///< parallel to code->constants
    std::vector<const Type*> fieldTypes;  ///< concrete; filled in as fields are declared
    std::vector<std::int64_t> fieldOffsets;  ///< into `state`
    std::vector<std::byte> state;  ///< all fields; grows while setup declares them
    const Type* itemTypes[2] = {};  ///< concrete, of input and output: for Op::Extent
    std::vector<Value>* globals = nullptr;  ///< static items: Module::globalValues, to be written
    Tape* input = nullptr;
    Tape* output = nullptr;
    std::int64_t iterations = 0;  ///< iter()
    Host* host = nullptr;
};

/// Rate bookkeeping of one firing, checked as it runs.
struct Firing {
    std::int64_t popLimit = INT64_MAX;  ///< most items it may pop
    std::int64_t peekLimit = INT64_MAX;  ///< most items it may look at, popped ones included
    std::int64_t pushLimit = INT64_MAX;
    std::int64_t popped = 0;
    std::int64_t pushed = 0;
    bool dynamicInput = false;  ///< pop and peek ask Host::demandInput when items lack; else
        ///< the items must be there (the limits say how many)
};

struct Code;  ///< a compiled body
struct CodeDeleter {
    void operator()(const Code*) const;
};
using CodePtr = std::unique_ptr<const Code, CodeDeleter>;

/// Compiles a body of `stream` (null: static item, package function) and all it calls. Generic (dynamic
/// extents) or specialised; the latter runs at full speed if the offsets of the fields are given: they
/// must be those of every instance that runs the code. Module, stream and body must outlive the code.
CodePtr compile(const ir::Module&, const ir::StreamCode* stream, const ir::Body&, types::TypeTable&,
                std::span<const std::int64_t> fieldOffsets = {});

/// The code as text, one operation a line, for tests and for the curious.
std::string disassemble(const Code&);

struct RunResult {
    Outcome outcome = Outcome::Done;
    std::optional<Trap> trap;
    std::optional<Value> value;  ///< of a function or default
};

/// Stack and counters, reused between runs; one for each thread that evaluates.
class Machine {
public:
    explicit Machine(const base::Limits&);
    ~Machine();
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    /// Nested runs (Host::demandInput during a firing) are allowed. Arguments are the parameters,
    /// without the one that an aggregate result is written through.
    RunResult run(const Code&, Instance&, Firing&, std::span<const Value> args = {});
    /// The same without arguments and result, for the many firings of an interpreter. A trap is in
    /// `trap`.
    Outcome fire(const Code&, Instance&, Firing&);
    /// `times` firings in a row of static rates, for which all items are there; each must pop and push
    /// exactly its limits. `done` of them did, and added to Instance::iterations; the counts of the one
    /// after, if it is not as many as asked, are in `firing`.
    Outcome fire(const Code&, Instance&, Firing&, std::int64_t times, std::int64_t& done);

    std::optional<Trap> trap;
    /// Operations left before a trap (elaboration: Limits::elaborationSteps); no limit by default. One
    /// that works on many bytes counts for as many as take that time.
    std::uint64_t stepsLeft = UINT64_MAX;
    /// Operations done in all runs that have ended, and about so many of those that have not.
    std::uint64_t stepsUsed() const;
    /// Print like C (language.md 18): "%f".
    bool cFormat = false;
    /// Set from a signal handler or another thread: the run stops with Outcome::Interrupted.
    const volatile bool* interrupt = nullptr;
    /// From then on runs stop with Outcome::Interrupted, within a moment.
    std::optional<std::chrono::steady_clock::time_point> deadline;

    /// Visits the registers and variables of all runs that have not ended: 8 bytes each, dead ones among
    /// them.
    void forEachSlot(const std::function<void(std::uint64_t)>& visit) const;

    struct Memory;  ///< frames, arrays of dynamic extent, strings
    std::unique_ptr<Memory> memory;
};

/// Machine::deadline of a run that may take so long; none if that is longer than a clock counts.
std::optional<std::chrono::steady_clock::time_point> deadlineAfter(
    std::chrono::steady_clock::time_point start, std::optional<double> seconds);

}  // namespace strc::eval
