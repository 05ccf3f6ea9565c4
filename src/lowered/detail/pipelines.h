#pragma once
/// Filters without state behind each other, in vectors (Hormati et al., "MacroSS", ASPLOS 2010, section 3.3). What one leaves in
/// rows is what the next one takes as columns, so the items between them are not transposed back and forth.

#include <cstdint>
#include <span>
#include <vector>

#include "lowered/detail/lanes.h"
#include "lowered/detail/state.h"

namespace strc::lowered {

/// Steps behind each other. An iteration is `repeat` firings of each, and takes and leaves all items between them; all
/// firings are `trips` iterations, `width` of which are done at once, one in each lane.
struct VectorPipeline {
    struct Member {
        const plan::Step* step = nullptr;
        std::int64_t repeat = 1;
    };
    std::vector<Member> members;
    unsigned width = 0;
    std::int64_t trips = 0;
};

/// The longest that begins with the first of these steps of a phase; without members: there is none of at least two.
VectorPipeline findPipeline(const plan::Plan&, const State&, Lanes&, std::span<const plan::Step>);

}  // namespace strc::lowered
