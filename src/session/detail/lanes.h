#pragma once
/// `--lanes`: a library that does several instances at once.

#include <memory>

#include "codegen/lower.h"
#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

/// The program in lanes. Null: that was not asked for, or it cannot be done, which is reported as a hint.
std::shared_ptr<const codegen::LanesPart> lanesPart(Compilation&, const Settings&);

}  // namespace strc::session
