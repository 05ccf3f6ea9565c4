#pragma once
/// One body into one LLVM function.

#include <vector>

#include "codegen/detail/module_builder.h"
#include "ir/count_items.h"

namespace strc::codegen {

using ir::Instr;
using ir::Op;
using ir::Reg;

class BodyEmitter {
public:
    BodyEmitter(ModuleBuilder&, KernelFunctions&, const ir::StreamCode*, const ir::Body&,
                llvm::Function&);
    void emit();

private:
    // ---- body_emitter.cpp: set-up, blocks, control
    void declareLocals();
    void bindParameters();
    void countItems();
    void block(ir::BlockId);
    void instruction(const Instr&);
    void emitIf(const Instr&);
    void emitLoop(const Instr&);
    void emitReturn(const Instr*);
    void emitCall(const Instr&);
    bool isCounted(const Instr& loop) const;
    bool leavesStrings(const Instr& loop);
    bool keepsStrings(const Instr& loop) const;
    void releaseStrings();

    // ---- scalars.cpp
    bool scalar(const Instr&);  ///< false: not one of these
    llvm::Value* arithmetic(const Instr&);
    llvm::Value* intArithmetic(const Instr&, llvm::Value* a, llvm::Value* b);
    llvm::Value* realArithmetic(Op, llvm::Value* a, llvm::Value* b);
    llvm::Value* complexArithmetic(Op, llvm::Value* a, llvm::Value* b);
    llvm::Value* compare(const Instr&);
    llvm::Value* convert(const Instr&);
    llvm::Value* concat(const Instr&);
    llvm::Value* toText(const Type*, llvm::Value*);
    llvm::Value* math(const Instr&);
    llvm::Value* complexMath(const Instr&);
    llvm::Value* part(llvm::Value* from, std::uint64_t k) {
        return b.CreateExtractElement(from, k);
    }
    llvm::Value* pair(llvm::Value* re, llvm::Value* im);

    // ---- memory.cpp
    bool memory(const Instr&);
    llvm::Value* addressOf(ir::VarRef);
    void declareLocal(const Instr&);
    void declareDynamic(const Instr&);
    llvm::Value* element(const Instr&);
    llvm::Value* byteCount(const Instr&, std::size_t refs);
    const Type* declaredType(ir::VarRef) const;
    llvm::Value* extent(const Instr&);

    // ---- tapes.cpp
    bool tape(const Instr&);
    llvm::Value* inputItem(const Instr&, llvm::Value* offset);
    llvm::Value* outputItem(const Instr&);
    void advance(llvm::Value* counter);
    void checkCounts();
    void checkCount(llvm::Value* counter, std::int64_t declared, base::Diag);
    std::vector<std::string> rateWords() const;
    void print(const Instr&);

    // ---- checks
    /// Left out where Options::checks is off.
    void check(llvm::Value* holds, Site, llvm::Value* first = nullptr,
               llvm::Value* second = nullptr);
    /// Always made: the stack would overflow.
    void require(llvm::Value* holds, Site, llvm::Value* first = nullptr,
                 llvm::Value* second = nullptr);

    llvm::Value* value(Reg reg) const { return values[reg]; }
    llvm::Value* operand(const Instr& instr, std::size_t k) const {
        return values[instr.operands[k]];
    }
    const Type* typeOf(Reg reg) const { return body.regs[reg].type; }
    void set(const Instr& instr, llvm::Value* made) {
        if (instr.result != ir::kNone) values[instr.result] = made;
    }
    llvm::Argument* param(unsigned k) const { return function.getArg(k); }
    llvm::BasicBlock* newBlock(const char* name) {
        return llvm::BasicBlock::Create(m.context, name, &function);
    }
    bool isFunction() const {
        return body.kind == ir::BodyKind::Function || body.kind == ir::BodyKind::Handler;
    }

    struct LoopTargets {
        llvm::BasicBlock* exit;
        llvm::BasicBlock* next;
    };
    struct Local {
        llvm::Value* memory = nullptr;       ///< of a scalar; of an aggregate: what Addr gives
        llvm::Value* address = nullptr;      ///< of dynamic extents: where the address is kept
        std::vector<llvm::Value*> extents;   ///< where dynamic extents are kept, by dimension
    };

    ModuleBuilder& m;
    KernelFunctions& kernel;
    const ir::StreamCode* code;
    const ir::Body& body;
    llvm::Function& function;
    llvm::IRBuilder<> b;       ///< where instructions go now
    llvm::IRBuilder<> entry;   ///< where variables are made
    std::vector<llvm::Value*> values;
    std::vector<Local> locals;
    std::vector<LoopTargets> loops;
    std::vector<llvm::Value*> yields;  ///< of the If or condition around, what its block yields
    llvm::Value* popped = nullptr;     ///< where the counters are
    llvm::Value* pushed = nullptr;
    llvm::Value* yielded = nullptr;    ///< by the block emitted last
    bool checkPops = true, checkPushes = true, checkPeeks = true;
    graph::Rates rates;
};

}  // namespace strc::codegen
