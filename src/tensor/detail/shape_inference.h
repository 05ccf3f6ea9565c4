#pragma once
/// Walks a body in order and finds the type of every tensor, without any code for what it computes. Private to tensor.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/writer.h"
#include "tensor/detail/body_context.h"
#include "tensor/detail/first_fault.h"
#include "tensor/detail/iteration_locals.h"
#include "tensor/detail/known_values.h"
#include "tensor/shape.h"

namespace strc::tensor {

/// Several attempts may be made with one body: each begins with a copy of the state, and what it returns is all that it does.
class ShapeInference {
public:
    /// `writesOut`: loops whose iterations are known are written out.
    ShapeInference(const BodyContext&, const ExpansionState& before, bool writesOut);

    ShapedBody run() &&;

private:
    using Key = KnownVariables::Key;
    /// A tensor variable at the instruction at hand.
    struct Binding {
        const Type* type = nullptr;  ///< null: nothing yet
        const Type* declared = nullptr;  ///< what is known of the type by its declaration
    };

    // ---- walking
    void walk(ir::BlockId);
    void walkInstr(const ir::Instr&);
    /// The instruction in the body that is made; its result has the type.
    void emit(const ir::Instr&, const Type* result);
    void emitScalar(const ir::Instr&);
    ir::Reg made(ir::Reg);
    const Type* typeOf(ir::Reg reg) const { return w.body.regs[regs[reg]].type; }
    /// A local array whose extents are known here for the first time gets its concrete type.
    void fixExtents(const ir::Instr& from, ir::Instr& made);
    /// Texts of demands are made of numbers that are known here, and of no use later.
    bool keepsAsText(const ir::Instr&);
    void demand(const ir::Instr&);

    // ---- branches and loops
    void control(const ir::Instr&);
    void yield(const ir::Instr&);
    /// True: the branch that is taken stands in the block at hand.
    bool takeBranch(const ir::Instr&);
    /// True: all iterations stand in the block at hand.
    bool unroll(const ir::Instr& loop);
    void writeOut(const ir::Instr& loop);
    bool hasFewIterations(const ir::Instr& loop);
    void writeIteration(const ir::Instr& loop);
    /// Whether there is another iteration, if that is known.
    std::optional<bool> condition(const ir::Instr& loop);
    void inlined(ir::BlockId, ir::Reg result);
    bool decidesOnShapes(ir::BlockId) const;
    /// Variables that each iteration has for itself are others in each iteration that is written out.
    void renameLocals(const ir::Instr& loop);

    // ---- variables
    void declare(const ir::Instr&);
    std::optional<Dims> extentsOf(const ir::Instr& declaration);
    void load(const ir::Instr&);
    void loadStored(const ir::Instr&, const Type*, ir::StoredArray);
    void loadGlobal(const ir::Instr&);
    void store(const ir::Instr&);
    void storeField(const ir::Instr&, const Type*);
    void checkDeclared(const ir::Instr&, const Type* declared, const Type*);
    void checkExtents(const ir::Instr&, const std::string& name, const Dims&);
    void bind(ir::VarRef, const Type*, const ir::Instr* store);

    // ---- operations, items, calls
    std::vector<Operand> operandsOf(const ir::Instr&) const;
    void operation(const ir::Instr&);
    void stored(const ir::Instr&, const Type* shaped);
    const Type* storedType(const ir::Instr&, const Type* shaped) const;
    void take(const ir::Instr&);
    const Type* arriving(const ir::Instr&, std::int64_t offset);
    void push(const ir::Instr&);
    void callNative(const ir::Instr&);

    BodyContext context;
    const ir::Body& from;
    const bool writesOut;
    ir::Writer w;
    ExpansionState state;
    KnownValues known;
    FirstFault fault;
    bool hasWrittenOut = false;
    std::size_t written = 0;  ///< instructions, as far as can be told before they are expanded
    std::vector<ir::Reg> regs;  ///< of `from` -> of the body that is made
    std::vector<std::optional<Value>> values;  ///< by register of that one
    IterationLocals iterationLocals;
    std::map<std::uint32_t, std::uint32_t> renamed;  ///< local variables of iterations
    std::map<Key, Binding> bindings;
    /// Variables that keep their type in the control structure at hand; null: not written yet.
    std::map<Key, const Type*> fixed;
    const Type* result = nullptr;  ///< of the branches of a conditional
    int depth = 0;  ///< of control structures
    std::int64_t popped = 0;
};

}  // namespace strc::tensor
