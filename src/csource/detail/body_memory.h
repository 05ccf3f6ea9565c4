#pragma once
/// Scalars, variables, arrays and structs of a body. Private to csource.

#include "csource/detail/body_values.h"

namespace strc::csource {

class BodyMemory : protected BodyValues {
protected:
    using BodyValues::BodyValues;

    /// The last statement, if it gives a local its value.
    struct LastStore {
        const Instr* instr = nullptr;
        std::size_t begin = 0, end = 0;  ///< in the lines
        bool defines = false;
        std::string statement;
        ir::Range range;
    };

    /// False: it is nothing of that kind.
    bool scalar(const Instr&);
    bool memory(const Instr&);

    LastStore last;
    std::string stepText;  ///< the last assignment

private:
    void withPart(const Instr&);
    Expr divided(const Instr&);
    bool access(const Instr&);
    void load(const Instr&);
    void store(const Instr&);
    void assign(const std::string& to, const Expr&, const std::string& declaration);
    Expr refTo(ir::VarRef);
    Expr member(const Instr&);
    Expr element(const Instr&);
    Expr loadAt(const Instr&);
    void copy(const Instr&);
    void zero(const Instr&);
    void contract(const Instr&);
    void declare(const Instr&);
    void checkRate(const Instr&);
    void checkExtent(const Instr&);
    void require(const Instr&);
};

}  // namespace strc::csource
