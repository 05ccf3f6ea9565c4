#pragma once
/// The pass `device-persistent`: a loop between whose launches nothing else happens (the steps of a recurrence) as one kernel, whose
/// threads wait for each other between the parts of an iteration. So an iteration takes some waits in place of launches, and what
/// no part changes, weights above all, stays in the registers of its threads (Diamos et al., "Persistent RNNs: Stashing Recurrent
/// Weights On-Chip", ICML 2016). Private to device.

#include <string>

#include "base/passes.h"
#include "device/split.h"

namespace strc::device {

void makePersistent(base::Passes&, Firing&, const std::string& name, types::TypeTable&);

}  // namespace strc::device
