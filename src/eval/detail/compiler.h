#pragma once
/// Compiles one body to one Function: its blocks, loops, branches and calls. compiler.cpp: bodies;
/// compile_control.cpp: what is in them.

#include <span>

#include "eval/detail/access_compiler.h"
#include "eval/detail/body_state.h"
#include "eval/detail/scalar_compiler.h"
#include "eval/detail/variable_compiler.h"

namespace strc::eval {

/// Numbers the functions that a Code holds; each (kind, index) once.
class Linker {
public:
    virtual ~Linker() = default;
    virtual std::uint32_t function(ir::Callee) = 0;
    virtual const ir::Body& body(ir::Callee) = 0;
};

class Compiler {
public:
    Compiler(Code&, Function&, const ir::Body&, Linker&,
             std::span<const std::int64_t> fieldOffsets);
    void compile();

private:
    void prologue();
    void epilogue();
    void block(ir::BlockId, const Context&);
    void instruction(const Instr&);
    void branch(Reg condition, const Context&);
    void emitIf(const Instr&);
    struct Branches {
        Label then, otherwise;
    };
    void bindCondition(const Instr&, Branches&);
    void decideBy(const Instr&);
    void decideIn(ir::BlockId, Label* constant, Label& begin, bool fallsIn, const Context&);
    Label* constantTarget(ir::BlockId, const Context&) const;
    void emitYield(const Instr&);
    struct OpenLoop {
        Label* exit;
        Label* next;
    };
    void emitLoop(const Instr&);
    void fuseCounting(std::uint32_t add, std::uint32_t jump, std::uint32_t entry,
                      std::uint32_t weight);
    void emitReturn(const Instr*);
    void emitCall(const Instr&);

    BodyState state;
    ScalarCompiler scalars;
    AccessCompiler accesses;
    VariableCompiler variables;
    Linker& linker;
    const ir::Body& body = state.body;
    const Analysis& analysis = state.analysis;
    Builder& out = state.out;
    Cursor& cursor = state.cursor;
    Registers& registers = state.registers;
    std::vector<OpenLoop> loops;
    Branches branched;  ///< of the If that comes next: its condition is decided
    std::uint32_t stringMark = 0, arenaMark = 0;
};

}  // namespace strc::eval
