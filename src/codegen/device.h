#pragma once
/// Kernels for a CUDA device: PTX, which the driver makes into machine code. In: what has been moved to it. No
/// toolkit is needed where this runs; what is in the toolkit was put into this binary when it was built.

#include <string>

#include "base/result.h"
#include "codegen/lower.h"

namespace strc::codegen {

/// Why no code can be made for a device by this strc, as a sentence; or empty.
std::string whyNoDevice();

/// A sentence why not.
base::Result<DevicePart> lowerForDevice(base::Context&, types::TypeTable&, const ir::Module&,
                                        std::shared_ptr<const device::Offloaded>, const Options&);

/// The PTX name of kernel `index`.
std::string deviceSymbol(const device::Offloaded&, std::size_t index);
/// Of persistent kernel `index`.
std::string persistentSymbol(std::size_t index);

}  // namespace strc::codegen
