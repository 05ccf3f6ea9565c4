#pragma once
/// Knows where the value of each register lies while a body is compiled, and brings it where it is wanted.

#include <optional>
#include <vector>

#include "eval/detail/cursor.h"
#include "eval/detail/frame.h"
#include "eval/detail/location.h"

namespace strc::eval {

class Registers {
public:
    Registers(Code&, const ir::Body&, const Analysis&, const Frame&, const Cursor&, Builder&);

    Location& operator[](Reg reg) { return locations[reg]; }
    const Location& operator[](Reg reg) const { return locations[reg]; }
    const Type* typeOf(Reg reg) const { return body.regs[reg].type; }
    /// Slots that hold it: one for an address.
    std::uint32_t slotsFor(Reg reg) const { return body.regs[reg].ref ? 1 : slotsOf(typeOf(reg)); }

    // ---- slots
    /// Gives back the slots of registers that die at the position, and of temporaries.
    void release(std::uint32_t position);
    std::uint32_t temporary(std::uint32_t count = 1);
    /// The slot of a value; a literal is put into one.
    std::uint32_t slotOf(Reg);
    /// Slot for the result of the instruction that is compiled.
    std::uint32_t destination(const Instr&);
    void setSlot(Reg reg, std::uint32_t slot);
    void moveTo(std::uint32_t slot, Reg);
    void moveSlots(std::uint32_t to, std::uint32_t from, std::uint32_t count);
    /// A slot with the same text, which outlives the run, or the iteration, that made it.
    std::uint32_t keptText(std::uint32_t slot);

    // ---- literals
    /// The bits of a literal that an immediate operand can hold.
    std::optional<std::uint32_t> immediate(Reg) const;
    std::optional<std::int64_t> literalInt(Reg) const;
    void constant(const Instr&);
    /// The result is the address of constant memory that all instances share.
    void sharedAddress(const Instr&, const void* memory);

    // ---- addresses
    Location refOf(Reg) const;
    /// A ref without pending elements and with an offset that fits a word.
    Location settle(Location);
    /// The same for a register that lives on: pending elements go to a slot of its own.
    Location settleFor(Location);
    std::uint32_t addressOf(Reg);
    /// The slot with the whole index.
    std::uint32_t indexOf(const PendingElement&);

private:
    std::optional<std::uint32_t> argumentSlot(Reg) const;
    void literalTo(std::uint32_t slot, const Value&);
    std::uint64_t literalBits(const Value&, int part);
    void applyElement(Location&, std::uint32_t to);

    Code& code;
    const ir::Body& body;
    const Analysis& analysis;
    const Frame& frame;
    const Cursor& cursor;
    Builder& out;
    std::vector<Location> locations;  ///< of registers
    std::vector<std::pair<std::uint32_t, std::uint32_t>> temporaries;
};

inline bool fitsWord(std::int64_t value) { return value >= 0 && value <= UINT32_MAX; }

}  // namespace strc::eval
