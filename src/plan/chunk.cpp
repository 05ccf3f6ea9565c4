#include "plan/detail/chunk.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

#include "graph/flow.h"
#include "ir/affine_state.h"
#include "ir/stored_fields.h"
#include "plan/detail/layout.h"
#include "plan/detail/regions.h"
#include "plan/detail/slice.h"
#include "strc/demand.h"

namespace strc::plan {
namespace {

using graph::kNone;

/// Threads have to gain at least so much, if there are many.
constexpr double kLeastGain = 1.25;
/// Segments that do less than this part of a chunk are joined with others: a hand-over has its price.
constexpr double kSmallest = 1.0 / 64;
/// A rank that has less to do for a chunk (by the estimate) would spend much of its time on taking it in and handing it on.
constexpr double kLeastOfRank = 160'000;
/// But so many parts there may be in any case.
constexpr double kLargestLeast = 1.0 / 8;
/// Filters of one segment that read the same tape share what they do alike, such as transposing it: segments of them are larger.
constexpr double kLeastOfAlike = 1.0 / 16;
constexpr std::size_t kNever = SIZE_MAX;

/// Steps, by their places, that touch something.
struct Span {
    std::size_t first = kNever, last = 0;

    bool isEmpty() const { return first == kNever; }
    void add(std::size_t step) {
        first = std::min(first, step);
        last = std::max(last, step);
    }
};

bool isFile(const elab::Kernel& kernel) {
    if (kernel.builtin == types::BuiltinStream::None) return false;
    const types::BuiltinRole role = types::info(kernel.builtin).role;
    return role == types::BuiltinRole::Reader || role == types::BuiltinRole::Writer;
}

/// Finds what a phase carries on and between which of its steps.
class Carries {
public:
    Carries(const Plan& made, std::vector<Step>& all, const ChunkSize& chunk,
            const graph::Repetitions& firings)
        : plan(made),
          program(*made.program),
          steps(all),
          size(chunk),
          repetitions(firings),
          nodes(program.graph.nodes.size()),
          reads(program.graph.edges.size()),
          writes(program.graph.edges.size()) {}

    /// False: something would be carried that cannot be.
    bool find() {
        takeTailMoves();
        for (std::size_t k = 0; k < steps.size(); ++k) note(steps[k], k);
        for (NodeId id = 0; id < nodes.size(); ++id)
            if (!nodes[id].isEmpty() && !addNode(id)) return false;
        for (EdgeId id = 0; id < reads.size(); ++id)
            if (plan.channels[id].tape == id && !addTape(id)) return false;
        // Static parts between queues in memory know where they are.
        for (const Span& each : open)
            if (!each.isEmpty() && !program.graph.isDynamic())
                add({.kind = CarryKind::Order}, each.first, each.last + 1);
        return true;
    }

    std::vector<Carry> found;  ///< taken and given count steps; places within fields and tapes

private:
    /// Moves that end the phase: what they move is carried instead.
    void takeTailMoves() {
        while (!steps.empty() && steps.back().kind == StepKind::Move) {
            const Step& last = steps.back();
            const Channel& tape = plan.channels[last.channel];
            const bool isTail = last.count == tape.retained && tape.tape == last.channel &&
                                last.outputs[0].base == 0 && !tails.contains(last.channel);
            if (!isTail) return;
            tails[last.channel] = last.inputs[0].base;
            steps.pop_back();
        }
    }

    void note(const Step& step, std::size_t at) {
        if (step.kind == StepKind::Loop) {
            for (const Step& inner : step.body) note(inner, at);
        } else if (step.kind == StepKind::Fire) {
            nodes[step.node].add(at);
            for (EdgeId edge : plan.inputsOf(step.node)) reads[tapeOf(edge)].add(at);
            for (EdgeId edge : plan.outputsOf(step.node)) writes[tapeOf(edge)].add(at);
        } else {
            if (step.kind != StepKind::Move) open[step.kind == StepKind::Read ? 0 : 1].add(at);
            if (step.kind != StepKind::Read) reads[tapeOf(step.channel)].add(at);
            if (step.kind != StepKind::Write) writes[tapeOf(step.channel)].add(at);
        }
    }

    EdgeId tapeOf(EdgeId edge) const { return plan.channels[edge].tape; }

    void add(Carry carry, std::size_t taken, std::size_t given) {
        carry.taken = taken;
        carry.given = given;
        found.push_back(carry);
    }

