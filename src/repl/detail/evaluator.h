#pragma once
/// Runs what is typed as static blocks: values and types of expressions, statements. Private to repl.

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "repl/declarations.h"
#include "repl/detail/output.h"
#include "repl/workbench.h"

namespace strc::repl {

/// How a text with static blocks is run.
struct RunOptions {
    std::set<std::string, std::less<>> fresh = {};  ///< variables that the text declares
    std::string target = {};  ///< Task::target
    bool assigns = false;  ///< Task::assigns
};

class Evaluator {
public:
    Evaluator(Output& to, Declarations& known, const Workbench& bench)
        : output(to), declarations(known), workbench(bench) {}

    /// Shows the value of an expression.
    void expression(const Input&);
    void statement(const Input&);

    /// The value of a typed expression, converted to `type` (empty: its own); an array if its own is one.
    /// Empty for one that has no value.
    std::optional<types::Value> valueOf(const Input&, std::string_view type = {});
    std::string typeOf(const Input&);
    bool isExpression(const Input&);
    /// The value of an `int` that is not negative; `fault` says so of one that is.
    std::uint64_t countOf(const Input&, std::string_view fault);

    /// Runs a text with static blocks in it. Ends the entry if that fails.
    std::unique_ptr<Work> run(const Input&, const MixedText&, const RunOptions& = {});
    /// Variables of the session get the values that they have at the end of a run, and `fresh` ones come to be.
    void keepVariables(const session::Compilation&, const std::set<std::string, std::less<>>& fresh,
                       const std::string& source = {});

private:
    std::unique_ptr<Work> checkedValue(const Input&, std::vector<Message>& told);

    Output& output;
    Declarations& declarations;
    const Workbench& workbench;
    std::unique_ptr<Work> valued;  ///< of the last value: its types live there
    types::Random random;  ///< streams have generators of their own
};

}  // namespace strc::repl
