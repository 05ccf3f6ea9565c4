#pragma once
/// The interpreter at the prompt, without a terminal: text in, text out. docs/design/repl.md says how it
/// works, docs/repl.md what may be typed.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repl/tokens.h"
#include "repl/workbench.h"

namespace strc::repl {

/// The callbacks and settings that the process gives to the session.
struct Callbacks {
    /// Takes what programs print and what is shown, as it comes.
    std::function<void(std::string_view)> show;
    /// Set by Ctrl-C; set back by the session when it has stopped what ran.
    volatile bool* interrupt = nullptr;
    /// Makes an executable: the text of a program, its main stream, the file. A message, or empty.
    std::function<std::string(const std::string& text, const std::string& top,
                              const std::string& file)>
        build;
    std::string weights;  ///< what --weights says; empty: there are none
    std::size_t width = 80;  ///< columns of tables and plots
    bool colour = false;  ///< of messages
    /// Successful lines are not confirmed, since no person reads the output.
    bool isTerse = false;
    bool wantsValues = true;  ///< Answer::value
};

struct Answer {
    bool isFine = true;  ///< no entry had an error, none was interrupted
    bool isInterrupted = false;
    bool isEnd = false;  ///< `:quit`
    bool hasDeclared = false;  ///< streams, structs, functions, variables
    std::vector<Message> messages;
    /// The value of the last entry that had one, as JSON, and its type; empty if there was none. A run of very many
    /// items has a type alone.
    std::string type, value;
    double seconds = 0;
};

/// Something that may stand at the cursor.
struct Candidate {
    std::string text;
    std::string kind;  ///< "stream", "function", "variable", "keyword", "command", "file", …
    std::string about;
};
struct Completion {
    std::uint32_t begin = 0, end = 0;  ///< what a candidate replaces
    std::vector<Candidate> candidates;
};

/// For colours: kinds of tokens, and of names what they mean in this session.
struct Coloured {
    std::uint32_t begin = 0, end = 0;
    std::string kind;
};

class State;

class Session {
public:
    explicit Session(Callbacks);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Does what the text says, entry by entry, until one fails. Nothing that a program does ends the process.
    Answer evaluate(std::string_view text);
    Completion complete(std::string_view text, std::uint32_t cursor) const;
    std::vector<Coloured> colour(std::string_view text) const;
    void setWidth(std::size_t columns);
    void setColour(bool);
    /// Callbacks::wantsValues.
    void setValues(bool wanted);

private:
    std::unique_ptr<State> state;
};

}  // namespace strc::repl
