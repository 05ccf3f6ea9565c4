#pragma once
/// The flat stream graph with its hierarchy. Knows nodes, channels, rates and ids; knows neither
/// bodies nor source trees. Immutable once elaboration has returned it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "types/type.h"
#include "types/value.h"

namespace strc::graph {

constexpr std::uint32_t kNone = UINT32_MAX;
using NodeId = std::uint32_t;       ///< index into Graph::nodes
using EdgeId = std::uint32_t;       ///< index into Graph::edges
using CompositeId = std::uint32_t;  ///< index into Graph::composites
using KernelId = std::uint32_t;     ///< index into elab's kernels

/// Items per firing. Static: min == max. A dynamic rate lies in [min, max]; kUnbounded is "*".
constexpr std::int64_t kUnbounded = -1;
struct Rate {
    std::int64_t min = 0;
    std::int64_t max = 0;
    bool dynamic = false;  ///< written as `*` or a range, also when min == max
    std::int64_t average = -1;  ///< the hint of a three-part range, or -1
    bool operator==(const Rate&) const = default;
};

inline Rate fixedRate(std::int64_t items) { return {items, items, false, -1}; }

/// Rates of one kind of firing of a filter. peek >= pop when both are static.
struct Rates {
    Rate pop, peek, push;
    bool isDynamic() const { return pop.dynamic || peek.dynamic || push.dynamic; }
    bool operator==(const Rates&) const = default;
};

/// Ordered effects of language.md 12.6, as a bit set.
enum Effect : std::uint8_t {
    kNoEffect = 0,
    kPrints = 1,
    kRandom = 2,
    kNative = 4,
    kWritesFile = 8,
    kSends = 16
};

enum class NodeKind : std::uint8_t { Filter, Duplicate, RoundRobinSplitter, RoundRobinJoiner };

/// Items of one end: those of the first firing differ if the filter has a prework.
struct FlowRate {
    std::int64_t first = 0;
    std::int64_t then = 0;
};

/// A filter, a splitter or a joiner. Ports are numbered; a filter has at most one on each side, but for one that stands for a whole
/// program (ir::StreamCode::inputFields).
struct Node {
    NodeKind kind = NodeKind::Filter;
    KernelId kernel = kNone;  ///< filters
    Rates work;  ///< filters
    std::optional<Rates> prework;  ///< filters: rates of the first firing
    std::vector<std::int64_t> weights;  ///< round robins: one for each port on the many side
    std::int64_t totalWeight = 0;  ///< their sum
    std::vector<EdgeId> inputs, outputs;  ///< by port
    /// Of a filter with several ports on a side, by port; `work` and `prework` have nothing there. Else empty.
    std::vector<FlowRate> inputRates = {}, outputRates = {};
    std::string name;  ///< "Scale", "splitter", …
    std::uint32_t index = 0;  ///< position among the children of its composite
    CompositeId parent = kNone;
    std::uint32_t order = 0;  ///< structural order of 12.6: greater is more downstream
    std::uint8_t effects = kNoEffect;
    std::string file;  ///< of FileReader and FileWriter
    std::uint32_t fileParameter =
        0;  ///< 1 + the open parameter that names it in an executable; 0: none does
    base::SourceRange range;  ///< the statement that added it
};

/// A FIFO from a port to a port. The program's open ends (Graph::input, Graph::output) have no
/// `from` or no `to`: items come from and go to the world.
struct Edge {
    NodeId from = kNone;
    std::uint32_t fromPort = 0;
    NodeId to = kNone;
    std::uint32_t toPort = 0;
    const types::Type* type = nullptr;
    /// If items are tensors, which lie in memory as arrays: their types, from the first on, over and over. Empty if
    /// only the run knows them: then `type` is that of a tensor, or isHandle. Of the input they may be open (kDynamic).
    std::vector<const types::Type*> tensors;
    /// The type that such items have in memory if they come from files. Null: `type`.
    const types::Type* inFiles = nullptr;
    std::vector<types::Value> initial;  ///< enqueued items, the first is taken first
    base::SourceRange range;  ///< where the two ends were joined (the downstream `add`)
    /// Compiled engines: only the run knows what the tensors are, and the items, ints, are names of them.
    bool isHandle = false;
};

enum class CompositeKind : std::uint8_t { Pipeline, SplitJoin, FeedbackLoop };

/// Reference to a child: a node or a composite.
struct Child {
    bool isComposite = false;
    std::uint32_t id = kNone;
};

struct Composite {
    CompositeKind kind = CompositeKind::Pipeline;
    std::string name;
    std::uint32_t index = 0;
    CompositeId parent = kNone;
    std::vector<Child> children;  ///< in `add` order; a feedback loop's: body, loop
    NodeId splitter = kNone, joiner = kNone;
    base::SourceRange range;  ///< the statement that added it
    base::SourceRange header;  ///< the declaration's header
};

/// One sender's messages to one receiver.
struct MessageLink {
    NodeId sender = kNone;
    NodeId receiver = kNone;
    bool downstream = true;  ///< the receiver is downstream of the sender
    std::optional<std::int64_t> minLatency;  ///< least maximum latency that can be sent, if known
    bool bestEffort = false;  ///< all sends of the link are `[*]`
    base::SourceRange range;  ///< of the send
};

/// A sound whose channels filters of the library mix, as one that goes through a resampler does.
struct MixedSound {
    std::string path;  ///< of its reader; empty: it is the input
    std::uint64_t channels = 0;  ///< bit c: if it has c channels
};

struct Graph {
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    std::vector<Composite> composites;  ///< [0] is the main stream, if it is a composite
    std::vector<MessageLink> messages;
    EdgeId input = kNone;  ///< --top of a T->U stream: the edge without `from` that
    EdgeId output = kNone;  ///< brings its input; the edge without `to` for its output
    /// Samples a second that streams of the library are told (`rate`), each once.
    std::vector<double> soundRates;
    /// The program took its input to have these, since they could not be told; 0: it did not ask.
    int assumedRate = 0, assumedChannels = 0;
    bool keepsSamples = false;  ///< what it gives depends on more than one item
    std::vector<MixedSound> mixedSounds;

