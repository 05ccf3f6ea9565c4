#pragma once
/// Values as a program text that gives them back bit by bit (of a NaN only that it is one). Private to repl.

#include <string>
#include <string_view>

#include "types/value.h"

namespace strc::repl {

/// An initialiser. Literals are floats: a double with more digits is a sum of several. Empty where the language
/// has no initialiser for it.
std::string toSource(const types::Value&);

/// For what has none: statements, each after `indent`, that give the variable, zeroed, its value.
std::string assignments(std::string_view variable, const types::Value&, std::string_view indent);

}  // namespace strc::repl
