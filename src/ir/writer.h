#pragma once
/// Makes a body, instruction by instruction, for passes that write code of their own.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

class Writer {
public:
    /// Starts in the entry block of an empty body without result.
    explicit Writer(types::TypeTable&);

    Instr& emit(Op, const Type*, std::vector<Reg> operands);
    /// The same with a result: of the instruction's type, a boolean of comparisons.
    Reg operation(Op, const Type*, std::vector<Reg> operands);
    Reg constant(Value);  ///< of an aggregate: a ref to constant memory
    Reg integer(std::int64_t);
    Reg truth();
    /// A new register, the result of the instruction emitted last.
    Reg result(const Type*, bool isRef);

    /// `array`: a ref to one whose extent is known; the index is known to lie inside.
    Reg reference(Reg array, Reg index);
    Reg element(Reg array, Reg index);
    void setElement(Reg array, Reg index, Reg value);

    /// A new variable; an array's life begins here, and all of it will be written before it is read.
    std::uint32_t local(const std::string& name, const Type*);
    Reg address(VarRef, const Type*);
    Reg load(VarRef, const Type*);
    void store(VarRef, const Type*, Reg);
    Reg address(std::uint32_t local);
    Reg load(std::uint32_t local);
    void store(std::uint32_t local, Reg);

    /// `inside(i)` for i from 0 to `count` - 1.
    void loop(std::int64_t count, const std::function<void(Reg)>& inside);
    /// Makes a block of the instructions that `inside` emits.
    BlockId inBlock(const std::function<void()>& inside);

    types::TypeTable& types;
    Body body;
    SourceRange range;  ///< of the instructions to come
    BlockId block = 0;  ///< where they go
};

}  // namespace strc::ir