    bool isDynamic() const;
};

/// How often each node fires: the quota of one phase, by NodeId.
struct Repetitions {
    std::vector<std::int64_t> init;  ///< initialisation phase, first firings with prework included
    std::vector<std::int64_t> steady;  ///< repetition vector
    /// Connected static part of each node: dynamic edges cut the graph (language.md 13). Quotas of
    /// different islands are independent of each other.
    std::vector<std::uint32_t> island;
    std::uint32_t islands = 1;
};

const types::Type* memoryOf(const Edge&);
/// Are its items tensors?
bool hasTensors(const Edge&);
/// How messages name the items: by their type, or, if they are values of type tensor, by the types that are known to come.
std::string itemsOf(const Edge&);

/// Is the composite, or one around it, a feedback loop? kNone: the program is none.
bool isInFeedbackLoop(const Graph&, CompositeId);

/// "Main.bank[1].fir": names from the main stream down; [k] where siblings share a name.
std::string path(const Graph&, NodeId);
std::string compositePath(const Graph&, CompositeId);

/// Items that one firing takes from / puts on an edge; splitters and joiners included. `first`: the
/// first firing of a filter with prework. Static rates only (STRC_ASSERT).
std::int64_t popRate(const Graph&, EdgeId, bool first = false);
std::int64_t peekRate(const Graph&, EdgeId, bool first = false);
std::int64_t pushRate(const Graph&, EdgeId, bool first = false);
/// Is an end of the edge dynamic? Such an edge is cut (language.md 13).
bool isDynamic(const Graph&, EdgeId);

}  // namespace strc::graph
