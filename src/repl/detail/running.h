#pragma once
/// A stream that was made at the prompt: its compilation, its engine, what stops it. Private to repl.

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interp/live.h"
#include "repl/detail/file_source.h"
#include "repl/detail/machine_run.h"
#include "repl/workbench.h"

namespace strc::repl {

/// Why it does not go on.
enum class Stop : std::uint8_t {
    Waiting,  ///< for input
    Goal,  ///< there is what was asked for
    Break,  ///< a filter that was to be stopped at fires next
    Ended,
    Interrupted,
    Failed
};

struct Goal {
    std::optional<std::uint64_t> items;  ///< of what Running::Counted says
    std::optional<std::uint64_t> steps;
};

class Running {
public:
    /// Compiles; the work has errors if that failed.
    Running(const Workbench&, Task task, MixedText text, std::string source);
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    const graph::Graph& graph() const { return work->program.elaboration.graph; }
    const types::Type* input() const;  ///< null: it has none
    std::size_t inputSize() const;  ///< bytes of what is fed as an item
    const types::Type* output() const;
    /// Items of an end are tensors, whose types take turns; else empty.
    const std::vector<const types::Type*>& tensors(graph::EdgeId end) const;
    /// An item of the output as people know it: `k` counts from the first on.
    types::Value meaning(const types::Value& item, std::uint64_t k) const;
    /// How many items of the output have gone where the stream stands, also after a step back.
    std::uint64_t itemsGiven() const { return live ? live->outputBegin() : given; }
    std::uint64_t itemsFed() const { return fed; }

    /// Shapes depend on the first item, which has not arrived yet: only types are known.
    bool isShapeless() const { return shapeless; }
    /// Compiles again: `inputs` is what arrives, as --input has it.
    void shape(std::vector<std::string> inputs);

    /// "int->float"
    std::string signature() const;

    /// The unit that a run is limited in.
    enum class Counted : std::uint8_t {
        Items,  ///< at the open output
        Lines,  ///< printed, if there is no output
        Written,  ///< items in the file with most of them, if nothing is printed either
        SteadyStates
    };
    Counted counted() const { return counting; }
    /// Items of a file, which are once used up, and not of a source that never ends.
    bool readsFile() const;

    /// Completes its files; it never goes on.
    void close();
    /// Opens its files; false after reporting.
    bool start(std::function<void(std::string_view)> print, const volatile bool* interrupt);
    void feed(const std::byte* items, std::uint64_t count);
    using Take = std::function<bool(std::vector<types::Value>)>;  ///< false: no more
    /// Waits only where `file` has no more.
    Stop go(const Goal&, const Take& take);
    /// The error of the input file, if it could not be read any further.
    std::optional<base::Failure> takeFault() { return std::exchange(fault, std::nullopt); }
    bool goBack(std::uint64_t steps);
    /// It has failed twice in the same place.
    bool isStuck() const { return failures > 1; }
    /// It has fired, or been fed.
    bool hasBegun() const;
    /// A step is not stopped by a break where it stands.
    void passBreak() { stoppedAt = live->steps(); }
    std::vector<Message> messages();

    const Workbench& bench;
    MixedText mixed;
    Task task;
    std::string source;  ///< the stream as it was typed
    std::unique_ptr<Work> work;
    std::unique_ptr<interp::Live> live;
    std::optional<FileSource> file;  ///< what it is fed from when it waits
    bool isCompiled = false;  ///< it has no `live` but a `machine`
    std::unique_ptr<MachineRun> machine;
    Declarations uses;  ///< what it was made of, as it was then
    std::set<graph::NodeId> breaks;
    std::set<graph::EdgeId> watched;
    std::function<void(graph::EdgeId)> onChange;  ///< of what is watched

private:
    void compile();
    void startMachine();
    Stop goAsMachine(const Goal&, const Take&);
    Stop goOn(const Goal&, const Take&);
    Counted whatCounts() const;
    bool feedMore();
    void noteFailure();
    void complete();
    bool isDone(const Goal&) const;
    /// How many of the counted units there are since the start.
    std::uint64_t made() const;
    void printAndCount(std::string_view text);
    void noteChanges(std::vector<std::pair<graph::EdgeId, std::vector<types::Value>>>& before);

    std::function<void(std::string_view)> print;
    const volatile bool* interrupt = nullptr;
    // The counts at the beginning of the present `go`:
    std::uint64_t firstStep = 0;
    std::uint64_t firstMade = 0;
    Counted counting = Counted::Items;
    std::optional<base::Failure> fault;
    std::uint64_t given = 0;  ///< items, from the start on
    std::uint64_t fed = 0;
    bool shapeless = false;
    std::uint64_t lines = 0;  ///< printed
    std::uint64_t failedAt = UINT64_MAX;  ///< step before which it failed last
    int failures = 0;  ///< there
    std::uint64_t stoppedAt = UINT64_MAX;  ///< step before which a break stopped it
};

}  // namespace strc::repl
