#pragma once
/// `--threads`: a library whose calls several threads share.

#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

/// A hint if that was asked for and nothing will come of it.
void tellThreads(Compilation&, const Settings&);

}  // namespace strc::session
