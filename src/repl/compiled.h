#pragma once
/// Runs of streams as machine code, from their beginning to the end of what they are fed. Private to repl.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "repl/running.h"

namespace strc::repl {

struct CompiledRun {
    std::string items;  ///< bytes for the open input
    io::ItemReader* file = nullptr;  ///< instead of them
    std::optional<std::uint64_t> most;  ///< items at the open output, or printed lines
    std::function<void(std::string_view)> print;
    Running::Take take;
    volatile bool* interrupt = nullptr;
};

/// Why it did not go on. The stream has been compiled as far as Stage::Planned; what machine code cannot do
/// is interpreted.
Stop runCompiled(Running&, CompiledRun);

}  // namespace strc::repl
