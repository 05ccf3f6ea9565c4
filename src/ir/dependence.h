#pragma once
/// Finds the values of a stream that depend on open parameters (open.h), by an abstract execution of its bodies.
///
/// Branches that constants decide are followed on one side only, loops are followed until the facts no longer change, and
/// functions are analysed for each call, so the result of a call with known arguments is known.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

/// A set: bit k for the open parameter k (the last of them for all that follow), and one for what is not the same each time.
using Marks = std::uint64_t;
constexpr Marks kDrawn = Marks{1} << 63;  ///< random numbers, files, what native functions give
constexpr std::uint32_t kLastMark = 62;

inline Marks markOf(std::uint32_t slot) { return Marks{1} << std::min(slot, kLastMark); }
/// The first parameter in a set that is not empty and has no kDrawn.
std::uint32_t slotOf(Marks);

struct Origin {
    Marks marks = 0;
    std::optional<Value> value;  ///< if it is a scalar and the same each time
    bool operator==(const Origin&) const = default;
};

/// The marks that reached an instruction, of all visits together.
struct Visit {
    std::vector<Marks> operands;  ///< of a ref: also of what it leads to
    Marks control = 0;  ///< of whether it is done
    std::size_t order = 0;  ///< in which instructions were met first

    Marks all() const;
};

struct Dependence {
    std::vector<Origin> fields;  ///< at the end
    std::map<const Instr*, Visit> visits;  ///< of what has no result, or builds, prints or draws
    bool gaveUp = false;  ///< functions call themselves, or it took too long: all may depend on all
};

/// Bodies one after the other, with fields that are zeros before; one origin for each constant of the code.
Dependence dependenceOf(const Module&, const StreamCode&, std::span<const Origin> constants,
                        std::span<const Body* const>);

/// The origins of an instance's constants: their values, except for those that are open or have marks of their own (`marks`
/// may be empty).
std::vector<Origin> originsOf(const StreamCode&, std::span<const Value> constants,
                              std::span<const Marks> marks);

}  // namespace strc::ir
