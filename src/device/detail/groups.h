#pragma once
/// A body cut into groups of instructions that become one launch each. Private to device.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "device/split.h"
#include "ir/parallel_loops.h"

namespace strc::device {

using ir::Affine;
using ir::Induction;
using ir::Nest;

enum class GroupKind : std::uint8_t { Serial, Nest, Contract, Copy, Zero, Repeat };

struct Group {
    GroupKind kind = GroupKind::Serial;
    std::vector<const ir::Instr*> instrs;  ///< Serial: in order; else the one it is
    std::vector<Nest>
        nests;  ///< Nest: one after the other in each thread; the first has what all touch
    Induction repeat;
    const ir::Instr* begin = nullptr;  ///< Nest, Repeat: the store that begins the outermost loop
    std::vector<Group> inside;  ///< Repeat
    std::vector<Induction> around;  ///< repeats, outermost first
    std::uint32_t id = 0;
};

/// The results of the analysis of a body that all parts of splitting use.
struct Cut {
    std::vector<Group> groups;
    std::map<const ir::Instr*, std::uint32_t>
        groupOf;  ///< of instructions that are not remade where they are used
    std::map<std::uint32_t, Array> aliases;  ///< locals that are items
    std::map<const ir::Instr*, std::uint32_t> items;  ///< takes and gives: which item
    std::set<const ir::Instr*> dropped;  ///< takes and gives that aliases have made needless
};

/// Why a body is not for a device, as a sentence; or empty.
std::string whyNot(const ir::Module&, const elab::Kernel&);

/// Can the instruction be repeated wherever its result is needed?
bool isRemade(const ir::Instr&);

Cut cut(const ir::Body&, Affine&);

}  // namespace strc::device
