#pragma once
/// Completion at the cursor, and the meanings of words for highlighting. Private to repl.

#include <string_view>
#include <utility>
#include <vector>

#include "repl/declarations.h"
#include "repl/detail/names.h"
#include "repl/detail/streams.h"
#include "repl/session.h"
#include "repl/workbench.h"

namespace strc::repl {

class Completer {
public:
    Completer(const Declarations& known, const Workbench& bench, const Names& meanings,
              const Streams& held)
        : declarations(known), workbench(bench), names(meanings), streams(held) {}

    Completion complete(std::string_view text, std::uint32_t cursor) const;
    std::vector<Coloured> colour(std::string_view text) const;

    /// All names that go on as `begun` does; without the library's if nothing has been typed yet.
    std::vector<Candidate> namesFrom(std::string_view begun) const;

private:
    struct Cursor;
    void find(const Cursor&, Completion&) const;
    bool findArguments(const Cursor&, Completion&) const;
    std::vector<Candidate> membersOf(std::string_view owner, std::string_view begun) const;

    const Declarations& declarations;
    const Workbench& workbench;
    const Names& names;
    const Streams& streams;
};

}  // namespace strc::repl
