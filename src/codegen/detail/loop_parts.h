#pragma once
/// Loops that the threads of the pool share (the pass `parallel-loops`): a function that does some of the iterations, to which all
/// that they look at is handed, and a call of the runtime that has all of them done. What an iteration has for itself lies
/// in that function.

#include "codegen/detail/body_emitter.h"

namespace strc::codegen {

class LoopParts {
public:
    explicit LoopParts(BodyEmitter& body) : e(body), c(body.c), m(c.m), b(c.b), entry(c.entry) {}
    /// Before anything is emitted.
    void choose();
    void emit(const Instr& loop, const SharedLoop&);

private:
    struct Captured {
        std::vector<Reg> regs;
        std::vector<std::uint32_t> locals;
    };
    bool mayBeShared(const Instr&) const;
    Captured capturedBy(const Instr& loop, const SharedLoop&) const;
    llvm::Function* someIterations(const Instr& loop, const SharedLoop&, const Captured&,
                                   std::vector<llvm::Type*> parameters);
    void take(const Captured&, const SharedLoop&, const llvm::Function& outside);
    void makeLocal(std::uint32_t local);
    void iteration(const Instr& loop, const SharedLoop&, llvm::BasicBlock* start);

    BodyEmitter& e;
    BodyContext& c;
    ModuleBuilder& m;
    llvm::IRBuilder<>&b, &entry;
};

}  // namespace strc::codegen
