#pragma once
/// Files whose names are typed. Private to repl.

#include <string>
#include <string_view>

#include "io/items.h"
#include "repl/detail/output.h"

namespace strc::repl {

/// The format that the name of a file says; fails if it says none.
io::Format formatOf(Output&, const Input&, const std::string& file);
/// `… > FILE`: the file, and `arguments` become those without it. Empty if there is none.
std::string fileAfter(Output&, Input& arguments);
/// Writes a file, and confirms that.
void writeFile(Output&, const Input&, const std::string& file, std::string_view text);

}  // namespace strc::repl
