#pragma once
/// Refuses lines that are probably mistyped, with a suggestion. Private to repl.

#include <vector>

#include "repl/declarations.h"
#include "repl/detail/completer.h"
#include "repl/detail/evaluator.h"
#include "repl/detail/names.h"
#include "repl/detail/output.h"
#include "repl/tokens.h"
#include "repl/workbench.h"

namespace strc::repl {

class Hints {
public:
    Hints(Output& to, const Declarations& known, const Workbench& bench, const Names& meanings,
          const Completer& completion, Evaluator& values)
        : output(to),
          declarations(known),
          workbench(bench),
          names(meanings),
          completer(completion),
          evaluator(values) {}

    // The tokens are those of the input, without comments.
    void refuseForgottenColon(const Input&, const std::vector<Token>&) const;
    void refuseLooseFunction(const Input&, const std::vector<Token>&) const;
    void refuseRunAsValue(const Input&, const std::vector<Token>&) const;
    void refuseMisspelledStream(const Input&, const std::vector<Token>&) const;
    void refuseNewName(const Input&, const std::vector<Token>&) const;

private:
    Output& output;
    const Declarations& declarations;
    const Workbench& workbench;
    const Names& names;
    const Completer& completer;
    Evaluator& evaluator;
};

}  // namespace strc::repl
