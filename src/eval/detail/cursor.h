#pragma once
/// Stands at the instruction that is compiled, and tells what comes behind it in its block.

#include <optional>
#include <utility>

#include "eval/detail/analysis.h"
#include "eval/detail/builder.h"

namespace strc::eval {

using ir::Instr;
using ir::kNone;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::TypeKind;

/// Says where the Yield of a block puts its value, and where it jumps to.
struct Context {
    std::optional<std::uint32_t> slot;  ///< puts the value there
    Label* ifTrue = nullptr;  ///< or jumps on it, to one of two;
    Label* ifFalse = nullptr;
    Label* next = nullptr;  ///< one of them, which will follow at once, or null
};

class Cursor {
public:
    Cursor(const ir::Body& body, const Analysis& analysis) : body(body), analysis(analysis) {}

    /// Visits the instructions of a block; blocks inside of them may be walked meanwhile.
    template <typename Visit>
    void walk(ir::BlockId id, const Context& blockContext, Visit visit) {
        const Cursor outer = *this;
        instrs = &body.blocks[id].instrs;
        context = &blockContext;
        for (current = 0; current < instrs->size(); ++current) visit((*instrs)[current]);
        instrs = outer.instrs;
        current = outer.current;
        context = outer.context;
    }
    /// Of the block around.
    const Context& yields() const { return *context; }
    /// The instruction so far behind this one in its block, or null.
    const Instr* next(std::size_t ahead = 1) const {
        return current + ahead < instrs->size() ? &(*instrs)[current + ahead] : nullptr;
    }
    /// The next instruction has been compiled together with this one.
    void skipNext() {
        ++position;
        ++current;
    }
    /// Is the register, made by the instruction `ahead - 1` further on, only jumped upon by the next one?
    bool branchesNext(Reg, std::size_t ahead = 1) const;
    /// Does the instruction compare the boolean with a literal?
    bool isTruthOf(const Instr&, Reg) const;

    std::uint32_t position = 0;  ///< as Analysis counts them: of what comes next

private:
    const ir::Body& body;
    const Analysis& analysis;
    const std::vector<Instr>* instrs = nullptr;  ///< the block that is compiled,
    std::size_t current = 0;  ///< and the instruction in it
    const Context* context = nullptr;
};

}  // namespace strc::eval
