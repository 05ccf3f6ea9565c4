#pragma once
/// Writes a group of a body as code for one thread. Private to device.

#include <functional>
#include <map>

#include "device/detail/groups.h"
#include "device/split.h"

namespace strc::device {

/// An array that is a thread's own and has no more bytes lies on its stack.
constexpr std::int64_t kMostInThread = 256;

/// Scalars in memory, since several launches need them: {is a local, local or register} -> Firing::scratch.
using Slots = std::map<std::pair<bool, std::uint32_t>, std::uint32_t>;

struct KernelParts {
    const elab::Kernel& kernel;
    const ir::Body& body;
    const Affine& affine;
    const Group& group;
    std::function<Array(ir::VarRef)> arrayOf;
    const Slots& slots;
    const std::map<const ir::Instr*, std::uint32_t>& groupOf;
};

/// Without a name.
Kernel writeKernel(const KernelParts&, types::TypeTable&);

}  // namespace strc::device
