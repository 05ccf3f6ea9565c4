#pragma once
/// Other programs as functions from text to text.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace strc::io {

/// How a tool ended.
struct ToolEnd {
    bool fine = false;
    bool isMissing = false;  ///< there is no such program
    std::string output;
    std::string
        complaint;  ///< if it was not fine: the first line it complained with, or why it did not run
};
ToolEnd callTool(const std::vector<std::string>& command, std::string_view input);

/// Runs `command` (a name is looked for in PATH, no shell is involved) with `input` on its standard
/// input and gives what it wrote to its standard output. A failure names the program and says what it
/// complained about. Nothing is written to files.
base::Result<std::string> runTool(const std::vector<std::string>& command, std::string_view input);

}  // namespace strc::io
