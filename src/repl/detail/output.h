#pragma once
/// How a session talks: what it shows, and the messages and values of the answer that is being made. Private to
/// repl.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "repl/detail/input.h"
#include "repl/detail/values.h"
#include "repl/session.h"

namespace strc::repl {

/// An entry that fails ends the evaluation; its messages have been added to the answer.
struct Failed {};

/// Says for a while that something is so.
class Meanwhile {
public:
    explicit Meanwhile(bool& of) : flag(of), before(of) { flag = true; }
    ~Meanwhile() { flag = before; }
    Meanwhile(const Meanwhile&) = delete;
    Meanwhile& operator=(const Meanwhile&) = delete;

private:
    bool& flag;
    bool before;
};

class Output {
public:
    explicit Output(Callbacks given) : callbacks(std::move(given)) {}

    /// Messages and values go into this answer, until `end` adds how many messages were left out.
    void begin(Answer&);
    void end();
    /// Between `begin` and `end`.
    Answer& answer() { return *present; }

    void show(std::string_view text) const {
        if (!isQuiet) callbacks.show(text);
    }
    /// That what was asked for is done.
    void confirm(std::string_view text) const {
        if (!callbacks.isTerse) show(text);
    }
    /// Something that is no result and yet has to be said.
    void remark(std::string_view text);
    /// Shows a value or the items of a run; they become the value of the answer.
    void give(const types::Value&);
    void give(const Items&);

    /// Reports a fault of the input at hand, with its place, and ends the entry.
    [[noreturn]] void fail(const Input&, std::string_view what);
    [[noreturn]] void failAt(const Input&, std::size_t begin, std::size_t end,
                             std::string_view what);
    /// Reports that there is no memory for the entry.
    void lackMemory(const Input&);
    /// No more than a person reads.
    void add(std::vector<Message>);
    /// The same; ends the entry if there is an error among them.
    void check(std::vector<Message>);
    /// Takes messages back: so many stay.
    void keepMessages(std::size_t count);

    bool isInterrupted() const { return callbacks.interrupt && *callbacks.interrupt; }
    /// Ends the entry if it was interrupted.
    void stopIfInterrupted() const {
        if (isInterrupted()) throw Failed();
    }

    Callbacks callbacks;
    bool isQuiet = false;  ///< what is shown is not wanted

private:
    Answer* present = nullptr;
    std::uint64_t unsaid = 0;  ///< errors of this answer
};

}  // namespace strc::repl
