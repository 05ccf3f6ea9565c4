#pragma once
/// Filters without state behind each other, in vectors (MacroSS, ASPLOS 2010: vertical). Where the next one takes what the
/// one before it pushes, the items between them need not be transposed back and forth: they stay in columns, a
/// few firings at a time.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "codegen/detail/module_builder.h"

namespace strc::codegen {

/// Some steps of a phase, one behind the other. An iteration is `repeat` firings of each, and takes and leaves all items
/// between them but for those that the next one looks at again; all firings are `trips` iterations, `width` of which are done at
/// once, one in each lane. Member by member does a strip of iterations: items between members are columns as long as that, before
/// which lies what a window looks back at.
struct VectorPipeline {
    struct Member {
        const plan::Step* step;
        KernelFunctions* functions;
        unsigned repeat;
        /// Iterations before those of the strip whose items its window begins with.
        std::int64_t history = 0;
    };
    std::vector<Member> members;
    unsigned width = 0;
    std::int64_t trips = 0;
    std::int64_t strip = 0;  ///< iterations, a multiple of the width
    std::int64_t bytes =
        0;  ///< the most that lies between two members, or before or behind all, for one vector

    bool looksBack() const;
    /// Between a member and the next one: items of a column, and where in it the strip begins.
    std::int64_t columnLength(const Member& next) const;
    std::int64_t firstRow(const Member& next) const;
};

/// Lanes and bytes, then who fires how often.
std::string print(const VectorPipeline&);

/// What the emitter of a phase does for those that make code of several of its steps.
struct PhaseTools {
    ModuleBuilder& m;
    llvm::IRBuilder<>& b;
    llvm::Function* function;
    /// Where item `position + iteration * rate` of an edge lies.
    std::function<llvm::Value*(graph::EdgeId, const plan::Position&, llvm::Value* iteration,
                               std::int64_t rate)>
        item;
    std::function<llvm::Value*(graph::NodeId)> fieldsOf;
    /// Fires once: the step's firing of that number.
    std::function<void(llvm::Function* work, const plan::Step&, llvm::Value* firing)> callWork;
    std::function<llvm::Value*(std::uint64_t bytes)> variable;
};

/// Does all firings of the pipeline's steps. Where a vector of a strip gives up, the strip is done one by one.
void emitPipeline(const PhaseTools&, const VectorPipeline&);

class VectorPipelineFinder {
public:
    explicit VectorPipelineFinder(ModuleBuilder&);
    /// The longest that begins with the first of these steps and is worth it; without members: there is none.
    VectorPipeline find(std::span<const plan::Step>);

private:
    bool canJoin(const plan::Step&, VectorPipeline::Member& made, unsigned& width);
    bool follows(const plan::Step& first, const plan::Step& second) const;
    static bool haveWidth(const VectorPipeline&);
    bool isWorth(const VectorPipeline&) const;
    bool fit(VectorPipeline&) const;
    bool fitStrip(VectorPipeline&) const;
    const graph::Rates& ratesOf(const plan::Step&) const;

    ModuleBuilder& m;
    std::vector<std::uint32_t> users;  ///< by channel: how many have it as their tape
};

}  // namespace strc::codegen
