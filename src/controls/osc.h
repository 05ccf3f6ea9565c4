#pragma once
/// Open Sound Control 1.0 (https://opensoundcontrol.stanford.edu/spec-1_0.html): what arrives in a packet of UDP.

#include <string_view>
#include <vector>

#include "controls/change.h"

namespace strc::controls {

/// The changes that a packet asks for: of "/cutoff" or "/synth/cutoff" with a number or a truth as first argument, the parameter
/// `cutoff`. Bundles count as their messages, whatever their time. What is no OSC, and other messages, give nothing.
std::vector<Change> changesOfPacket(std::string_view packet);

}  // namespace strc::controls
