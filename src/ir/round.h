#pragma once
/// The accesses of one iteration of a loop to arrays and scalars.

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/affine.h"

namespace strc::ir {

/// An access to an array, or to a part of one.
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
    std::set<ArrayName> unclear;  ///< arrays that are read at unknown elements
};

struct Round {
    Touched touched;
    std::set<std::uint32_t> scalars;  ///< locals that it stores, and loads only then
    std::set<std::uint32_t> born;  ///< local arrays whose lives begin in it
};

/// Says whether an iteration may access whole arrays (contractions, copies), or single elements only.
enum class Allowed : std::uint8_t { WholeArrays, Elements };

/// Empty if the iteration has ordered effects, reads a scalar that another iteration may have stored, or writes to an unknown
/// element. `affine` has entered the loop, and those around it.
std::optional<Round> lookAtRound(const Body&, Affine& affine, BlockId, Allowed);

/// Is the first access to a local array a write of all of it, in every round?
bool isWrittenFirst(const Body&, const Round&, std::uint32_t local);

}  // namespace strc::ir
