#pragma once
/// Analysis of a body before the evaluator's compiler emits code for it: the order in which instructions are
/// emitted, the live ranges of registers, and which loads and element addresses need no code of their own.

#include <cstdint>
#include <vector>

#include "ir/ir.h"

namespace strc::eval {

/// Positions number the instructions in the order they are emitted (a loop: body, step, condition);
/// the end of an If or Loop has a position of its own.
struct RegFacts {
    const ir::Instr* def = nullptr;
    std::uint32_t defined = 0;  ///< position
    std::uint32_t lastUse = 0;  ///< position from which on the register is dead
    std::uint32_t uses = 0;
    std::uint32_t loopDepth = 0;  ///< of the definition
    ir::BlockId block = ir::kNone;  ///< of the definition
    std::uint32_t barriers = 0;  ///< effects before the definition, see Analysis::fused
    ir::BlockId useBlock = ir::kNone;
    std::uint32_t useBarriers = 0;
    const ir::Instr* user = nullptr;  ///< the last one
    bool alias = false;  ///< Load: the variable itself serves as the register
    bool fused = false;  ///< Elem, Add, Mul: computed where it is used; Convert: the
        ///< operand serves
};

class Analysis {
public:
    explicit Analysis(const ir::Body&);

    const RegFacts& operator[](ir::Reg reg) const { return regs[reg]; }
    /// Position of the first instruction of a block, and of the end of an If or Loop that begins at
    /// a position.
    std::uint32_t end(std::uint32_t position) const { return ends[position]; }
    /// Registers that die at a position.
    const std::vector<ir::Reg>& dying(std::uint32_t position) const { return deaths[position]; }
    /// The literal a register holds, or null.
    const ir::Value* literal(ir::Reg reg) const {
        const ir::Instr* def = regs[reg].def;
        return def && def->op == ir::Op::Const ? &def->value : nullptr;
    }
    bool hasStrings() const { return !strings.empty(); }
    /// Does the loop that begins at a position make strings?
    bool hasStrings(std::uint32_t loop) const;

private:
    void walk(ir::BlockId);
    void visit(const ir::Instr&, ir::BlockId);
    void use(ir::Reg, const ir::Instr&, ir::BlockId, std::uint32_t position);
    void note(const ir::Instr&, std::uint32_t position);
    void extendOperands();
    bool isFused(const ir::Instr&, const RegFacts&) const;
    bool isFusedInt(const ir::Instr&, const RegFacts&) const;
    void findAliases();
    bool changesWithin(std::uint32_t local, std::uint32_t after, std::uint32_t before) const;

    const ir::Body& body;
    std::vector<RegFacts> regs;
    std::vector<std::uint32_t> ends;
    std::vector<std::vector<ir::Reg>> deaths;
    std::vector<std::vector<std::uint32_t>> changes;  ///< positions at which a local changes
    std::vector<std::vector<ir::Reg>> outlived;  ///< of each open loop: used in it, defined outside
    std::vector<const ir::Instr*> derived;  ///< may be no more than their operands: Elem,
        ///< Member, Convert
    std::uint32_t next = 0;
    std::uint32_t barriers = 0;
    std::vector<std::uint32_t> strings;  ///< positions at which one is made
};

}  // namespace strc::eval
