#pragma once
/// Writes a group of a body as code for one thread. Private to device.

#include <functional>
#include <map>

#include "device/detail/groups.h"
#include "device/split.h"

namespace strc::device {

/// An array that is a thread's own and has no more bytes lies on its stack.
constexpr std::int64_t kMostInThread = 256;

/// A scalar in memory, since several launches need it; each iteration of the loops apart has its own.
struct Slot {
    std::uint32_t scratch = 0;  ///< into Firing::scratch
    std::vector<Induction> apart;
};
/// By {is a local, local or register}.
using Slots = std::map<std::pair<bool, std::uint32_t>, Slot>;

struct KernelParts {
    const elab::Kernel& kernel;
    const ir::Body& body;
    const Affine& affine;
    const Group& group;
    std::function<Array(ir::VarRef)> arrayOf;
    const Slots& slots;
    const std::map<const ir::Instr*, std::uint32_t>& groupOf;
    const std::map<std::uint32_t, std::vector<Induction>>& copied;
};

/// Without a name.
Kernel writeKernel(const KernelParts&, types::TypeTable&);

}  // namespace strc::device
