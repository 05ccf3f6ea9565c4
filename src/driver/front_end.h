#pragma once
/// The line editor of `strc repl`: a Python program beside the compiler. Private to driver.

#include <string>
#include <vector>

namespace strc::driver {

/// Becomes the front end, if there are Python, prompt_toolkit and the package; else says why not. STRC_PYTHON
/// chooses the interpreter. `files` are loaded first.
std::string startFrontEnd(const std::vector<std::string>& files);

/// Makes an executable of a text. The messages if that fails, or empty.
std::string buildText(const std::string& text, const std::string& top, const std::string& file);

}  // namespace strc::driver
