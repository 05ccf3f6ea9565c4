#pragma once
/// Puts declarations of streams, structs, functions and variables into the session. Private to repl.

#include <string>

#include "repl/declarations.h"
#include "repl/detail/evaluator.h"
#include "repl/detail/names.h"
#include "repl/detail/output.h"
#include "repl/detail/redefinitions.h"

namespace strc::repl {

class Declarer {
public:
    Declarer(Output& to, Declarations& known, const Names& meanings, Evaluator& values,
             Redefinitions& changes)
        : output(to),
          declarations(known),
          names(meanings),
          evaluator(values),
          redefinitions(changes) {}

    /// Declares the streams, structs, packages and static blocks that an entry has.
    void declare(const Input&);
    /// Declares what stands in `text` from the beginning of the input on: all of it or nothing. `isQuiet`: what is
    /// declared is not confirmed.
    void declare(const Input&, const std::string& text, bool isQuiet);
    /// Declares the variables of `int n = 3` or of a static block, and runs their initialisers.
    void variables(const Input&);

private:
    Output& output;
    Declarations& declarations;
    const Names& names;
    Evaluator& evaluator;
    Redefinitions& redefinitions;
};

}  // namespace strc::repl
