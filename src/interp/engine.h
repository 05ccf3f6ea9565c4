#pragma once
/// The interpreter's inside. One Engine runs one program once. Private to interp.

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>

#include "dynamic_shapes/tensor_heap.h"
#include "eval/eval.h"
#include "graph/sdep.h"
#include "interp/files.h"
#include "interp/line_limit.h"
#include "interp/machine.h"
#include "interp/ready_set.h"
#include "io/supply.h"

namespace strc::interp {

using base::Diag;
using dynamic_shapes::TensorHeap;
using eval::TensorHandle;
using graph::EdgeId;
using graph::NodeId;
using types::Type;
using types::Value;

/// Compiled bodies of one kernel.
struct KernelCode {
    eval::CodePtr work, prework;
    std::map<std::string, eval::CodePtr> handlers;
};

/// A message on its way.
struct PendingMessage {
    std::int64_t before;         ///< runs before this firing of the receiver (1: the first)
    std::string handler;
    std::vector<Value> args;
    std::uint64_t bytes = 0;  ///< that it counts for
};

/// How one firing of a filter must behave.
struct FiringRates {
    graph::Rates rates;
    std::int64_t need = 0;       ///< items the input must hold; 0 for dynamic input
    bool dynamicInput = false;
    eval::Firing limits;         ///< what the evaluator checks while the body runs
};

/// A node of the graph with everything that runs it.
struct Actor {
    NodeId id = graph::kNone;
    const graph::Node* node = nullptr;
    std::int64_t fired = 0;
    std::int64_t target = 0;     ///< quota of the present phase, as a count from the start
    std::uint32_t order = 0;

    // ---- filters
    ir::BuiltinStream builtin = ir::BuiltinStream::None;
    const elab::Kernel* kernel = nullptr;
    const KernelCode* code = nullptr;
    eval::Instance instance;
    FiringRates first, later;  ///< of the first firing (prework, if there is one) and the others
    eval::Tape* input = nullptr;
    eval::Tape* output = nullptr;
    std::deque<PendingMessage> messages;  ///< sorted by `before`, stable
    std::vector<std::size_t> guards;  ///< those that may hold this receiver back
    std::vector<std::uint32_t> wakes;  ///< orders of actors a firing may make ready
    std::int64_t emptyFirings = 0;
    bool firing = false;  ///< on the way, waiting for dynamic input; for ever if that is over
    bool waiting = false;  ///< its sources are asked for items
    bool selfFed = false;  ///< in a feedback loop without outer input
    std::int64_t written =
        0;  ///< items in the file: more than firings if the program was taken back
    bool warnedPops = false;

    // ---- files
    io::Supply* reader = nullptr;
    io::ItemWriter* writer = nullptr;

    const FiringRates& next() const { return fired == 0 ? first : later; }
};

/// Delivery of messages from one sender to one receiver.
struct Link {
    bool downstream;
    graph::Sdep sdep;
};

class Engine final : public eval::Host {
public:
    Engine(base::Context&, const ir::Module&, const elab::Elaboration&, const graph::Repetitions&,
           types::TypeTable&, const Options&);
    Outcome run();

    // ---- Host
    void print(std::string_view text) override;
    types::Random& random() override { return generator; }
    eval::Tensors& tensors() override { return *heap; }
    std::optional<eval::Trap> send(std::int32_t portal, const ir::Send&,
                                   std::optional<std::int64_t> maxLatency,
                                   std::span<const Value> args, base::SourceRange range) override;
    bool demandInput(std::uint64_t items) override;
    std::optional<eval::Trap> callNative(const ir::Native&, std::span<std::uint64_t> args,
                                         std::uint64_t& result) override;

private:
    // ---- engine.cpp: set-up, phases, ends
    bool setUp();
    bool setUpFilter(Actor&);
    bool openReader(Actor&);
    bool openWriter(Actor&);  ///< of a filter that writes a file; others are fine

    // ---- tensors.cpp: programs whose shapes only the run knows
    bool hasNames(EdgeId edge) const {
        return heap && graph.edges[edge].type->is(types::TypeKind::Tensor);
    }
    std::uint32_t itemSize(EdgeId) const;
    void setUpTensors();
    void forEachName(const TensorHeap::Mark&);
    Value tensorNamed(TensorHandle);
    void addItem(EdgeId, const Value&);
    bool areTensorsFit(const Actor&, const std::vector<std::uint64_t>& before);
    TensorHandle nameAt(EdgeId, std::uint64_t item);
    void keepFirst(EdgeId, std::uint64_t items);
    void wireTapes();
    void compileKernel(graph::KernelId);
    void stop(End why) {
        if (!stopped) stopped = why;
    }
    void runStatic();
    bool runPhase(const std::vector<std::int64_t>& repetitions);
    bool fireToTargets();
    std::int64_t stillInput(std::uint32_t input, std::int64_t most);
    bool drainPhase(const std::vector<std::int64_t>& phase, std::int64_t* left);
    void drainInput();
    bool supplyPhase(const std::vector<std::int64_t>& repetitions);
    bool supply(io::Supply&, NodeId owner, std::uint64_t items);
    io::SupplyOptions supplyOptions(NodeId source) const;
    void reportStuck();
    void reportFullTapes();
    void reportLeftOvers();
    graph::Waiting itemsWaiting() const;
    void reportWaiting();
    void closeFiles();
    bool isCheckDue();
    bool isTimeUp();
    bool checkStops();
    void drainOutput(bool all);
    void takeItems(io::Supply&, EdgeId, std::uint64_t items);
    base::Status writeItem(io::ItemWriter&, EdgeId);

