#pragma once
/// One body while it becomes an LLVM function: all that the printers of its instructions share.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/detail/body_debug.h"
#include "codegen/detail/body_parts.h"
#include "codegen/detail/module_builder.h"
#include "ir/if_conversion.h"

namespace strc::codegen {

using ir::Instr;
using ir::Op;
using ir::Reg;

struct BodyContext {
    /// `code` is null for functions of packages. `variant` is null for a body of the program; else the body is a function that
    /// a pass has made of the work body (vector/firings.h), and its parameters, arrays, lie where these arguments of the LLVM
    /// function lead.
    BodyContext(ModuleBuilder&, KernelFunctions&, const ir::StreamCode* code, const ir::Body&,
                llvm::Function&, const std::vector<Param>* variant);

    llvm::Value* value(Reg reg) const { return values[reg]; }
    llvm::Value* operand(const Instr& instr, std::size_t k) const {
        return values[instr.operands[k]];
    }
    const Type* typeOf(Reg reg) const { return body.regs[reg].type; }
    unsigned lanesOf(Reg reg) const { return static_cast<unsigned>(types::lanesOf(typeOf(reg))); }
    void set(const Instr& instr, llvm::Value* made) {
        if (instr.result != ir::kNone) values[instr.result] = made;
    }
    llvm::Argument* param(unsigned k) const { return function->getArg(k); }
    llvm::BasicBlock* newBlock(const char* name);
    std::uint64_t localBytes(std::size_t local) const;
    bool isFunction() const;  ///< of the language
    bool usesRings() const { return m.plan.tapes == plan::Tapes::Ring; }
    /// Proofs do not hold for instructions that run though their condition does not.
    bool isChecked(const Instr&) const;

    /// Left out where Options::checks is off.
    void check(llvm::Value* holds, Site, llvm::Value* a = nullptr, llvm::Value* b = nullptr);
    /// Always made: the stack would overflow.
    void require(llvm::Value* holds, Site, llvm::Value* a = nullptr, llvm::Value* b = nullptr);
    /// In iterations that threads share the one that is to stop leaves them, and the owner of the loop ends the run.
    void poll();

    ModuleBuilder& m;
    KernelFunctions& kernel;
    const ir::Proofs& proofs;
    const ir::StreamCode* code;
    const ir::Body& body;
    llvm::Function* function;
    const std::vector<Param>* variant;
    bool hasVectors;
    llvm::IRBuilder<> b, entry;  ///< where instructions go now, and where variables are made
    std::vector<llvm::Value*> values;  ///< by register
    std::vector<LocalStorage> locals;
    std::vector<llvm::Value*> views;  ///< tensors that natives see, by argument; null: none so far
    llvm::Value *popped = nullptr, *pushed = nullptr;  ///< where the counters are
    std::unique_ptr<BodyDebug> debug;  ///< null: without -g
    graph::Rates rates;
    RateChecks rateChecks;
    bool queued = false;  ///< In and Out are queues
    ir::ItemAliases items;  ///< arrays that lie in the windows of the firing
    std::optional<ir::IfConversion> ifConversion;
    llvm::Value* predicate = nullptr;  ///< in a side of a selection: its condition
    llvm::Value* discarded = nullptr;  ///< memory for what must not be pushed
    llvm::Value* spare = nullptr;  ///< memory of an element, instead of one of the caller's arrays
    MathChoices math;
    Products products;
    Sharing shared;
};

}  // namespace strc::codegen
