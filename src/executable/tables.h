#pragma once
/// What an executable or library knows besides its code (strc/executable.h): texts of messages, places, files, types.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "codegen/lower.h"
#include "codegen/object.h"
#include "graph/demand.h"
#include "plan/plan.h"
#include "plan/ranks.h"
#include "plugins/plugin.h"
#include "weights/weights.h"

namespace strc::executable {

/// A compiled program, and what was found out on the way to it.
struct Program {
    base::Context& context;
    const plan::Plan& plan;
    const graph::Repetitions& repetitions;
    const ir::Module& module;
    std::string mainStream;
    std::string printed;  ///< while the graph was built
    const weights::Source* weights = nullptr;  ///< null: there are none
    bool readsWeights = false;  ///< from their file, when it starts
    bool isLibrary = false;
    bool isBundle = false;  ///< its files lie beside it, wherever that is
    bool loadsLibraries = true;  ///< it can, when it runs, and so it has formats that take one
    const graph::Graph* whole = nullptr;  ///< before passes: that of `repetitions`
    std::string shapesLibrary = {};  ///< by which it runs them
    std::optional<std::int64_t> bound = {};  ///< of queues and messages of a library
    const graph::Repetitions* profiled =
        nullptr;  ///< of the plan's program; null: it lacks the option --profile
    std::uint64_t tuning = 0;  ///< strc_env::tuning
    std::optional<double> mainRate = {};  ///< elab::Elaboration::mainRate
    const plugins::Plugin* plugin = nullptr;  ///< that it is, too; null: it is none
    std::uint64_t lanesBytes = 0;  ///< of the state of all lanes of a library, on the stack
    unsigned threads = 1;  ///< that share a call of a library
    const plan::Ranks* ranks = nullptr;  ///< null: it is one process
    plan::Network network = {};  ///< between those
    bool isMesh = false;  ///< ranks share parts of products
};

/// The constant by which main finds everything else.
constexpr const char* kTables = "strc_executable_data";

/// `features`: codegen::processorFeatures.
std::vector<codegen::Data> tables(const Program&, const codegen::Module&, std::uint64_t features);

/// Reports files of filters in formats that the executable does not have; false if there are any.
bool checkFormats(const Program&);

/// Can files of its be pictures, for which it loads libraries?
bool mayLoadLibraries(const Program&);

}  // namespace strc::executable
