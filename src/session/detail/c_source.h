#pragma once
/// A compilation as C source (csource/print.h), and the header beside it.

#include <optional>
#include <string>

#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

/// A planned program as one file of C. Empty after reporting what a library of it could not do, or why there is no C for it.
std::optional<std::string> cSource(Compilation&, const Settings&);
/// Its header, of a program that has one.
std::optional<std::string> cHeader(Compilation&, const Settings&);

}  // namespace strc::session
