#pragma once
/// Which products a device may do on its tensor cores (the pass `device-tensor-cores`). In: a firing. Out: the same, with
/// contractions marked: those of half and bfloat16, whose products floats have exactly, and with `isFast` those of floats,
/// whose factors are rounded to 11 bits (TF32) before. Private to device.

#include <string>

#include "base/passes.h"
#include "device/split.h"

namespace strc::device {

/// `name`: of the filter.
void useTensorCores(base::Passes&, Firing&, const std::string& name, bool isFast);

}  // namespace strc::device
