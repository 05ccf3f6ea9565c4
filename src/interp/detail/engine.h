#pragma once
/// One Engine runs one program once: it makes the actors, is what bodies call, and closes what was opened.

#include <memory>

#include "interp/detail/dynamic_run.h"
#include "interp/detail/static_run.h"

namespace strc::interp {

class Engine final : public eval::Host {
public:
    Engine(base::Context&, const ir::Module&, const elab::Elaboration&, const graph::Repetitions&,
           types::TypeTable&, const Options&);
    Outcome run();
    /// Or without `run`, by whoever steps the program (live.h): false after reporting what cannot be opened.
    bool setUp();
    void closeFiles();

    // ---- Host
    void print(std::string_view text) override;
    types::Random& random() override { return state.generator; }
    eval::Tensors& tensors() override { return *state.channels.heap; }
    std::optional<eval::Trap> send(std::int32_t portal, const ir::Send&,
                                   std::optional<std::int64_t> maxLatency,
                                   std::span<const Value> args, base::SourceRange range) override;
    bool demandInput(std::uint64_t items) override;
    std::optional<eval::Trap> callNative(const ir::Native&, std::span<std::uint64_t> args,
                                         std::uint64_t& result) override;

    RunState state;
    Firings firings{state};
    StaticRun staticRun{state, firings};
    DynamicRun dynamicRun{state, firings};
    std::function<void(const TensorHeap::Mark&)> otherNames;  ///< that somebody keeps (Live)

private:
    void setUpChannels();
    void forEachName(const TensorHeap::Mark&);
    bool setUpActors();
    bool setUpFilter(Actor&);
    void compileKernel(graph::KernelId);
    void wireTapes();
    void findVisibleOrder();
    bool openReader(Actor&);
    bool openWriter(Actor&);  ///< of a filter that writes a file; others are fine
    io::SupplyOptions supplyOptions(NodeId source) const;
    graph::Waiting itemsWaiting() const;
    graph::Waiting itemsWaitingAsWritten() const;
    void reportWaiting();
    void reportLeftOvers();

    std::vector<std::unique_ptr<KernelCode>> codes;  ///< by KernelId
};

}  // namespace strc::interp
