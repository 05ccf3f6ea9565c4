#pragma once
/// Writes a session, or a stream of it, as a program. Private to repl.

#include <string>
#include <string_view>

#include "repl/declarations.h"
#include "repl/detail/evaluator.h"
#include "repl/detail/input.h"
#include "repl/detail/running.h"

namespace strc::repl {

/// All declarations, and the variables with their present values. `input` is the line that wants it.
std::string programText(const Declarations&, Evaluator&, const Input&);
/// A program whose main stream is the running one, of what that was made of; `declarations` are those of the session.
std::string programText(const Running&, Declarations&, Evaluator&, const Input&);

}  // namespace strc::repl
