#pragma once
/// The meanings of names in a session: declarations, variables and streams of its own, the library, words of the
/// language. Private to repl.

#include <string>
#include <string_view>
#include <vector>

#include "repl/declarations.h"
#include "repl/detail/output.h"
#include "repl/detail/streams.h"
#include "repl/workbench.h"

namespace strc::repl {

class Names {
public:
    Names(Output& to, const Declarations& known, const Workbench& bench, const Streams& held)
        : output(to), declarations(known), workbench(bench), streams(held) {}

    /// A stream that runs, or can be made.
    bool isStream(std::string_view name) const;
    /// A stream, a declaration or a variable.
    bool isKnown(std::string_view name) const;
    /// "instance", "variable", "stream", "struct", "function"; "name" if there is nothing of that name.
    std::string kindOf(std::string_view name) const;
    /// "int->int filter Scale(int k)", or empty.
    std::string headOf(std::string_view name) const;

    /// Refuses a name for a `kind` ("variable", "stream", "declaration") that means something else.
    void check(const Input&, std::string_view name, std::string_view kind) const;
    /// Structs are known by their names: refuses a type of a stream one of whose structs has become another.
    void checkStructs(const Running&, const types::Type*, const Input&) const;

private:
    Output& output;
    const Declarations& declarations;
    const Workbench& workbench;
    const Streams& streams;
};

/// Functions of numbers and tensors that the language has.
std::vector<std::string_view> functionNames();

}  // namespace strc::repl
