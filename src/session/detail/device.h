#pragma once
/// `--device`: the part of a program that a CUDA device does.

#include <memory>
#include <string>

#include "codegen/lower.h"
#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

/// Is the product for this very process? Then it is known at once if there is a device.
enum class DeviceFor : std::uint8_t { Here, Executable };

/// Code for the device, if the settings ask for one and something of the program is for it. Null: all of it is for the
/// processor, as asked, or after a word about it; or there were errors. The program has a plan.
std::shared_ptr<const codegen::DevicePart> devicePart(Compilation&, const Settings&,
                                                      const codegen::Options&, DeviceFor);

/// Of a program that is interpreted, with the reason: an error if it has to be on a device, else a word.
void checkDevice(Compilation&, const Settings&, const std::string& why);

}  // namespace strc::session
