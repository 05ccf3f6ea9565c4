#pragma once
/// A body cut into groups of instructions that become one launch each. Private to device.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "device/detail/teams.h"
#include "device/split.h"
#include "ir/parallel_loops.h"

namespace strc::device {

using ir::Affine;
using ir::Induction;
using ir::Nest;

enum class GroupKind : std::uint8_t { Serial, Nest, Contract, Attend, Copy, Zero, Repeat };

struct Group {
    GroupKind kind = GroupKind::Serial;
    std::vector<const ir::Instr*> instrs;  ///< Serial: in order; else the one it is
    std::vector<Nest>
        nests;  ///< Nest: one after the other in each thread; the first has what all touch
    Induction repeat;
    bool isApart =
        false;  ///< Repeat: its iterations are independent, so parts inside do them all at once
    const ir::Instr* begin = nullptr;  ///< Nest, Repeat: the store that begins the outermost loop
    std::vector<Group> inside;  ///< Repeat
    std::vector<Induction> around;  ///< repeats that go on between launches, outermost first
    std::vector<Induction>
        apart;  ///< repeats of which all iterations are done at once, outermost first
    Team team;  ///< Nest, Serial: how threads do an iteration together; empty: one alone does it
    ir::BlockId block = ir::kNone;  ///< Serial: where its instructions stand
    std::uint32_t id = 0;

    std::int64_t copies() const;  ///< iterations of the loops apart
    std::int64_t trips() const;  ///< of what one thread each may do
};

/// The results of the analysis of a body that all parts of splitting use.
struct Cut {
    std::vector<Group> groups;
    std::map<const ir::Instr*, std::uint32_t>
        groupOf;  ///< of instructions that are not remade where they are used
    std::map<std::uint32_t, std::vector<Induction>> apartOf;  ///< by group: Group::apart
    std::map<std::uint32_t, Array> aliases;  ///< locals that are items
    std::map<const ir::Instr*, std::uint32_t> items;  ///< takes and gives: which item
    std::set<const ir::Instr*> dropped;  ///< takes and gives that aliases have made needless
    /// Locals of which each iteration of loops apart has its own: those loops, outermost first.
    std::map<std::uint32_t, std::vector<Induction>> copied;
};

/// Of iterations.
std::int64_t product(const std::vector<Induction>& loops);

/// Why a body is not for a device, as a sentence; or empty.
std::string whyNot(const ir::Module&, const elab::Kernel&);

/// Is it a division of whole numbers whose divisor is checked?
bool mayDivideByZero(const ir::Instr&);

/// Can the instruction be repeated wherever its result is needed?
bool isRemade(const ir::Instr&);

/// How a body may be cut.
struct Ways {
    bool distributes = true;  ///< independent iterations around launches are done at once
    bool attends = true;  ///< attention that is told as a whole is one launch (ir/attention.h)
};

Cut cut(const ir::Body&, Affine&, Ways);

}  // namespace strc::device
