#pragma once
/// Sound devices (runtime/files/sound_device.c), before they run.

#include <string>

#include "base/result.h"

namespace strc::io {

/// "jack:", "alsa:Loopback" and so on.
bool isSoundDevice(const std::string& name);

/// Samples a second that an input has. It is found for that, and does not begin.
base::Result<int> deviceRate(const std::string& name);

}  // namespace strc::io
