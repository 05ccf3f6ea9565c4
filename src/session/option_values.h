#pragma once
/// Settings by the names that options have on the command line, without dashes.

#include <string_view>

#include "session/settings.h"

namespace strc::session {

/// False: there is no such option with a value, or this is none for it.
bool setOption(Settings&, std::string_view name, std::string_view value);
/// False: there is no such option without a value.
bool setFlag(Settings&, std::string_view name);

}  // namespace strc::session