    // ---- firing.cpp: one firing of an actor
    bool canFire(const Actor&);
    std::int64_t batchSize(const Actor&) const;
    bool fire(Actor&, std::int64_t times);
    bool fireNow(Actor&, std::int64_t times);
    bool fireFilter(Actor&);
    bool fireOneByOne(Actor&, std::int64_t times);
    bool fireBatch(Actor&, std::int64_t times);
    bool fireBuiltin(Actor&, std::int64_t times);
    bool isLimitReached(bool wasThere);
    void fireSplitter(Actor&, std::int64_t times);
    void fireJoiner(Actor&, std::int64_t times);
    bool runCode(Actor&, const eval::Code&, eval::Firing&);
    bool runHandler(Actor&, const eval::Code&, std::span<const Value> args);
    bool ended(Actor&, eval::Outcome);
    bool checkCounts(Actor&, const FiringRates&, const eval::Firing&, bool prework);
    bool checkRange(Actor&, const graph::Rate&, std::int64_t count, const char* word,
                    const char* verb, base::SourceRange);
    base::Diagnostic& report(const Actor&, Diag, base::SourceRange);
    void reportTrap(const Actor&, const eval::Trap&);

    // ---- messages.cpp
    void setUpMessages();
    Link* findLink(NodeId sender, NodeId receiver);
    std::optional<eval::Trap> post(Actor& sender, Actor& receiver, const ir::Send&,
                                   std::int64_t latency, std::span<const Value> args,
                                   base::SourceRange range);
    std::optional<std::int64_t> dueBefore(Actor& sender, Actor& receiver, std::int64_t latency);
    bool deliverDue(Actor&);
    bool guardsAllow(const Actor&);

    // ---- pull.cpp: programs with dynamic rates
    void runDynamic();
    bool pullIsland(std::uint32_t island, bool& progress);
    struct Demand {
        EdgeId edge;
        std::uint64_t items;
        Actor* asker;  ///< null: the firing that called
    };
    bool ensure(EdgeId, std::uint64_t items);
    bool pursue(std::vector<Demand>&);
    bool fireByDemand(Actor&);
    bool drainStatic();
    void drainDynamic(const std::vector<std::uint32_t>& sinkIslands);
    void findSelfFed();
    bool isSink(NodeId id) const {
        return graph.nodes[id].outputs.empty() ||
               (graph.output != graph::kNone && graph.edges[graph.output].from == id);
    }

    friend class Live;  // which runs it step by step
    Actor& actor(NodeId id) { return actors[id]; }

    base::Context& context;
    const ir::Module& module;
    const elab::Elaboration& elaboration;
    const graph::Graph& graph;
    const graph::Repetitions& repetitions;
    types::TypeTable& types;
    const Options& options;
    const Limited limited = whatIsLimited(module, elaboration);

    std::vector<Actor> actors;  ///< by NodeId
    std::vector<NodeId> byOrder;
    eval::TapeBudget budget{context.limits.totalBytes};
    std::deque<eval::Tape> tapes;  ///< by EdgeId
    std::vector<std::unique_ptr<KernelCode>> codes;  ///< by KernelId
    std::deque<io::Supply> inputs;
    WrittenFiles ownFiles;
    WrittenFiles& writers = options.files ? *options.files : ownFiles;
    io::Supply* openInput = nullptr;  ///< in `inputs`
    std::deque<Link> links;
    std::vector<graph::Guard> guards;
    std::map<std::pair<NodeId, NodeId>, std::size_t> linkOf;
    eval::Machine machine;
    std::unique_ptr<TensorHeap> heap;  ///< of a symbolic program
    std::function<void(const TensorHeap::Mark&)> otherNames;  ///< that somebody keeps (Live)
    types::Random generator;
    std::uint64_t messageBytesLeft = context.limits.totalBytes;
    ReadySet ready{0};
    LineLimit lines;
    Actor* current = nullptr;  ///< whose body runs
    const Actor* acting = nullptr;  ///< the last one that began to fire
    std::optional<End> stopped;
    bool orderVisible = false;  ///< firings must not be batched
    bool isLive = false;  ///< stepped from outside, which feeds the open input
    bool hasBegun = false;  ///< initialisation is done
    bool isDraining = false;  ///< no input comes any more
    bool isStarved = false;  ///< how the last body ended that did not end well
    bool isReplaying = false;  ///< firings that were seen before: nothing is printed
    bool starved = false;  ///< live: the open input had too little
    std::int64_t itemsWritten = 0;  ///< that count for the limit
    std::uint64_t calls = 0, moved = 0;  ///< of `fire`; items that went without a body
    std::uint64_t effortAtCheck = 0;
    std::chrono::steady_clock::time_point start;
    Outcome outcome;
};

}  // namespace strc::interp
