#pragma once
/// State that several firings can skip ahead: ints that a firing changes by a constant factor, a constant summand and perhaps a
/// mask of low bits. Counters, linear congruential generators and phase accumulators are of that kind. Modulo 2^32 it is the same
/// after n firings whether they are done one after the other or at once: x becomes x * factor^n + summand * (factor^(n-1) + … + 1)
/// (Brown, "Random number generation with arbitrary strides", 1994).
/// In: a specialised work body. Out: the fields it stores, if all of them are such.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "ir/varying.h"

namespace strc::ir {

/// Each firing: x := (x * factor + summand) & mask.
struct AffineField {
    std::uint32_t field = kNone;
    std::uint32_t factor = 1, summand = 0;
    std::uint32_t mask = UINT32_MAX;  ///< 2^n - 1

    /// The same for so many firings, at least one.
    AffineField times(std::int64_t firings) const;
};

/// None: other state is stored as well, or it cannot be told. Empty: it has no state.
std::optional<std::vector<AffineField>> findAffineState(const Body& work);

/// Firings whose only state is of that kind, and which could otherwise be done several at once.
struct SkippingFirings {
    std::vector<AffineField> state;
    Body body;  ///< with locals in the place of these fields: its last ones, in order
    Varying varying;  ///< of that body
};
/// None: there is other state, or none at all, or something else is in the way. Instructions that satisfy `isSafe` are marked as
/// unchecked in the body.
std::optional<SkippingFirings> firingsThatSkipAhead(
    const Body& work, const std::function<bool(const Instr&)>& isSafe = {});

/// "state: x * 5 + 1".
std::string print(const StreamCode&, const std::vector<AffineField>&);

}  // namespace strc::ir
