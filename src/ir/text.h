#pragma once
/// The textual form of the IR: printed by --emit=ir, compared by golden tests, read back by tests of
/// passes. `parse(print(m))` gives an equal module; source ranges are not part of the text.

#include <optional>
#include <string>
#include <string_view>

#include "base/context.h"
#include "base/result.h"
#include "ir/ir.h"

namespace strc::ir {

std::string print(const Module&);
/// The module as the author of the program wants to read it: the program's own streams first, then those of the library
/// that they use; the others are left out.
Module forReading(Module);
std::string print(const StreamCode&);
std::string print(const Body&);

/// Struct types must be in the text ("struct P { … }" lines stand first in a module's text).
base::Result<Module> parse(std::string_view text, types::TypeTable&, base::NameTable&);

/// The same of a source; its instructions have their ranges there. None: what is wrong has been reported.
std::optional<Module> parse(base::Context&, base::BufferId, types::TypeTable&);
/// The same, of a text that is read in the place of the source's: it is as long, and what stands in it stands there too.
std::optional<Module> parse(base::Context&, base::BufferId, std::string_view text,
                            types::TypeTable&);

}  // namespace strc::ir
