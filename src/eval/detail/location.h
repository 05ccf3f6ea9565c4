#pragma once
/// Where the compiler has the value of a register; internal to eval.

#include <cstdint>

#include "eval/detail/code.h"

namespace strc::eval {

/// An index into an array, to be checked where the element is used.
struct PendingElement {
    enum class Form : std::uint8_t { Plain, PlusLiteral, PlusSlot };
    std::uint32_t index = 0;  ///< slot
    std::uint32_t extent = 0;
    std::uint32_t stride = 0;
    Form form = Form::Plain;  ///< what is added to the index
    std::uint32_t added = 0;
    SourceRange range;  ///< of the index, for the fault
};

struct Location {
    enum class Kind : std::uint8_t {
        None,
        Slot,      ///< in `slot` (addresses too)
        Literal,   ///< in `literal`
        Sum,       ///< not computed: slot + right, a slot or (isLiteral) a number
        Product,   ///< not computed: slot * right, a number
        Ref,       ///< an address: what `slot` holds + offset + pending elements
        Compare,   ///< not computed: a jump at once, `ifTrue` or `ifFalse` on slot and right
        Branched   ///< not computed: it has been jumped upon
    };
    Kind kind = Kind::None;
    bool owned = false;      ///< the slot is the register's alone, free once it is dead
    bool isNarrow = false;   ///< Slot: a double that is still a float
    bool isLiteral = false;  ///< Sum
    bool swapFalse = false;  ///< Compare: ifFalse takes the operands the other way round
    std::uint8_t pending = 0;
    std::uint32_t slot = 0;
    std::uint32_t right = 0;
    std::int64_t offset = 0;
    PendingElement elements[2];
    const Value* literal = nullptr;
    Code32 ifTrue = Code32::Count;
    Code32 ifFalse = Code32::Count;
};

}  // namespace strc::eval
