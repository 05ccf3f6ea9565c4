#pragma once
/// One body to one Function. compiler.cpp: bodies and places of registers; compile_control.cpp: blocks,
/// loops, branches, calls; compile_scalars.cpp: arithmetic; compile_memory.cpp: variables, addresses,
/// tapes.

#include <map>
#include <optional>
#include <span>

#include "eval/analysis.h"
#include "eval/builder.h"
#include "eval/location.h"

namespace strc::eval {

using ir::Instr;
using ir::kNone;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::TypeKind;

/// Numbers the functions that a Code holds; each (kind, index) once.
class Linker {
public:
    virtual ~Linker() = default;
    virtual std::uint32_t function(ir::Callee) = 0;
    virtual const ir::Body& body(ir::Callee) = 0;
};

/// Says where the Yield of a block puts its value, and where it jumps to.
struct Context {
    std::optional<std::uint32_t> slot;  ///< puts the value there
    Label* ifTrue = nullptr;  ///< or jumps on it, to one of two;
    Label* ifFalse = nullptr;
    Label* next = nullptr;  ///< one of them, which will follow at once, or null
};

class Compiler {
public:
    Compiler(Code&, Function&, const ir::Body&, Linker&,
             std::span<const std::int64_t> fieldOffsets);
    void compile();

private:
    // ---- frame (compiler.cpp)
    void layOutFrame();
    void prologue();
    void epilogue();
    const Type* typeOf(Reg reg) const { return body.regs[reg].type; }
    void release(std::uint32_t position);
    std::uint32_t temporary(std::uint32_t count = 1);
    /// The slot of a value; a literal is put into one.
    std::uint32_t slotOf(Reg);
    /// The bits of a literal that an immediate operand can hold.
    std::optional<std::uint32_t> immediate(Reg) const;
    /// Slot for the result of the instruction that is compiled.
    std::uint32_t destination(const Instr&);
    std::optional<std::uint32_t> argumentSlot(Reg) const;
    void setSlot(Reg reg, std::uint32_t slot);
    void literalTo(std::uint32_t slot, const Value&);
    void moveTo(std::uint32_t slot, Reg);
    void moveSlots(std::uint32_t to, std::uint32_t from, std::uint32_t count);
    void constant(const Instr&);
    void sharedAddress(const Instr&, const void* memory);
    std::uint64_t literalBits(const Value&, int part);

    // ---- compile_control.cpp
    void block(ir::BlockId, const Context&);
    void instruction(const Instr&, const Context&);
    bool branchesNext(Reg, const Context&, std::size_t ahead = 1) const;
    bool isTruthOf(const Instr&, Reg) const;
    void branch(Reg condition, const Context&);
    void emitIf(const Instr&, const Context&);
    struct Branches {
        Label then, otherwise;
    };
    void bindCondition(const Instr&, Branches&);
    void decideBy(const Instr&, const Context&);
    void decideIn(ir::BlockId, Label* constant, Label& begin, bool fallsIn, const Context&);
    Label* constantTarget(ir::BlockId, const Context&) const;
    void emitYield(const Instr&, const Context&);
    struct OpenLoop {
        Label* exit;
        Label* next;
    };
    void emitLoop(const Instr&);
    void fuseCounting(std::uint32_t add, std::uint32_t jump, std::uint32_t entry,
                      std::uint32_t weight);
    void emitReturn(const Instr*);
    void emitCall(const Instr&);
    void emitHost(const Instr&);

    // ---- compile_scalars.cpp
    void arithmetic(const Instr&);
    void unary(const Instr&, Code32);
    void binary(const Instr&);
    bool literalOperand(const Instr&, Reg left, Code32, std::uint32_t literal);
    void compare(const Instr&, const Context&);
    void compareVectors(const Instr&);
    void emitNot(const Instr&);
    void truth(const Instr&, Reg, bool isSame);
    void convert(const Instr&);
    void convertTo(const Instr&, std::uint32_t slot, const Type* from, TypeKind first,
                   Code32 second);
    void math(const Instr&);
    void make(const Instr&);
    bool deferInt(const Instr&, Reg left, Reg right);
    bool multiplyAdd(const Instr&, Reg left, Reg right);
    bool addProduct(const Instr&, Reg sum, Reg product);
    bool floatMath(const Instr&);
    std::uint32_t asDouble(Reg);

    // ---- compile_memory.cpp
    void load(const Instr&);
    void loadVariable(const Instr&);
    void store(const Instr&);
    void address(const Instr&);
    void extent(const Instr&);
    void declare(const Instr&);
    void element(const Instr&);
    void member(const Instr&);
    void access(const Instr&);
    void contract(const Instr&);
    void declareTensor(const Instr&);
    const Type* declaredTensor(ir::VarRef) const;
    bool checksTensor(const Instr&) const;
    bool mayLackTensor(ir::VarRef) const;
    void checkTensor(const Instr&);
    void copyOrZero(const Instr&);
    void charge(std::uint64_t bytes);
    void tape(const Instr&);
    Location refOf(Reg) const;
    /// A ref without pending elements and with an offset that fits a word.
    Location settle(Location);
    std::uint32_t addressOf(Reg);
    void applyElement(Location&, std::uint32_t to);
    std::uint32_t indexOf(const PendingElement&);
    bool accessElement(const Location&, std::uint32_t size, std::uint32_t value, bool isLoad);
    void peek(const Instr&, std::uint32_t size);
    Location settleFor(Location);
    Location fieldRef(ir::VarRef);
    static Code32 addressCode(ir::VarRef);
    std::optional<std::uint32_t> hoistedAddress(ir::VarRef);
    void dynamicElement(const Instr&, Location);
    void loadFrom(const Location&, const Type*, std::uint32_t to);
    void storeTo(const Location&, const Type*, std::uint32_t from);
    std::optional<std::int64_t> literalInt(Reg) const;
    const Type* declaredType(ir::VarRef) const;
    ExtentSource extentSource(ir::VarRef, std::uint32_t dimension) const;

    Code& code;
    Function& function;
    const ir::Body& body;
    Linker& linker;
    std::span<const std::int64_t> fieldOffsets;
    Analysis analysis;
    Builder out;

    std::vector<Location> locations;  ///< of registers
    struct Local {
        std::uint32_t slot = 0;  ///< scalar, ref of a parameter, or a descriptor
        std::int64_t offset = -1;  ///< aggregate in the frame: bytes from its begin
        std::uint32_t extents = 0;  ///< slots with the extents, if they are dynamic
    };
    std::vector<Local> locals;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> temporaries;
    std::vector<OpenLoop> loops;
    Branches branched;  ///< of the If that comes next: its condition is decided
    const std::vector<Instr>* instrs = nullptr;  ///< the block that is compiled,
    std::size_t current = 0;  ///< and the instruction in it
    const Context* context = nullptr;
    std::uint32_t position = 0;
    std::uint32_t stringMark = 0, arenaMark = 0;
    bool hasDynamic = false;
    std::map<std::uint32_t, const Type*> tensorLocals;  ///< what their declarations say
};

/// Bytes of a scalar in memory as loads, stores and tapes distinguish them: 1, 4, 8, 12, 16.
inline std::uint32_t memorySize(const Type* type) {
    if (type->is(TypeKind::Tensor)) return sizeof(TensorHandle);
    return static_cast<std::uint32_t>(types::sizeOf(type));
}

}  // namespace strc::eval