    // ---- nodes

    bool addNode(NodeId id) {
        const graph::Node& node = program.graph.nodes[id];
        const Span& span = nodes[id];
        if (node.effects & graph::kRandom)
            add({.kind = CarryKind::Random, .node = id, .size = 8}, span.first, span.last + 1);
        const bool receives = isReceiver(id);
        if (receives)
            add({.kind = CarryKind::Mail, .node = id, .size = kMailboxSize}, span.first,
                lastSender(id) + 1);
        if (node.kernel == kNone) return true;
        const elab::Kernel& kernel = program.kernels[node.kernel];
        if (isFile(kernel) || (node.effects & graph::kPrints))
            add({.kind = CarryKind::Order, .node = id}, span.first, span.last + 1);
        return !kernel.code.work || addFields(id, kernel, receives);
    }

    bool isReceiver(NodeId id) const {
        const std::uint32_t box = plan.mailboxOf(id);
        return box != kNone && plan.mailboxes[box].receives;
    }

    /// The last step in which somebody may send to it, or it fires.
    std::size_t lastSender(NodeId id) const {
        std::size_t last = nodes[id].last;
        for (const graph::MessageLink& link : program.graph.messages)
            if (link.receiver == id) last = std::max(last, nodes[link.sender].last);
        return last;
    }

    /// What handlers do is not in `work`.
    bool addFields(NodeId id, const elab::Kernel& kernel, bool receives) {
        if (receives) return addStored(id, kernel);
        if (const auto affine = ir::findAffineState(*kernel.code.work)) {
            for (const ir::AffineField& field : *affine) addAffine(id, kernel, field);
            return true;
        }
        return addStored(id, kernel);
    }

    bool addStored(NodeId id, const elab::Kernel& kernel) {
        const std::vector<bool> stored = ir::storedFields(kernel.code);
        for (std::size_t k = 0; k < kernel.fieldTypes.size(); ++k) {
            if (!stored[k]) continue;
            if (hasStrings(kernel.fieldTypes[k])) return false;
            addField(id, kernel.fieldOffsets[k], types::sizeOf(kernel.fieldTypes[k]));
        }
        return true;
    }

    void addAffine(NodeId id, const elab::Kernel& kernel, const ir::AffineField& field) {
        const ir::AffineField all = field.times(size.states * repetitions.steady[id]);
        const std::int64_t at = kernel.fieldOffsets[field.field];
        add({.kind = CarryKind::Affine,
             .node = id,
             .from = at,
             .to = at,
             .size = 4,
             .factor = all.factor,
             .summand = all.summand,
             .mask = all.mask},
            0, 0);
    }

    /// Fields beside each other are carried as one.
    void addField(NodeId id, std::int64_t at, std::int64_t size) {
        if (!found.empty()) {
            Carry& last = found.back();
            if (last.kind == CarryKind::State && last.node == id && last.from + last.size == at) {
                last.size += size;
                return;
            }
        }
        add({.kind = CarryKind::State, .node = id, .from = at, .to = at, .size = size},
            nodes[id].first, nodes[id].last + 1);
    }

    // ---- tapes

    bool addTape(EdgeId id) {
        const Channel& tape = plan.channels[id];
        if (tape.retained == 0 || (reads[id].isEmpty() && writes[id].isEmpty())) return true;
        if (hasStrings(program.graph.edges[id].type)) return false;
        Carry carry{.kind = CarryKind::Items, .tape = id, .size = tape.retained * tape.itemSize};
        const auto tail = tails.find(id);
        if (tail == tails.end() || reads[id].isEmpty() || writes[id].isEmpty()) {
            if (tail != tails.end()) leaveAt(carry, tail->second, tape.itemSize);
            add(carry, std::min(reads[id].first, writes[id].first),
                std::max(reads[id].last, writes[id].last) + 1);
            return true;
        }
        leaveAt(carry, tail->second, tape.itemSize);
        const std::size_t taken = reads[id].first;
        // Some of what stays may have stayed before, at least in a chunk of one slice.
        const bool isAnyOlder = tail->second < tape.retained * size.slices;
        add(carry, taken, isAnyOlder ? std::max(taken, writes[id].last + 1) : writes[id].last + 1);
        return true;
    }

    /// `item` is where all slices leave what stays, so each has its part in it.
    void leaveAt(Carry& carry, std::int64_t item, std::int64_t itemSize) const {
        carry.from = carry.perSlice = item / size.slices * itemSize;
    }

