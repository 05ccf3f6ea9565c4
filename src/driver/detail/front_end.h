#pragma once
/// What is done by others: the terminal front end of `strc repl` (docs/design/repl-terminal.md), and the scripts of
/// `strc import` and `strc setup`. Private to driver.

#include <string>
#include <string_view>
#include <vector>

namespace strc::driver {

/// Standard input and output are a terminal that can move its cursor.
bool isForEditing();
/// Becomes the front end, which hands options and files on to `strc repl --json --events` or `--plain`. Returns
/// only if that cannot be: what is missing.
std::string becomeFrontEnd(const std::vector<std::string>& options,
                           const std::vector<std::string>& files);
/// The name of the script that does a command; empty where the compiler does it.
std::string scriptOf(std::string_view command);
/// Becomes a script, which lies where it was installed, else in the sources. Returns only if that cannot be: why.
std::string becomeScript(const std::string& script, const std::vector<std::string>& arguments);
/// Has the script of `strc setup torch` install what `--kernels` asks for by name, if it is not there and no variable names
/// another one. Its words go to standard error; if it fails, the compiler says what is missing.
void setUpKernels(std::string_view kernels);

}  // namespace strc::driver
