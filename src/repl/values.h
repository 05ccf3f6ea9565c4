#pragma once
/// Values as people and tools read them. Private to repl.

#include <string>
#include <vector>

#include "types/value.h"

namespace strc::repl {

/// As the language would write it: `{1, 2}`, `1.5`, `P{x = 1, y = 2}`.
std::string toText(const types::Value&);
/// One line for a few; numbers of one type in columns, each row with the place of its first.
std::string toTable(const std::vector<types::Value>&, std::size_t width);
/// JSON: numbers, booleans, arrays, objects; complex as [re, im]; NaN and infinities as strings.
std::string toJson(const types::Value&);
/// As an initialiser in a program, where the language has one for it; else empty.
std::string toSource(const types::Value&);
/// A number as a double; of a complex its absolute value, of an array its items one after the other.
void appendNumbers(const types::Value&, std::vector<double>&);
/// Element `k` of an array.
types::Value element(const types::Value&, std::int64_t k);

}  // namespace strc::repl
