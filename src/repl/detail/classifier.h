#pragma once
/// Tells lines about streams from others. The grammar cannot: in it `s = Ramp() | Print()` is an assignment, and what the names
/// mean decides. All other kinds are the parser's to say (parser/fragment.h). Private to repl.

#include <cstdint>
#include <vector>

#include "repl/declarations.h"
#include "repl/detail/evaluator.h"
#include "repl/detail/names.h"
#include "repl/detail/streams.h"
#include "repl/tokens.h"

namespace strc::repl {

class Classifier {
public:
    Classifier(const Declarations& known, const Names& meanings, const Streams& held,
               Evaluator& values)
        : declarations(known), names(meanings), streams(held), evaluator(values) {}

    /// Does the entry speak of a stream, and not of numbers?
    bool isStream(const Input&) const;

private:
    /// Does it begin with the call of a function that streams are called like, and is an expression?
    bool isTensorCall(const Input&, const std::vector<Token>&, std::size_t at) const;

    const Declarations& declarations;
    const Names& names;
    const Streams& streams;
    Evaluator& evaluator;
};

}  // namespace strc::repl
