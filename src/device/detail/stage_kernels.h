#pragma once
/// What the library and the driver do between launches, as kernels of our own: parts of a persistent kernel. Private to device.

#include <optional>

#include "device/split.h"

namespace strc::device {

/// A warp does a result; `warps`: so many there will be. If operand `b` stays the same while the kernel is at work and is small enough, all that a thread
/// needs of it is loaded in the beginning of the code, whatever follows. None: it is not of floats or doubles.
std::optional<Kernel> sumsKernel(const Contract&, bool staysB, std::int64_t warps,
                                 types::TypeTable&);
/// None: it is no multiple of a word.
std::optional<Kernel> copyKernel(const Copy&, types::TypeTable&);
std::optional<Kernel> zeroKernel(const Zero&, types::TypeTable&);

/// Results that differ in operand `b`: as many warps have something to do.
std::int64_t columnsOf(const ir::Contraction&);

}  // namespace strc::device
