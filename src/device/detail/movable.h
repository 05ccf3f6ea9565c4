#pragma once
/// Which nodes of a plan are for a device, and whose tapes are. Private to device.

#include <map>
#include <string>
#include <vector>

#include "device/offload.h"

namespace strc::device {

struct Movable {
    std::vector<bool> nodes;  ///< by NodeId: on the device
    std::vector<bool> tapes;  ///< by EdgeId of tapes: written by the device
    std::vector<bool> isReadByHost;  ///< by EdgeId of tapes
    std::map<graph::KernelId, Firing> firings;
    std::vector<Stay> stays;
    bool any() const;
};

Movable findMovable(base::Passes&, const ir::Module&, const plan::Plan&, types::TypeTable&);

}  // namespace strc::device
