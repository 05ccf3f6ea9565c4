#pragma once
/// Where the locals of a body are defined. Private to csource.

#include <map>
#include <set>
#include <vector>

#include "csource/detail/liveness.h"
#include "ir/ir.h"

namespace strc::csource {

/// In the innermost block that has all that is done with one, if nothing of it is needed before that; else where the function
/// begins.
class Places {
public:
    Places(const ir::Body&, const Liveness&);

    /// Is the local defined by this store or declaration?
    bool isDefinedBy(const ir::Instr& instr) const { return definers.contains(&instr); }
    /// Locals that are defined before this instruction, and where the function begins.
    const std::vector<std::uint32_t>& before(const ir::Instr&) const;
    const std::vector<std::uint32_t>& atTheBeginning() const { return hoisted; }
    bool isUsed(std::uint32_t local) const { return !mentions[local].empty(); }
    /// Is the local used outside of this loop, but for `store`?
    bool isUsedOutside(std::uint32_t local, const ir::Instr& loop, const ir::Instr& store) const;
    bool isStoredIn(std::uint32_t local, ir::BlockId) const;

private:
    struct Mention {
        const ir::Instr* instr;
        ir::BlockId block;
    };
    void visit(const Liveness&, ir::BlockId, ir::BlockId parent, const ir::Instr* owner);
    void place(std::uint32_t local);
    bool isInLoop(ir::BlockId) const;
    bool isInside(ir::BlockId inner, ir::BlockId outer) const;
    const ir::Instr* ownerWithin(const Mention&, ir::BlockId outer) const;

    const ir::Body& body;
    std::vector<ir::BlockId> parents;
    std::vector<const ir::Instr*> owners;
    std::vector<int> depths;
    std::vector<std::vector<Mention>> mentions;  ///< by local, in order
    std::set<const ir::Instr*> definers;
    std::map<const ir::Instr*, std::vector<std::uint32_t>> earlier;
    std::vector<std::uint32_t> hoisted;
};

}  // namespace strc::csource
