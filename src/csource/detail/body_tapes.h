#pragma once
/// Items, random numbers and calls of a body. Private to csource.

#include "csource/detail/body_memory.h"

namespace strc::csource {

class BodyTapes : protected BodyMemory {
protected:
    using BodyMemory::BodyMemory;

    /// False: it is nothing of that kind.
    bool tape(const Instr&);
    void call(const Instr&);

private:
    Expr item(const Instr&, const Expr* offset);
    void checkItem(const Instr&, const Expr* offset, const std::string& counter);
    void peek(const Instr&);
    void moveInto(const Instr&);
    void push(const Instr&);
    void random(const Instr&);
    void discard(const Instr&);
    void discardMany(const Instr&);
    void pushMany(const Instr&);
    void callNative(const Instr&);
    std::string pointerTo(const Type*);
    std::string argument(const Instr&, std::size_t k, const Function&);

    std::int64_t popped = 0, pushed = 0;  ///< if they are known
};

}  // namespace strc::csource
