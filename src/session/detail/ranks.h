#pragma once
/// Executables that are several processes (`strc build --ranks`). Private to session.

#include <optional>

#include "plan/ranks.h"
#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

/// Can ranks share its products, with these options? False: it is reported why they cannot.
bool checkMesh(Compilation&, const Settings&);
/// How the program can be cut. None: it is reported why it cannot.
std::optional<plan::Ranks> findRanks(Compilation&, const Settings&);

}  // namespace strc::session
