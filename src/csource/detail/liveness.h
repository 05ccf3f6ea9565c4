#pragma once
/// What of a body is worth printing. Private to csource.

#include <map>
#include <set>
#include <vector>

#include "ir/bounds.h"
#include "ir/ir.h"

namespace strc::csource {

/// Of each register that is a ref: the variable inside of which it leads.
std::vector<ir::VarRef> rootsOf(const ir::Body&);

/// Without what nobody can see: values that are not used, and locals that only such values are made of.
class Liveness {
public:
    /// `proofs`: checks that cannot fail. Without `checks` there are none.
    Liveness(const ir::Body&, const ir::Proofs& proofs, bool checks);

    bool isLive(const ir::Instr& instr) const { return live.contains(&instr); }
    /// How often a register is used by what is live.
    std::uint32_t uses(ir::Reg reg) const { return useCounts[reg]; }
    bool hasFault(const ir::Instr&) const;
    /// Is the value of the local, or what is inside of it, looked at?
    bool isLooked(std::uint32_t local) const { return loaded.contains(local); }

private:
    void visit(ir::BlockId, const ir::Instr* owner);
    void mark(const ir::Instr&);
    void markLooks(const ir::Instr&);
    void markLoads(ir::VarRef);
    bool isLocalWrite(const ir::Instr&) const;
    bool isEffect(const ir::Instr&) const;

    const ir::Body& body;
    const ir::Proofs& proofs;
    bool checks;
    std::set<const ir::Instr*> live;
    std::vector<ir::VarRef> roots;  ///< by register
    std::vector<const ir::Instr*> definitions;  ///< by register
    std::vector<const ir::Instr*> owners;  ///< by block: the instruction whose block it is
    std::vector<std::vector<const ir::Instr*>> stores;  ///< by local
    std::set<std::uint32_t> loaded;  ///< locals
    std::vector<std::uint32_t> useCounts;
    std::vector<const ir::Instr*> todo;
    std::vector<std::pair<const ir::Instr*, ir::BlockId>> all;
    std::map<const ir::Instr*, ir::BlockId> places;
};

}  // namespace strc::csource
