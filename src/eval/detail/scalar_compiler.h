#pragma once
/// Emits code for what is computed from values alone: arithmetic, comparisons, conversions, built-in functions,
/// strings.

#include "eval/detail/body_state.h"

namespace strc::eval {

class ScalarCompiler {
public:
    explicit ScalarCompiler(BodyState&);

    void arithmetic(const Instr&);
    void compare(const Instr&);
    void negate(const Instr&);

private:
    void unary(const Instr&, Code32);
    void binary(const Instr&);
    bool literalOperand(const Instr&, Reg left, Code32, std::uint32_t literal);
    bool deferInt(const Instr&, Reg left, Reg right);
    bool multiplyAdd(const Instr&, Reg left, Reg right);
    bool addProduct(const Instr&, Reg sum, Reg product);
    void compareVectors(const Instr&);
    void truth(const Instr&, Reg, bool isSame);
    void convert(const Instr&);
    void convertNarrow(const Instr&);
    void convertTo(const Instr&, std::uint32_t slot, const Type* from, TypeKind first,
                   Code32 second);
    void math(const Instr&);
    bool floatMath(const Instr&);
    std::uint32_t asDouble(Reg);
    void make(const Instr&);

    const Analysis& analysis;
    Cursor& cursor;
    Registers& registers;
    Builder& out;
};

}  // namespace strc::eval
