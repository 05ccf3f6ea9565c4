#pragma once
/// Items that are typed: lists, ranges, values of expressions. Private to repl.

#include <string>
#include <vector>

#include "repl/declarations.h"
#include "repl/detail/evaluator.h"
#include "repl/detail/output.h"
#include "repl/detail/stream_line.h"

namespace strc::repl {

class ItemLists {
public:
    ItemLists(Output& to, const Declarations& known, Evaluator& values)
        : output(to), declarations(known), evaluator(values) {}

    /// `1, 2, 3` or `1 .. 9`, which stands inside of brackets, as bytes of items.
    std::string listed(const Input&, const Line&, Span inside, const types::Type* item);
    std::string range(const Input& from, const Input& to, const types::Type* item);
    /// The value of an expression: an array or a tensor item by item, or a single one.
    std::string ofValue(const Input&, const types::Type* item);
    /// `[1, 2.5]` or `[1 .. 9]`.
    std::vector<double> numbers(const Input& list);

private:
    std::string itemsOf(const Input&, const MixedText&);
    std::string elementsOf(const Input& tensor, const types::Type* item);

    Output& output;
    const Declarations& declarations;
    Evaluator& evaluator;
};

}  // namespace strc::repl
