#pragma once
/// The prompt without a line editor: input that is no terminal, or a simple one.

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "repl/session.h"

namespace strc::repl {

struct Terminal {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
    bool hasPrompt = false;  ///< a person types the lines
    volatile bool* interrupt = nullptr;
    const volatile bool* ended = nullptr;  ///< the session shall end: nothing more is read
    /// Waits until a line can be read; false if it was interrupted first. May be empty.
    std::function<bool()> wait = {};
    /// Can another line be read without waiting? May be empty: then lines are not read ahead.
    std::function<bool()> hasMore = {};
};

/// Until the end of the input, `:quit` or `ended`. An interrupt drops an entry that is not complete yet. Results go to `callbacks.show`, messages to `err`. `files` are loaded
/// first. False if there was an error and nobody saw it at a prompt.
bool readLines(const Terminal&, Callbacks, const std::vector<std::string>& files);

}  // namespace strc::repl
