#pragma once
/// The control flow of one body as blocks of one LLVM function; printers by subject (scalars.h, memory.h, tapes.h, …) emit the
/// instructions between.

#include <optional>
#include <set>
#include <vector>

#include "codegen/detail/body_context.h"
#include "codegen/detail/body_laps.h"

namespace strc::codegen {

class BodyEmitter {
public:
    explicit BodyEmitter(BodyContext& context) : c(context) {}
    void emit();
    /// A block of the body with those inside of it, where BodyContext::b stands.
    void block(ir::BlockId);

    BodyContext& c;

private:
    void declareLocals();
    void bindParameters();
    void instruction(const Instr&);
    void emitIf(const Instr&);
    void emitConvertedIf(const Instr&);
    void emitLoop(const Instr&);
    void emitReturn(const Instr*);
    void emitCall(const Instr&);
    llvm::Value* nodeOf(const Instr& call);
    bool isCounted(const Instr& loop) const;
    bool leavesStrings(const Instr& loop);
    bool keepsStrings(const Instr& loop) const;
    void releaseStrings();

    std::optional<BodyLaps> laps;  ///< of a program that has become one filter and is timed
    std::vector<LoopTargets> loops;
    llvm::Value* yielded = nullptr;  ///< by the block emitted last
    std::set<ir::BlockId> soonOver;  ///< bodies of loops that need not ask whether to stop
};

}  // namespace strc::codegen
