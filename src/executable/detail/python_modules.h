#pragma once
/// Names of modules that a folder with a module of the same name would hide from Python. Private to executable.

#include <string_view>

namespace strc::executable {

/// Is it a module of Python's library, or one that GNU Radio imports?
bool isPythonModule(std::string_view name);

}  // namespace strc::executable