    const Plan& plan;
    const elab::Elaboration& program;
    std::vector<Step>& steps;
    const ChunkSize& size;
    const graph::Repetitions& repetitions;
    std::vector<Span> nodes, reads, writes;  ///< by NodeId; by tape
    std::array<Span, 2> open;  ///< what reads the open input, and what writes the open output
    std::map<EdgeId, std::int64_t> tails;  ///< item from which on those lie that stay
};

/// Cuts the steps where something is taken or given, but not into pieces that are too small.
class Cutting {
public:
    Cutting(const Plan& plan, const WorkEstimate& estimate, std::vector<Step> all,
            const ChunkSize& size)
        : plan(plan),
          steps(std::move(all)),
          isForRanks(size.cuts == Cuts::Everywhere),
          leastOfRank(kLeastOfRank / static_cast<double>(size.slices)),
          cut(steps.size() + 1, isForRanks) {
        for (const Step& step : steps) work.push_back(estimate.of(plan, step));
    }

    void run(Chunk& chunk) {
        for (double each : work) chunk.work += each;
        for (const Carry& carry : chunk.carries) cut[carry.taken] = cut[carry.given] = true;
        cut.front() = cut.back() = true;
        joinSmall(chunk);
        std::vector<std::size_t> before(cut.size());  // by place: cuts in front of it
        for (std::size_t k = 0; k < steps.size(); ++k) {
            if (cut[k]) chunk.segments.emplace_back();
            chunk.segments.back().work += work[k];
            chunk.segments.back().steps.push_back(std::move(steps[k]));
            before[k + 1] = chunk.segments.size();
        }
        for (Carry& carry : chunk.carries) {
            // The last cut that is not behind; the next one that is not in front.
            carry.taken = cut[carry.taken] ? before[carry.taken] : before[carry.taken] - 1;
            carry.given = before[carry.given];
            chunk.ordered = std::max(chunk.ordered, workBetween(chunk, carry.taken, carry.given));
        }
    }

private:
    /// Of a segment that ends in front of step `at`.
    double leastWork(const Chunk& chunk, std::size_t at) const {
        const double least = chunk.work * kSmallest;
        if (!isForRanks) return least;
        if (readSameTape(steps[at - 1], steps[at])) return chunk.work * kLeastOfAlike;
        return std::max(least, std::min(chunk.work * kLargestLeast, leastOfRank));
    }

    bool readSameTape(const Step& a, const Step& b) const {
        if (a.kind != StepKind::Fire || b.kind != StepKind::Fire) return false;
        for (const EdgeId left : plan.inputsOf(a.node))
            for (const EdgeId right : plan.inputsOf(b.node))
                if (plan.channels[left].tape == plan.channels[right].tape) return true;
        return false;
    }

    void joinSmall(const Chunk& chunk) {
        double sum = 0;
        for (std::size_t k = 1; k + 1 < cut.size(); ++k) {
            sum += work[k - 1];
            if (!cut[k]) continue;
            if (sum + untilCut(k) <= leastWork(chunk, k))
                cut[k] = false;
            else
                sum = 0;
        }
    }

    double untilCut(std::size_t from) const {
        double sum = 0;
        do sum += work[from++];
        while (!cut[from]);
        return sum;
    }

