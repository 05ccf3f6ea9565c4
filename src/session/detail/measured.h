#pragma once
/// `--profile-use`: what filters take, as a run has measured it.

#include "profile/read.h"
#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

/// Empty after reporting; without that option, too.
profile::Measured measuredOf(base::Context&, const Settings&);

/// A word about what of the plan's program such a profile says nothing.
void checkMeasured(Compilation&, const Settings&, const profile::Measured&);

}  // namespace strc::session
