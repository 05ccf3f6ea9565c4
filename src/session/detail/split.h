#pragma once
/// `--split`: parts of products by hand.

#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

/// A word if it was asked for, and nothing of the program is split.
void checkSplit(Compilation&, const Settings&);

}  // namespace strc::session
