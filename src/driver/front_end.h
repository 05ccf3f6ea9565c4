#pragma once
/// The way from `strc repl` to its terminal front end (docs/design/repl-terminal.md). Private to driver.

#include <string>
#include <vector>

namespace strc::driver {

/// Standard input and output are a terminal that can move its cursor.
bool isForEditing();
/// Becomes the front end, which hands the arguments on to `strc repl --json --events` or `--plain`. Returns
/// only if that cannot be: what is missing.
std::string becomeFrontEnd(const std::vector<std::string>& arguments);

}  // namespace strc::driver
