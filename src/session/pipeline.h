#pragma once
/// From texts to a program that can run, as far as asked. Nothing is printed here and no file but
/// array files is opened: a prompt and an embedding call this as the command line does.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ast/nodes.h"
#include "base/context.h"
#include "elab/elaborate.h"
#include "eval/natives.h"
#include "graph/graph.h"
#include "ir/ir.h"
#include "pass/context.h"
#include "pass/program.h"
#include "plan/plan.h"
#include "plugins/annotations.h"
#include "sched/schedule.h"
#include "sema/program.h"
#include "session/library.h"
#include "session/sources.h"
#include "target/model.h"
#include "weights/weights.h"

namespace strc::session {

/// What is done, in this order.
enum class Stage : std::uint8_t {
    Nothing,
    Parsed,
    Checked,
    Lowered,
    Elaborated,
    Balanced,
    Scheduled,
    Planned
};

/// The value of a global, as somebody keeps it between compilations.
struct Held {
    std::string bytes;  ///< of types::Value
    std::optional<types::TypeKind> element;  ///< of a tensor
    std::vector<std::int64_t> dims = {};
};
Held heldOf(const types::Value&);

struct Request {
    std::vector<SourceText> sources;
    std::string top;                             ///< name of the main stream, or empty
    std::map<std::string, std::string> defines;  ///< values of its parameters, as written
    std::vector<std::string> keptParameters;  ///< those that an executable's -D sets
    bool opensRanges = false;  ///< those with a range stay open, too
    bool opensRate = false;  ///< likewise one that is the input's rate
    std::vector<std::string> inputs;  ///< Settings::inputs
    std::vector<std::string> inputFiles;
    std::string inputSound;
    sched::Order order = sched::Order::Buffers;
    /// A program that cannot be compiled is no fault: it is scheduled and planned only as far as it goes.
    std::int64_t mostItems = INT64_MAX;  ///< plan::Options::mostItems
    /// Where `mostItems` are fewer than half as many steady states, these are done at once; 0: never mind.
    std::int64_t manyStates = 0;
    plan::Tapes tapes = plan::Tapes::Linear;
    bool planIfPossible = false;
    bool lowers =
        false;  ///< the program becomes one filter (lowered/lower.h), which is planned then
    bool forDevice = false;  ///< plan::Options::forDevice
    bool undoes = false;  ///< plan::Options::undoes
    bool undoesMessages = false;  ///< plan::Options::undoesMessages
    bool chunks = false;  ///< plan::Options::chunks
    std::int64_t chunkStates = 0;  ///< plan::Options::chunkStates
    std::map<std::string, double> measured;  ///< plan::Options::measured; empty: nobody has
    unsigned threads = 1;  ///< plan::Options::threads
    bool ranks = false;  ///< plan::Options::ranks
    /// Declarations and static items alone: there is no main stream, and no stage after Lowered.
    bool withoutMain = false;
    /// The composite `top` has the item types that its children have, whatever it says.
    bool topFindsTypes = false;
    /// What globals hold instead of what their declarations, without initialisers, give them. A value of another
    /// size is left out.
    std::map<std::string, Held> held;
    /// Passes over the graph that only the plan sees; empty: none.
    std::optional<pass::Options> optimise;
    target::Model target;  ///< the processor that code will be made for
    types::Random random;  ///< what `random()` goes on from
    std::function<void(std::string_view)> print;  ///< what composite bodies and `init` print
    const volatile bool* interrupt = nullptr;
};

/// What a program was that has become one filter (Request::lowers).
struct BeforeLowering {
    std::shared_ptr<const elab::Elaboration> program;
    graph::Repetitions quota;
    plan::Plan plan;
};

/// Everything that is known about a program. Options of the stages (limits, leniency, warnings, passes)
/// are set in `context` beforehand.
struct Compilation {
    base::Context context;
    std::vector<const ast::Unit*> units;  ///< of the program, then of the library
    std::size_t programUnits = 0;
    sema::Program program;
    const sema::StreamInfo* main = nullptr;
    plugins::Annotations annotations;  ///< of the main stream, with Request::opensRanges
    eval::Natives natives;  ///< libraries are opened beforehand
    std::unique_ptr<weights::Source>
        weights;  ///< beforehand, if they lie in no file; null: there are none
    ir::Module module;
    types::Random random;  ///< as static items have left it
    elab::Elaboration elaboration;
    graph::Repetitions repetitions;
    std::vector<sched::Schedule> schedules;  ///< by island
    /// What the plan is of, if passes changed the program, or if it has become one filter.
    std::optional<pass::Program> optimised;
    std::unique_ptr<const BeforeLowering> before;  ///< null: it has not become one filter
    std::optional<plan::Plan> plan;

    const graph::Repetitions& plannedQuota() const {
        return optimised ? optimised->repetitions : repetitions;
    }
    /// Of the nodes that faults and profiles are about (plan::firingProgram).
    const graph::Repetitions& firingQuota() const {
        return before ? before->quota : plannedQuota();
    }
    const elab::Elaboration& plannedProgram() const {
        return optimised ? *optimised->elaboration : compiledForm();
    }
    /// What the interpreter runs: no passes, but the one filter.
    const elab::Elaboration& interpretedProgram() const {
        return before ? plannedProgram() : elaboration;
    }
    const graph::Repetitions& interpretedQuota() const {
        return before ? plannedQuota() : repetitions;
    }
    /// What compiled engines run, before passes.
    const elab::Elaboration& compiledForm() const {
        return elaboration.compiled ? *elaboration.compiled : elaboration;
    }
};

/// Goes on until `last` is done, or until a stage reported errors or was interrupted; returns what is
/// done without errors. After errors in bodies alone, and after broken rates, later stages still look
/// at the rest and report. The library outlives the compilation.
Stage compile(Compilation&, const Request&, const Library&, Stage last);

}  // namespace strc::session
