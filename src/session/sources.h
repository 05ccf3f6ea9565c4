#pragma once
/// Source files as strings.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "ast/nodes.h"
#include "base/context.h"
#include "base/result.h"

namespace strc::session {

constexpr std::uint64_t kMostSourceBytes = 1ull << 30;

struct SourceText {
    std::string name;  ///< as messages print it
    std::string text;
    /// Makes the tree of a program that was not read from the text, but means the same; else null.
    std::function<const ast::Unit&(base::Context&)> tree = nullptr;
};

base::Result<std::string> readFile(const std::string& path);
/// The next bytes of a text, up to `room`, and how many; 0: it is over.
using ReadText = std::function<std::size_t(char* to, std::size_t room)>;
base::Result<std::string> readText(const std::string& name, const ReadText&);

/// As a shell does it: `~/a.str`, `~ann/a.str`. Unchanged if there is no such user.
std::string expandHome(std::string path);

}  // namespace strc::session
