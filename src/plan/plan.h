#pragma once
/// What is compiled: the state of a program as memory, and its phases as trees of steps in which every
/// firing knows where its items lie. The only thing code generation reads, beside the kernels it names.
/// In: an elaborated program of static rates without messages, its quota and schedule. Out: a Plan;
/// immutable, printable, checked by `verify`. docs/design/compiled.md tells why channels look like this.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "elab/elaborate.h"
#include "graph/ending.h"
#include "graph/graph.h"
#include "graph/sdep.h"
#include "sched/schedule.h"

namespace strc::plan {

using graph::EdgeId;
using graph::NodeId;

/// An item of a channel: `base + Σ perIteration[d] * i(d)`, i(d) the iteration (from 0) of the d-th enclosing
/// Loop, outermost first. Shorter than the nesting: the rest is 0. The iterations of a Fire step with a
/// count follow from the rates of its node.
struct Position {
    std::int64_t base = 0;
    std::vector<std::int64_t> perIteration;
    bool operator==(const Position&) const = default;
};

/// How items lie in the memory of an edge.
/// Linear: every firing knows where (Position). Ring: cursors in the state count what was read and written;
/// the plain way, to compare with: nothing is scaled, and there are no positions and no Moves.
enum class Tapes : std::uint8_t { Linear, Ring };

/// A ring buffer is four numbers of 8 bytes: the items read and written so far, the mask that makes a
/// place of such a number (capacity - 1), and how many bytes further on the items lie.
constexpr std::int64_t kRingRead = 0, kRingWritten = 8, kRingMask = 16, kRingItems = 24,
                       kRingSize = 32;

/// An edge as memory. Between steady states `retained` items lie at item 0 and further (Linear). An edge
/// behind a node that only passes on can share the memory of another, its tape (plan/detail/share.h): then the last
/// `retained` of those that the tape retains lie before its reader, and the node between them does not fire.
struct Channel {
    EdgeId edge = graph::kNone;
    EdgeId tape = graph::kNone;  ///< whose memory it is; the edge itself if it is its own
    std::int64_t itemSize = 0;  ///< bytes
    std::int64_t retained = 0;  ///< of a tape: what its slowest reader has before it
    /// Item with which it begins at the start of the program, where its enqueued items are (Linear).
    std::int64_t start = 0;
    /// Items that ever lie there, in any phase; 0: on another tape. Ring: a power of two.
    std::int64_t capacity = 0;
    std::int64_t offset = 0;  ///< bytes, into the state
};

enum class StepKind : std::uint8_t {
    Fire,  ///< `node` fires `count` times; inputs and outputs by port: where the first firing begins
    Loop,  ///< `body`, `count` times
    Move,  ///< `count` items of `channel` from inputs[0] to outputs[0], which may overlap; in some
    ///< iterations the last of them are used up or not yet there and move along for nothing
    Read,  ///< `count` items of program input `port` to outputs[0] of `channel`
    Write,  ///< `count` items of `channel` from inputs[0] to program output `port`
    Device,  ///< segment `port` of what has been moved to a device (src/device); plans as such have none
};

struct Step {
    StepKind kind = StepKind::Fire;
    std::int64_t count = 1;
    NodeId node = graph::kNone;
    bool first = false;  ///< Fire: the first firing of a filter with prework; count 1
    EdgeId channel = graph::kNone;
    std::uint32_t port = 0;
    std::vector<Position> inputs, outputs;
    std::vector<Step> body;
};

/// All input it needs is there before it begins (language.md 17.2): `reads`, by program input.
struct Phase {
    std::vector<Step> steps;
    std::vector<std::int64_t> reads;
    std::int64_t iterations = 0;  ///< steady states; 0: the phase does not exist (or is `init`)
};

/// What one chunk hands to the next one.
enum class CarryKind : std::uint8_t {
    State,  ///< bytes of a filter's fields, or its count of firings
    Items,  ///< of a tape: those that stay on it
    Affine,  ///< a field that the firings of a chunk change by a known function (ir/affine_state.h)
    Counter,  ///< 8 bytes that grow by `summand` in a chunk: the count of firings of `node`, or an end of the queue of `tape`
    Random,  ///< the generator of random numbers
    Order,  ///< nothing: what prints, reads or writes does so in the order of chunks
};

/// A chunk takes it before it begins with segment `taken`, and gives it when the segments before `given` are done. Affine and
/// Counter: at once, computed from what was taken.
struct Carry {
    CarryKind kind = CarryKind::State;
    NodeId node = graph::kNone;  ///< whose it is; of Items: kNone
    EdgeId tape = graph::kNone;  ///< Items
    std::int64_t from = 0;  ///< bytes, into the state: where a chunk leaves it
    std::int64_t to = 0;  ///< where a chunk, and every other phase, expects it
    std::int64_t size = 0;  ///< bytes
    std::size_t taken = 0, given = 0;
    std::uint32_t factor = 1, summand = 0,
                  mask = UINT32_MAX;  ///< Affine, for all firings of a chunk
};

/// Steps that a thread does without waiting for others, in functions of their own.
struct Segment {
    std::vector<Step> steps;
    double work = 0;  ///< estimated (ir/work_estimate.h)
};

/// Some steady states that a thread does while other threads do those before and behind, each in a copy of the state of its own:
/// state crosses threads, data does not. The segments in order do what a phase does, but for the Moves at the end of it: items
/// that stay on tapes go to the next chunk instead, and to the state of the program when the last chunk is done.
struct Chunk {
    std::vector<Segment> segments;
    std::vector<Carry> carries;
    std::vector<std::int64_t> reads;  ///< as in Phase
    std::int64_t iterations = 0;  ///< steady states
    double work = 0;  ///< of all segments
    std::vector<double> nodeWork;  ///< by NodeId
    double ordered = 0;  ///< of the longest part of a chunk that the next one has to wait for
};

/// How items of a tape come from one partition to another.
enum class ChannelKind : std::uint8_t {
    Within,  ///< of one partition: nobody waits
    BySlice,  ///< one writes, one reads: a slice waits for the same slice of the other, and those before
    Whole,  ///< likewise, but for all slices of the other
};

struct PartitionChannel {
    EdgeId tape = graph::kNone;
    std::size_t from = 0, to = 0;  ///< partitions; from one to many there is a channel for each
    ChannelKind kind = ChannelKind::Within;
};

/// Steps that one thread does at a time, and the filters whose state they own; the body of a loop over slices, for positions.
struct Partition {
    std::vector<Step> steps;
    std::vector<NodeId> nodes;  ///< that fire in it, in ascending order
    std::int64_t slices = 1;  ///< 1, or those of the phase
    bool isInOrder = false;  ///< slice after slice: firings change what others find
    bool drawsRandom = false;
    double work = 0;  ///< of all slices, estimated (ir/work_estimate.h)
    std::uint32_t home = 0;  ///< the thread that looks for it first; 0: the caller's
};

/// A phase that threads of a library share within one call. All its items have room, so its tapes are the buffers between partitions: a
/// slice, some of the steady states, can be done when what it reads has been done.
struct Partitioning {
    std::vector<Step> begin, end;  ///< open ends, prints, Moves: the caller's, before and behind
    std::vector<Partition> partitions;  ///< in the order in which they are looked for
    std::vector<PartitionChannel> channels;
    std::vector<std::int64_t> reads;  ///< as in Phase
    std::int64_t iterations = 0;  ///< steady states
    std::int64_t slices = 1;  ///< of the same number of steady states
    double work = 0;  ///< of all partitions
    double span = 0;  ///< what that takes on the threads that were asked for, by the estimate
};

/// Of a filter that sends or receives messages.
struct Mailbox {
    NodeId node = graph::kNone;
    bool receives = false;
};

/// When messages of `sender` to `receiver` are due (language.md 14.4).
struct Route {
    NodeId sender = graph::kNone;
    NodeId receiver = graph::kNone;
    bool isDownstream = true;
    graph::Sdep::Table sdep;
    /// Programs with dynamic rates: the latency for which the receiver holds back (graph::Guard).
    std::optional<std::int64_t> guard;
};

/// Nodes without effects and with static rates that fire for nothing but the firings of one of them: they
/// run as a static program does, one firing of the head at a time, between two queues.
struct Region {
    std::vector<NodeId> nodes;  ///< in structural order
    NodeId head = graph::kNone;  ///< what it gives leaves the region
    EdgeId input = graph::kNone;  ///< where its items come from; kNone: it makes them
    EdgeId output = graph::kNone;
    Phase init;  ///< before the first `steady`; `reads` has one number, which is 0 without an input
    Phase steady;  ///< Read and Write steps are from and to the queues
    /// Several of `steady` at once, and what threads share of them, where iterations are done in batches.
    Phase scaled;
    std::optional<Chunk> chunk;
    std::int64_t initFirings = 0, steadyFirings = 0;  ///< of all nodes
};

/// How a program with dynamic rates runs (language.md 13): nothing is known beforehand but who is asked.
/// It has no phases but `init`, without steps; edges are queues of the runtime, but for those in regions.
struct Demand {
    struct Sink {
        NodeId node = graph::kNone;
        std::int64_t firings = 0;  ///< in an iteration
        bool depends = false;  ///< on the input
    };
    std::vector<Sink> sinks;  ///< in the order they are asked
    std::vector<Region> regions;  ///< each is fired as its head
    std::vector<NodeId> drained;  ///< who fires as long as it can afterwards, the first one first
    /// Several iterations may be done as one, in which each sink has all its firings at a stretch: nobody can tell, and there are
    /// regions that gain by it.
    bool batches = false;
    std::int64_t queueOffset = 0;  ///< bytes, into the state: one strc_queue an edge
    std::int64_t actorOffset = 0;  ///< one strc_actor a node
};

/// The end of the input (docs/design/ending.md): the phases once more, each step a single firing or item, which can be left
/// out. Who finds none of its items left, finds zeros.
struct Drain {
    Phase init, steady;
    graph::Ending ending;  ///< of the program as it was before passes; places are filled in
    std::vector<bool> counts;  ///< by NodeId: its firings are counted; others fire in every phase
};

/// A port of the program: a file's filter, or the open input or output (node kNone).
struct ProgramPort {
    NodeId node = graph::kNone;
};

struct Plan {
    const elab::Elaboration* program = nullptr;  ///< outlives the plan
    Tapes tapes = Tapes::Linear;  ///< of programs with a demand: Linear, within regions
    std::vector<Channel> channels;  ///< by EdgeId
    std::int64_t ringOffset = 0;  ///< Ring: bytes, into the state; kRingSize for each channel
    std::vector<std::int64_t>
        fields;  ///< by NodeId: where the filter's state begins, bytes; -1: it has none
    /// By NodeId: where 8 bytes count the completed firings of `work`, of filters whose kernel asks
    /// iter(); -1: none. They begin as 0.
    std::vector<std::int64_t> counters;
    std::vector<Mailbox> mailboxes;  ///< in ascending order of their nodes
    std::int64_t mailboxOffset = 0;  ///< bytes, into the state; each takes sizeof(strc_mailbox)
    std::vector<Route> routes;  ///< of those with a deadline, as Graph::messages has them
    /// Bytes, into the state: room for the fields of any one filter that computes some of open parameters, to do that
    /// again; -1: there is none.
    std::int64_t scratchOffset = -1;
    std::int64_t stateSize = 0;  ///< bytes
    std::string image;  ///< what the state begins with; zeros follow
    std::vector<ProgramPort> inputs, outputs;  ///< readers and writers by NodeId, then the open one
    Phase init, steady, scaled;
    std::optional<Chunk>
        chunk;  ///< if it was asked for (Options::chunks), and threads could gain by it
    std::optional<Partitioning> partitioning;  ///< for Options::threads, if these could gain by it
    std::optional<Demand> demand;  ///< of programs with dynamic rates
    std::optional<Drain> drain;  ///< if it was asked for (Options::ending), and can be
    /// By NodeId: nodes that only move items and have no steps, since others find these where they lie
    /// (plan/detail/share.h). Empty: there are none.
    std::vector<bool> gone;

