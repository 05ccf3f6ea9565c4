#pragma once
/// Filters without state behind each other, in vectors (Hormati et al., "MacroSS", ASPLOS 2010, section 3.3). What one leaves in
/// rows is what the next one takes as columns, so the items between them are not transposed back and forth.

#include <cstdint>
#include <span>
#include <vector>

#include "lowered/detail/lanes.h"
#include "lowered/detail/state.h"

namespace strc::lowered {

/// Steps behind each other. An iteration is `repeat` firings of each, and takes and leaves all items between them but for those
/// that the next one looks at again; all firings are `trips` iterations, `width` of which are done at once, one in each lane.
/// Member by member does a strip of iterations: items between members are columns as long as that, before which lies what a
/// window looks back at.
struct VectorPipeline {
    struct Member {
        const plan::Step* step = nullptr;
        std::int64_t repeat = 1;
        /// Iterations before those of the strip whose items its window begins with.
        std::int64_t history = 0;
    };
    std::vector<Member> members;
    unsigned width = 0;
    std::int64_t trips = 0;
    std::int64_t strip = 0;  ///< iterations, a multiple of the width

    bool looksBack() const;
    /// Between a member and the next one: items of a column, and where in it the strip begins.
    std::int64_t columnLength(const Member& next) const;
    std::int64_t firstRow(const Member& next) const;
};

/// The longest that begins with the first of these steps of a phase; without members: there is none of at least two.
VectorPipeline findPipeline(const plan::Plan&, const State&, Lanes&, std::span<const plan::Step>);

}  // namespace strc::lowered
