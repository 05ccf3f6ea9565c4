#pragma once
/// `strc opt`: passes over the text form of the IR, without a program around it.

#include <optional>
#include <string>

#include "base/context.h"
#include "session/settings.h"
#include "session/sources.h"

namespace strc::session {

/// The text of filters after Settings::passes, one after the other (opt/run_on_text.h). None: what is wrong with it has been
/// reported.
std::optional<std::string> optimiseText(base::Context&, SourceText, const Settings&);

}  // namespace strc::session
