#pragma once
/// What one round of a loop reads and writes.

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/affine.h"

namespace strc::ir {

/// An array, or a part of one, that a round reads or writes.
struct Access {
    Spot spot;
    std::int64_t size = 0;
    bool writes = false;
    bool isCertain = true;  ///< happens in every round
    std::vector<Counted> around;  ///< loops inside of the round that it stands in

    const Counted* inner(std::uint32_t counter) const;
};

/// By array: space and index.
using ArrayName = std::pair<int, std::uint32_t>;
struct Touched {
    std::map<ArrayName, std::vector<Access>> accesses;
    std::set<ArrayName> unclear;  ///< arrays that are read who knows where
};

struct Round {
    Touched touched;
    std::set<std::uint32_t> scalars;  ///< locals that it stores, and loads only then
    std::set<std::uint32_t> born;  ///< local arrays whose lives begin in it
};

/// What a round may do: everything that stays inside of it, or nothing with whole arrays (contractions, copies).
enum class Allowed : std::uint8_t { WholeArrays, Elements };

/// Empty: it does what has an order, or needs what another round has stored in a scalar, or nobody knows where it
/// writes. `affine` has entered the loops that it is a round of, and those around them.
std::optional<Round> lookAtRound(const Body&, Affine& affine, BlockId, Allowed);

/// Is the first access to a local array a write of all of it, in every round?
bool isWrittenFirst(const Body&, const Round&, std::uint32_t local);

}  // namespace strc::ir