    const Plan& plan;
    std::vector<Step> steps;
    bool isForRanks;
    double leastOfRank;  ///< of a slice
    std::vector<double> work;  ///< by step
    std::vector<bool> cut;  ///< by step: in front of it, and behind the last one
};

std::int64_t mailboxAt(const Plan& plan, std::size_t box) {
    return plan.mailboxOffset + kMailboxSize * static_cast<std::int64_t>(box);
}

/// Where fields, tapes and mailboxes lie in the state.
void putInState(const Plan& plan, Carry& carry) {
    std::int64_t base = 0;
    if (carry.kind == CarryKind::Items) base = plan.channels[carry.tape].offset;
    if (carry.kind == CarryKind::State || carry.kind == CarryKind::Affine)
        base = plan.fields[carry.node];
    if (carry.kind == CarryKind::Mail) base = mailboxAt(plan, plan.mailboxOf(carry.node));
    carry.from += base;
    carry.to += base;
}

void addCounter(Chunk& chunk, const Carry& whose, std::int64_t at, std::int64_t summand) {
    Carry carry = whose;
    carry.kind = CarryKind::Counter;
    carry.from = carry.to = at;
    carry.size = kCounterSize;
    carry.summand = static_cast<std::uint32_t>(summand);
    chunk.carries.push_back(carry);
    if (!chunk.coarse.empty()) chunk.coarse.push_back({carry.taken, carry.given});
}

void place(const Plan& plan, Chunk& chunk, const graph::Repetitions& repetitions) {
    for (Carry& carry : chunk.carries) putInState(plan, carry);
    for (NodeId id = 0; id < plan.counters.size(); ++id)
        if (plan.counters[id] >= 0 && repetitions.steady[id] != 0)
            addCounter(chunk, {.node = id}, plan.counters[id],
                       chunk.iterations * repetitions.steady[id]);
    for (std::size_t box = 0; box < plan.mailboxes.size(); ++box) {
        const NodeId id = plan.mailboxes[box].node;
        if (repetitions.steady[id] != 0)
            addCounter(
                chunk, {.node = id},
                mailboxAt(plan, box) + static_cast<std::int64_t>(offsetof(strc_mailbox, fired)),
                chunk.iterations * repetitions.steady[id]);
    }
}

/// Each chunk reads and writes where it would if it were alone.
void placeQueues(const Plan& plan, const Region& region, Chunk& chunk) {
    const graph::Graph& graph = plan.program->graph;
    auto add = [&](EdgeId edge, std::size_t end, std::int64_t items) {
        addCounter(chunk, {.tape = edge},
                   plan.demand->queueOffset + kQueueSize * std::int64_t{edge} +
                       static_cast<std::int64_t>(end),
                   items * plan.channels[edge].itemSize);
    };
    if (region.input != kNone) add(region.input, offsetof(strc_queue, first), chunk.reads[0]);
    add(region.output, offsetof(strc_queue, last),
        chunk.iterations * pushRate(graph, region.output));
}

}  // namespace

double workBetween(const Chunk& chunk, std::size_t taken, std::size_t given) {
    double sum = 0;
    for (std::size_t k = taken; k < given; ++k) sum += chunk.segments[k].work;
    return sum;
}

bool hasStrings(const types::Type* type) {
    if (type->is(types::TypeKind::Array)) return hasStrings(type->element);
    if (type->is(types::TypeKind::Struct)) {
        const std::vector<types::StructField>& fields = type->structure->fields;
        return std::any_of(fields.begin(), fields.end(),
                           [](const types::StructField& field) { return hasStrings(field.type); });
    }
    return type->is(types::TypeKind::String);
}

std::optional<Chunk> cutIntoSegments(const Plan& plan, Placed placed,
                                     const std::vector<std::int64_t>& reads, const ChunkSize& size,
                                     const graph::Repetitions& repetitions,
                                     const WorkEstimate& work) {
    std::vector<Step> steps = std::move(placed.steps);
    Carries carries(plan, steps, size, repetitions);
    if (!carries.find() || steps.empty()) return std::nullopt;
    const bool moves = std::any_of(steps.begin(), steps.end(), [](const Step& step) {
        return step.kind == StepKind::Move;  // for nobody's tail
    });
    if (moves && size.slices > 1) return std::nullopt;
    Chunk chunk;
    for (NodeId id = 0; id < repetitions.steady.size(); ++id)
        chunk.nodeWork.push_back(work.ofFiring(id) *
                                 static_cast<double>(size.states * repetitions.steady[id]));
    chunk.iterations = size.states;
    chunk.slices = chunk.usual = size.slices;
    for (const std::int64_t items : reads) chunk.reads.push_back(items / size.slices);
    chunk.carries = std::move(carries.found);
    for (Step& step : steps) step = sliceOf(plan, std::move(step), size.slices);
    Cutting(plan, work, std::move(steps), size).run(chunk);
    chunk.coarse = coarseSections(chunk);
    return chunk;
}

bool canGain(const Chunk& chunk) { return chunk.ordered * kLeastGain <= chunk.work; }

void placeCarries(Plan& plan, const graph::Repetitions& repetitions) {
    if (plan.chunk) place(plan, *plan.chunk, repetitions);
    if (!plan.demand) return;
    for (Region& region : plan.demand->regions) {
        if (!region.chunk) continue;
        place(plan, *region.chunk, repetitionsOf(region, repetitions));
        placeQueues(plan, region, *region.chunk);
    }
}

}  // namespace strc::plan
