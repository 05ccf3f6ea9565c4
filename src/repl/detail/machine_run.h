#pragma once
/// A run of a stream as machine code that stands still between lines: on a thread of its own, which waits where the
/// program asks for items that have not been fed yet, or has made all that is wanted. Prompt and program never run
/// at the same time. Private to repl.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "interp/files.h"
#include "interp/machine.h"
#include "session/engine.h"
#include "types/value.h"

namespace strc::repl {

class MachineRun {
public:
    /// The compilation has got as far as Stage::Planned and outlives this. What machine code cannot do is
    /// interpreted. `input`, `output`: of the open ends, null where there is none.
    MachineRun(session::Compilation&, const types::Type* input, const types::Type* output,
               std::function<void(std::string_view)> print, const volatile bool* interrupt);
    ~MachineRun();
    MachineRun(const MachineRun&) = delete;
    MachineRun& operator=(const MachineRun&) = delete;

    void feed(const std::byte* items, std::size_t bytes) {
        fed.append(reinterpret_cast<const char*>(items), bytes);
    }
    /// Something was fed, or it has run.
    bool hasBegun() const { return !fed.empty() || program.joinable(); }

    /// Why the program stands still. After Over it is at its end.
    enum class Rest : std::uint8_t { Wanting, Made, Over };
    using Take = std::function<bool(std::vector<types::Value>)>;  ///< false: no more
    /// Until so many items or printed lines are there, which are handed on; none: as long as there is input.
    Rest go(std::optional<std::uint64_t> most, const Take&);
    /// Files hold what was written so far, as far as their formats allow before the end. False after reporting a
    /// failure.
    bool flush();
    /// Ends the program, which completes its files.
    void close();
    /// How the run ended, once it is over.
    interp::End end() const { return outcome.end; }

private:
    class Reader;
    class Writer;

    void run();
    void resume();
    /// Called by the program's thread: gives control to the prompt, and waits.
    void rest(Rest why);
    void restIfEnough();
    /// Gives items or lines to `Take`; false: it wants no more.
    bool deliver(std::optional<std::uint64_t> most, const Take&);
    std::uint64_t made() const;

    session::Compilation& compilation;
    const types::Type* input;
    const types::Type* output;
    std::function<void(std::string_view)> print;
    const volatile bool* interrupt;

    std::thread program;
    std::mutex lock;
    std::condition_variable changed;
    bool programsTurn = false;
    bool isAbandoned = false;
    volatile bool halt = false;  ///< the program's interrupt
    Rest why = Rest::Wanting;
    interp::Outcome outcome;
    interp::WrittenFiles files;
    const elab::Elaboration* running = nullptr;  ///< whose files those are

    std::string fed;  ///< bytes that the program has not read yet
    std::string items;  ///< bytes at the open output, not yet taken
    std::string text;  ///< printed, not yet shown
    std::uint64_t wanted = 0;  ///< when there are so many, it is the prompt's turn
};

}  // namespace strc::repl
