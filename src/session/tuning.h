#pragma once
/// By which number what trials have found about a program is kept (strc_env::tuning).

#include <cstdint>

#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

/// Of its texts, all options that code depends on, and the version of strc; 0 where threads do not share the program.
std::uint64_t tuningKey(const Compilation&, const Settings&);

}  // namespace strc::session
