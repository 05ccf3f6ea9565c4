#pragma once
/// The function of a phase while it is emitted, and where in it the items of channels, the fields of filters and their counters
/// lie: in the state, or in variables of the function.

#include <map>
#include <string>
#include <vector>

#include "codegen/detail/module_builder.h"
#include "codegen/detail/rings.h"

namespace strc::codegen {

struct PhaseContext {
    explicit PhaseContext(ModuleBuilder& builder) : m(builder), b(m.context) {}

    llvm::Value* env() { return function->getArg(0); }
    llvm::Value* state() { return function->getArg(1); }
    /// The place so many bytes behind the beginning of the state.
    llvm::Value* at(std::int64_t offset);
    llvm::Value* bytesOf(graph::EdgeId, std::int64_t items);
    /// The place of item `position + loopIndex * rate` of a channel.
    llvm::Value* item(graph::EdgeId, const plan::Position&, llvm::Value* loopIndex = nullptr,
                      std::int64_t rate = 0);
    /// A variable of the function.
    llvm::Value* variable(std::uint64_t bytes);
    llvm::Value* fieldsOf(graph::NodeId);
    /// Of a region: moves an end of the queue over the step's items; where the first of them lies.
    llvm::Value* moveQueue(const plan::Step&, std::size_t which);
    /// Keeps items that firings of one iteration of `list`, a loop of the phase, hand to later ones in variables.
    void keepTapes(const std::vector<plan::Step>& list, const plan::Phase&, std::int64_t mostBytes);

    bool hasRings() const { return m.plan.tapes == plan::Tapes::Ring; }
    RingSteps rings();

    void copy(llvm::Value* to, llvm::Value* from, llvm::Value* bytes);
    /// Moves single items as what they are, so that loops over them can become vectors.
    void move(const Type*, llvm::Value* to, llvm::Value* from, std::int64_t items);

    KernelFunctions& functionsOf(const plan::Step&);
    /// The firing of that iteration, or those that begin with it; `transposed`: where their window is instead.
    llvm::Value* callWork(llvm::Function* work, const plan::Step&, const graph::Rates&,
                          llvm::Value* loopIndex, llvm::Value* transposed = nullptr);
    void addToCounter(graph::NodeId, std::uint64_t firings);

    struct OwnTape {
        llvm::Value* memory = nullptr;
        /// The item that lies there in each iteration, without what the counters add.
        std::int64_t first = 0;
    };

    ModuleBuilder& m;
    llvm::IRBuilder<> b;
    llvm::Function* function = nullptr;
    std::vector<llvm::Value*> trips;  ///< iterations of the loops around, the outermost first
    std::map<graph::NodeId, llvm::Value*>
        ownFields;  ///< of filters in the loop that is being emitted
    std::map<graph::EdgeId, OwnTape> ownTapes;  ///< likewise, by tape

private:
    /// Where the items of a firing lie that takes or gives one of each branch.
    llvm::Value* branches(const std::vector<graph::EdgeId>&,
                          const std::vector<plan::Position>& from, llvm::Value* loopIndex);
};

/// A function of env, state and the iterations of `depth` loops around, that has no code yet. `rare`: it is not worth the time of
/// LLVM's passes.
llvm::Function* declarePhase(ModuleBuilder&, const std::string& name, std::size_t depth, bool rare);

}  // namespace strc::codegen
