#pragma once
/// The prompt without a line editor: input that is no terminal, or a simple one.

#include <iosfwd>
#include <string>
#include <vector>

#include "repl/session.h"

namespace strc::repl {

struct Terminal {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
    bool hasPrompt = false;  ///< somebody sits there
    volatile bool* interrupt = nullptr;
};

/// Until the end of the input or `:quit`. Results go to `world.show`, messages to `err`. `files` are loaded
/// first. False if there was an error and nobody saw it at a prompt.
bool readLines(const Terminal&, World, const std::vector<std::string>& files);

}  // namespace strc::repl
