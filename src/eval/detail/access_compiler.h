#pragma once
/// Emits code for what goes through an address or a tape: elements and members, loads and stores, copies,
/// contractions, items.

#include "eval/detail/body_state.h"

namespace strc::eval {

class AccessCompiler {
public:
    explicit AccessCompiler(BodyState&);

    void element(const Instr&);
    void member(const Instr&);
    void access(const Instr&);
    void contract(const Instr&);
    void copyOrZero(const Instr&);
    void tape(const Instr&);
    void loadFrom(const Location&, const Type*, std::uint32_t to);
    void storeTo(const Location&, const Type*, std::uint32_t from);
    /// Counts the bytes as steps, where there are many, so that small things stay quick.
    void charge(std::uint64_t bytes);

private:
    void dynamicElement(const Instr&, Location);
    bool accessElement(const Location&, std::uint32_t size, std::uint32_t value, bool isLoad);
    void peek(const Instr&, std::uint32_t size);

    Function& function;
    const Analysis& analysis;
    Registers& registers;
    Builder& out;
};

}  // namespace strc::eval
