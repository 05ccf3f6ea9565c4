#pragma once
/// Filters without state behind each other, in vectors (MacroSS, ASPLOS 2010: vertical). Where the next one takes what the
/// one before it pushes, the items between them need not be transposed back and forth: they stay in columns, a
/// few firings at a time.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codegen/detail/module_builder.h"

namespace strc::codegen {

/// Some steps of a phase, one behind the other. An iteration is `repeat` firings of each, and takes and leaves all items
/// between them; all firings are `trips` iterations, `width` of which are done at once, one in each lane.
struct VectorPipeline {
    struct Member {
        const plan::Step* step;
        KernelFunctions* functions;
        unsigned repeat;
    };
    std::vector<Member> members;
    unsigned width = 0;
    std::int64_t trips = 0;
    std::int64_t bytes = 0;  ///< the most that lies between two members, or before or behind all
};

/// Lanes and bytes, then who fires how often.
std::string print(const VectorPipeline&);

class VectorPipelineFinder {
public:
    explicit VectorPipelineFinder(ModuleBuilder&);
    /// The longest that begins with the first of these steps and is worth it; without members: there is none.
    VectorPipeline find(std::span<const plan::Step>);

private:
    bool canJoin(const plan::Step&, VectorPipeline::Member& made, unsigned& width);
    bool follows(const plan::Step& first, const plan::Step& second) const;
    bool fit(VectorPipeline&) const;
    const graph::Rates& ratesOf(const plan::Step&) const;

    ModuleBuilder& m;
    std::vector<std::uint32_t> users;  ///< by channel: how many have it as their tape
};

}  // namespace strc::codegen
