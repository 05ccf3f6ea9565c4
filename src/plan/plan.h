#pragma once
/// What is compiled: the state of a program as memory, and its phases as trees of steps in which every
/// firing knows where its items lie. The only thing code generation reads, beside the kernels it names.
/// In: an elaborated program, its quota and schedule. Out: a Plan;
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
#include "plan/phase.h"
#include "plan/shared_phase.h"
#include "sched/schedule.h"

namespace strc::plan {

using graph::EdgeId;
using graph::NodeId;

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
/// out. Who finds none of its items left, finds zeros. Of a program that has become one filter: a Read of as many items as are
/// left, a Part that leaves firings out itself (elab::Drain), a Write of what it has given.
struct Drain {
    Phase init, steady;
    graph::Ending ending;  ///< of the program as it was before passes; places are filled in
    /// By NodeId: its firings are counted; others fire in every phase. Empty: of one filter.
    std::vector<bool> counts;
};

/// A port of the program: a file's filter, or the open input or output (node kNone).
struct ProgramPort {
    NodeId node = graph::kNone;
};

struct Plan {
    const elab::Elaboration* program = nullptr;  ///< outlives the plan
    /// Of a program that has become one filter: its plan before that, which outlives this one. Null: it has not.
    const Plan* before = nullptr;
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
    /// Has a firing of that filter one item on each of them?
    bool dealsInputs(NodeId) const;
    bool dealsOutputs(NodeId) const;
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
    /// Who runs the program can undo what programs with dynamic rates do, and what is sent: iterations may be done in batches, and
    /// there may be phases of many steady states with messages.
    bool undoes = false;
    /// Who runs the program can undo what is sent, and that alone: as a library does within a call.
    bool undoesMessages = false;
    bool chunks = false;  ///< several threads may run the program
    /// Of a program that has become one filter: the chunk of what it was before, with segments of StepKind::Part, and with places of
    /// what is carried that count from the beginning of its fields. Null: none is there, or it is to be found.
    const Chunk* chunk = nullptr;
    /// Likewise, how threads share a call of a library: partitions are functions of the slice.
    const Partitioning* partitioning = nullptr;
    std::int64_t chunkStates =
        0;  ///< steady states of a chunk, whether that pays or not; 0: as it pays
    /// ns that a firing of a filter takes, by its path, as far as somebody has measured it; null: nobody has.
    const std::map<std::string, double>* measured = nullptr;
    unsigned threads = 1;  ///< that share a call of a library
    /// Tensors are for a device, which gains from larger phases than a processor's caches do.
    bool forDevice = false;
    bool ranks =
        false;  ///< chunks are cut over several processes: into small segments, whether threads gain by them or not
};

/// Whose nodes are meant where code says which of them fires, in faults and profiles: the program itself, or what it was before it
/// became one filter.
inline const elab::Elaboration& firingProgram(const Plan& plan) {
    return plan.before ? *plan.before->program : *plan.program;
}

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
