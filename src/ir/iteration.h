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
    AffineAddress address;
    std::int64_t size = 0;
    bool writes = false;
    bool isCertain = true;  ///< happens in every iteration
    std::vector<Induction> around;  ///< loops inside of the iteration that it stands in

    const Induction* inner(std::uint32_t counter) const;
};

/// By array: space and index.
using ArrayName = std::pair<int, std::uint32_t>;
struct Touched {
    std::map<ArrayName, std::vector<Access>> accesses;
    std::set<ArrayName> unknown;  ///< arrays that are read at unknown elements
};

struct IterationAccesses {
    Touched touched;
    std::set<std::uint32_t> scalars;  ///< locals that it stores, and loads only then
    std::set<std::uint32_t> declared;  ///< local arrays whose live ranges begin in it
};

/// Says whether an iteration may access whole arrays (contractions, copies), or single elements only.
enum class Allowed : std::uint8_t { WholeArrays, Elements };

/// Empty if the iteration has ordered effects, reads a scalar that another iteration may have stored, or writes to an unknown
/// element. `affine` has entered the loop, and those around it. Locals that are `ignored` are no scalars of the iteration.
std::optional<IterationAccesses> accessesOfIteration(const Body&, Affine& affine, BlockId, Allowed,
                                                     const std::set<std::uint32_t>& ignored = {});

/// Is the first access to a local array a write of all of it, in every iteration?
bool isWrittenFirst(const Body&, const IterationAccesses&, std::uint32_t local);

}  // namespace strc::ir