    /// Where a node's items lie, by the port of its steps: its edges, or of a filter before or behind which a
    /// round robin is gone the branches of that, each with one item of a firing.
    const std::vector<EdgeId>& inputsOf(NodeId) const;
    const std::vector<EdgeId>& outputsOf(NodeId) const;
    /// Where the ring of an edge begins, bytes, into the state.
    std::int64_t ringOf(EdgeId id) const { return ringOffset + kRingSize * std::int64_t{id}; }
    /// Index of a node's mailbox, or kNone.
    std::uint32_t mailboxOf(NodeId) const;
};

struct Options {
    /// What to scale; none: the given schedule. To scale, every node must appear once in the steady state.
    const sched::Schedule* scaling = nullptr;
    std::int64_t mostItems = INT64_MAX;  ///< of an open end, in the phase `scaled`
    std::int64_t factor =
        0;  ///< steady states of the phase `scaled`; 0: as many as fast memory holds
    Tapes tapes = Tapes::Linear;
    /// Filters whose code only moves items are left out as well. Who follows code line by line misses them.
    bool removesCode = false;
    /// Of the program before passes: when the input ends, what has its items fires. Null: nothing can.
    const graph::Ending* ending = nullptr;
    /// Who runs a program with dynamic rates can undo what it does: iterations may be done in batches.
    bool batches = false;
    bool chunks = false;  ///< several threads may run the program
    std::int64_t chunkStates =
        0;  ///< steady states of a chunk, whether that pays or not; 0: as it pays
    /// ns that a firing of a filter takes, by its path, as far as somebody has measured it; null: nobody has.
    const std::map<std::string, double>* measured = nullptr;
    unsigned threads = 1;  ///< that share a call of a library
    /// Tensors are for a device, which gains from larger phases than a processor's caches do.
    bool forDevice = false;
};

/// Why a program has no plan yet: one sentence ("it has dynamic rates"), or empty if it can have one.
std::string whyNot(const elab::Elaboration&);

/// The schedule of a program with dynamic rates does not matter. Empty after reporting memory that cannot
/// be had (Limits::totalBytes).
std::optional<Plan> plan(base::Context&, const elab::Elaboration&, const graph::Repetitions&,
                         const sched::Schedule&, const Options& = {});

/// Does the edge of a program with a demand lie in a queue? Else it lies in the memory of a region.
bool isQueue(const Plan&, EdgeId);

/// Channels as a table, then the phases as indented steps with positions, as `--emit=plan` shows them.
std::string print(const Plan&);

/// Replays all phases on counts, independently of how they were made: init, steady, scaled and steady
/// again. Every firing reads exactly the items that come next on each edge, from where they were
/// written or moved to, and writes over none that is still needed; capacities suffice, no two blocks of
/// the state overlap; quotas and reads are met. One sentence for each fault; empty: the plan is right.
/// Firings are replayed one by one: for programs of up to some millions of firings.
std::vector<std::string> verify(const Plan&, const graph::Repetitions&);

}  // namespace strc::plan
