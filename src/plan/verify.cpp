#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plan/detail/chunk_check.h"
#include "plan/detail/demand.h"
#include "plan/detail/message_check.h"
#include "plan/detail/names.h"
#include "plan/detail/partition_check.h"
#include "plan/detail/regions.h"
#include "plan/detail/shared_tapes.h"
#include "plan/detail/state_check.h"
#include "plan/plan.h"

namespace strc::plan {
namespace {

using graph::Graph;
using graph::kNone;

/// Memory of a tape, each place with the number of its item, counted from the start of the program;
/// and of each edge, how many its reader has taken.
struct TapeState {
    std::vector<std::int64_t> places;
    std::int64_t taken = 0;
    std::int64_t made = 0;
};

constexpr std::int64_t kNothing = -1;

using Slice = std::pair<std::size_t, std::int64_t>;  ///< of a partition

bool isReady(const Partitioning& all, const std::vector<std::set<std::int64_t>>& done,
             Slice slice) {
    const auto [k, own] = slice;
    const auto areDone = [&](std::size_t partition, std::int64_t slices) {
        return slices == 0 || (std::ssize(done[partition]) >= slices &&
                               *std::next(done[partition].begin(), slices - 1) == slices - 1);
    };
    if (all.partitions[k].isInOrder && !areDone(k, own)) return false;
    return std::all_of(
        all.channels.begin(), all.channels.end(), [&](const PartitionChannel& channel) {
            if (channel.to != slice.first || channel.from == slice.first) return true;
            const bool bySlice = channel.kind == ChannelKind::BySlice;
            return areDone(channel.from,
                           bySlice ? slice.second + 1 : all.partitions[channel.from].slices);
        });
}

/// One that can be done.
std::optional<Slice> nextSlice(const Partitioning& all,
                               const std::vector<std::set<std::int64_t>>& done, bool hurries,
                               bool isBackwards) {
    for (std::size_t i = 0; i < done.size(); ++i) {
        const std::size_t k = hurries ? done.size() - 1 - i : i;
        const std::int64_t slices = all.partitions[k].slices;
        for (std::int64_t j = 0; j < slices; ++j) {
            const Slice slice{k, isBackwards ? slices - 1 - j : j};
            if (!done[k].contains(slice.second) && isReady(all, done, slice)) return slice;
        }
    }
    return std::nullopt;
}

/// Carries out the phases of a plan with the numbers of items instead of items.
class Replay {
public:
    Replay(const Plan& program, const graph::Repetitions& firings, const SharedTapes& sharing,
           std::vector<std::vector<EdgeId>> overlaps, VerifyFaults& faults)
        : plan(program),
          graph(program.program->graph),
          repetitions(firings),
          sharing(sharing),
          over(std::move(overlaps)),
          faults(faults),
          messages(program, firings, faults),
          tapeStates(graph.edges.size()),
          started(graph.nodes.size()) {}

    void run() {
        if (plan.demand) {
            faults.replaceBy(verifyDemand(plan, repetitions));
            for (const Region& region : plan.demand->regions) playRegion(region);
            return;
        }
        for (EdgeId id = 0; id < tapeStates.size(); ++id) {
            tapeStates[id].places.assign(static_cast<std::size_t>(plan.channels[id].capacity),
                                         kNothing);
        }
        for (EdgeId id = 0; id < tapeStates.size(); ++id) begin(id);
        play("init", plan.init, repetitions.init, 1);
        messages.beginPattern();
        play("steady", plan.steady, repetitions.steady, 1);
        messages.endPattern();
        playPartitionings();
        if (plan.scaled.iterations == 0) return;
        play("scaled", plan.scaled, repetitions.steady, plan.scaled.iterations);
        play("steady", plan.steady, repetitions.steady, 1);
        if (plan.chunk) {
            playAllChunks(*plan.chunk, repetitions, [&] {
                for (EdgeId id = 0; id < tapeStates.size(); ++id) checkEnd("chunks", id);
                play("steady", plan.steady, repetitions.steady, 1);
            });
        }
    }

private:
    std::string name(EdgeId id) const { return edgeName(graph, id); }

    /// Where a shared tape has those, and what is then written, at the start.
    void begin(EdgeId id) {
        const graph::Edge& edge = graph.edges[id];
        TapeState& tape = tapeStates[sharing.tapeOf(id)];
        tapeStates[id].taken = plan.channels[id].start;
        if (sharing.tapeOf(id) == id)
            tape.made = plan.channels[id].start + static_cast<std::int64_t>(edge.initial.size());
        putFirst(id, static_cast<std::int64_t>(edge.initial.size()));
    }

    void putFirst(EdgeId id, std::int64_t items) {
        const std::int64_t from = plan.channels[id].start;
        if (!isInside(id, from, items)) return;
        for (std::int64_t i = from; i < from + items; ++i) {
            std::int64_t& place =
                tapeStates[sharing.tapeOf(id)].places[static_cast<std::size_t>(i)];
            if (place != kNothing) faults.add("{} begins where others do", name(id));
            place = i;
        }
    }

    /// Items from `begin` on of the tape are written: what other tapes have in that memory is lost.
    void overwrite(EdgeId id, std::int64_t begin, std::int64_t items) {
        const Channel& own = plan.channels[id];
        const std::int64_t from = own.offset + begin * own.itemSize;
        const std::int64_t to = from + items * own.itemSize;
        for (EdgeId other : over[id]) {
            const Channel& channel = plan.channels[other];
            std::vector<std::int64_t>& places = tapeStates[other].places;
            const std::int64_t first = (from - channel.offset) / channel.itemSize;
            for (std::int64_t i = std::max<std::int64_t>(first, 0);
                 i < channel.capacity && channel.offset + i * channel.itemSize < to; ++i)
                if (channel.offset + (i + 1) * channel.itemSize > from)
                    places[static_cast<std::size_t>(i)] = kNothing;
        }
    }

    bool areApart(EdgeId a, EdgeId b) const {
        const std::vector<EdgeId>& others = over[sharing.tapeOf(a)];
        return std::find(others.begin(), others.end(), sharing.tapeOf(b)) == others.end();
    }

    // ---- phases

    void play(const char* title, const Phase& phase, const std::vector<std::int64_t>& firings,
              std::int64_t times) {
        playPhase(title, phase, firings, times, [&] { playAll(phase.steps); });
        for (EdgeId id = 0; id < tapeStates.size(); ++id) checkEnd(title, id);
    }

    /// `steps` plays what there is to do, whatever that is.
    template <typename Steps>
    void playPhase(const char* title, const Phase& phase, const std::vector<std::int64_t>& firings,
                   std::int64_t times, Steps steps) {
        fired.assign(graph.nodes.size(), 0);
        read = 0;
        steps();
        for (NodeId id = 0; id < fired.size(); ++id) {
            const std::int64_t own = &phase == &plan.init && graph.nodes[id].prework ? 1 : 0;
            const std::int64_t expected = sharing.isGone(id) ? own : firings[id] * times;
            if (fired[id] == expected) continue;
            faults.add("'{}' fires {} times instead of {} in {}", path(graph, id), fired[id],
                       expected, title);
        }
        checkReads(title, phase);
    }

    // ---- partitions

    /// How many items each edge has given, and its tape has got, by EdgeId.
    struct Counts {
        std::int64_t taken = 0, made = 0;
        bool operator==(const Counts&) const = default;
    };
    /// What was counted when a slice began, if slices are done in order.
    using Begun = std::map<Slice, std::vector<Counts>>;

    /// As one thread would do it that is as far behind as can be, as one that hurries on, and as threads that do slices before the ones
    /// in front of them, wherever these are not waited for.
    void playPartitionings() {
        if (!plan.partitioning) return;
        Begun begun;
        for (const bool isBackwards : {false, true})
            for (const bool hurries : {false, true}) {
                playPartitioning(hurries, isBackwards, begun);
                play("steady", plan.steady, repetitions.steady, 1);
            }
    }

    void playPartitioning(bool hurries, bool isBackwards, Begun& begun) {
        const Partitioning& all = *plan.partitioning;
        const Phase phase{{}, all.reads, all.iterations};
        const std::vector<Counts> before = counts();
        playPhase("partitions", phase, repetitions.steady, all.iterations, [&] {
            playAll(all.begin);
            std::vector<std::set<std::int64_t>> done(all.partitions.size());
            while (const auto next = nextSlice(all, done, hurries, isBackwards)) {
                playSlice(*next, before, begun);
                done[next->first].insert(next->second);
                if (faults.areEnough()) return;
            }
            for (std::size_t k = 0; k < done.size(); ++k)
                if (std::ssize(done[k]) != all.partitions[k].slices)
                    faults.add("partition {} waits for ever", k);
            playAll(all.end);
        });
        for (EdgeId id = 0; id < tapeStates.size(); ++id) checkEnd("partitions", id);
    }

    /// Its items have the numbers that they have where slices are done in order, which is what happens first.
    void playSlice(Slice slice, const std::vector<Counts>& before, Begun& begun) {
        const std::vector<Counts> present = counts();
        auto [known, isNew] = begun.try_emplace(slice, present);
        std::vector<Counts>& own = known->second;
        for (EdgeId id = 0; id < own.size(); ++id) {
            if (isNew) own[id] = {own[id].taken - before[id].taken, own[id].made - before[id].made};
            tapeStates[id].taken = own[id].taken + before[id].taken;
            tapeStates[id].made = own[id].made + before[id].made;
        }
        indices.push_back(slice.second);
        playAll(plan.partitioning->partitions[slice.first].steps);
        indices.pop_back();
        for (EdgeId id = 0; id < own.size(); ++id) {
            TapeState& tape = tapeStates[id];
            const bool isTaken = tape.taken != own[id].taken + before[id].taken;
            const bool isMade = tape.made != own[id].made + before[id].made;
            tape.taken = isTaken ? std::max(tape.taken, present[id].taken) : present[id].taken;
            tape.made = isMade ? std::max(tape.made, present[id].made) : present[id].made;
        }
    }

    std::vector<Counts> counts() const {
        std::vector<Counts> all;
        for (const TapeState& each : tapeStates) all.push_back({each.taken, each.made});
        return all;
    }

    // ---- chunks

    using Places = std::vector<std::int64_t>;

    /// With as few slices as can be, as many as usual, and as many as can be; `check` follows each time.
    template <typename Check>
    void playAllChunks(const Chunk& chunk, const graph::Repetitions& firings, Check check) {
        for (const std::int64_t slices : std::set<std::int64_t>{1, chunk.usual, chunk.slices}) {
            playChunks(chunk, slices, firings);
            check();
            if (chunk.coarse.empty()) continue;
            playChunks(coarser(chunk), slices, firings);
            check();
        }
    }

    /// Two of them, each in memory of its own that holds nothing but what is handed to it.
    void playChunks(const Chunk& chunk, std::int64_t slices, const graph::Repetitions& firings) {
        std::vector<std::int64_t> reads;
        for (const std::int64_t items : chunk.reads) reads.push_back(slices * items);
        const std::int64_t states = slices * chunk.iterations;
        std::vector<Places> handed;
        for (const Carry& carry : chunk.carries) handed.push_back(carriedAt(carry, carry.to));
        std::vector<Places> stays;  // on tapes that chunks do not touch
        for (const TapeState& each : tapeStates) stays.push_back(each.places);
        for (int number = 0; number < 2; ++number) {
            for (TapeState& each : tapeStates)
                std::fill(each.places.begin(), each.places.end(), kNothing);
            playPhase("a chunk", {{}, reads, states}, firings.steady, states,
                      [&] { playSegments(chunk, slices, handed); });
        }
        for (const Carry& carry : chunk.carries)
            if (carry.kind == CarryKind::Items) stays[carry.tape].clear();
        for (EdgeId id = 0; id < tapeStates.size(); ++id)
            if (!stays[id].empty()) tapeStates[id].places = stays[id];
        for (std::size_t k = 0; k < handed.size(); ++k) putCarried(chunk.carries[k], handed[k]);
    }

    /// What it gives is the next one's: it may take what was handed to it later.
    void playSegments(const Chunk& chunk, std::int64_t slices, std::vector<Places>& handed) {
        std::vector<Places> next = handed;
        for (std::size_t at = 0; at <= chunk.segments.size(); ++at) {
            for (std::size_t k = 0; k < handed.size(); ++k)
                if (chunk.carries[k].taken == at) putCarried(chunk.carries[k], handed[k]);
            for (std::size_t k = 0; k < handed.size(); ++k)
                if (chunk.carries[k].given == at)
                    next[k] = carriedAt(chunk.carries[k], leftAt(chunk.carries[k], slices));
            if (at == chunk.segments.size()) break;
            for (std::int64_t slice = 0; slice < slices; ++slice) {
                indices.push_back(slice);
                playAll(chunk.segments[at].steps);
                indices.pop_back();
            }
        }
        handed = std::move(next);
    }

    static std::int64_t leftAt(const Carry& carry, std::int64_t slices) {
        return carry.from + (slices - 1) * carry.perSlice;
    }

    std::int64_t itemAt(const Carry& carry, std::int64_t byte) const {
        const Channel& tape = plan.channels[carry.tape];
        return (byte - tape.offset) / tape.itemSize;
    }

    /// The items that are carried, where they lie.
    Places carriedAt(const Carry& carry, std::int64_t byte) {
        if (carry.kind != CarryKind::Items) return {};
        const std::int64_t first = itemAt(carry, byte), items = plan.channels[carry.tape].retained;
        if (!isInside(carry.tape, first, items)) return {};
        const auto from = tapeStates[carry.tape].places.begin() + first;
        return {from, from + items};
    }

    void putCarried(const Carry& carry, const Places& items) {
        if (items.empty()) return;
        const std::int64_t first = itemAt(carry, carry.to);
        overwrite(carry.tape, first, static_cast<std::int64_t>(items.size()));
        std::copy(items.begin(), items.end(), tapeStates[carry.tape].places.begin() + first);
    }

    // ---- regions

    /// As the program does: first `init`, then `steady`, again and again.
    void playRegion(const Region& region) {
        ends = {region.input, region.output};
        for (EdgeId id = 0; id < tapeStates.size(); ++id) {
            tapeStates[id] = {};
            tapeStates[id].places.assign(static_cast<std::size_t>(plan.channels[id].capacity),
                                         kNothing);
        }
        const graph::Repetitions firings = repetitionsOf(region, repetitions);
        playRegionPhase(region, region.init, firings);
        for (int iteration = 0; iteration < 3; ++iteration)
            playRegionPhase(region, region.steady, firings);
        if (region.scaled.iterations == 0) return;
        playRegionPhase(region, region.scaled, firings);
        playRegionPhase(region, region.steady, firings);
        if (!region.chunk) return;
        playAllChunks(*region.chunk, firings, [&] {
            checkEnds("chunks", region);
            playRegionPhase(region, region.steady, firings);
        });
    }

    /// A phase of a region; of `init` its firings are not known here.
    void playRegionPhase(const Region& region, const Phase& phase,
                         const graph::Repetitions& firings) {
        fired.assign(graph.nodes.size(), 0);
        read = 0;
        playAll(phase.steps);
        if (phase.reads.size() != 1 || phase.reads[0] != read)
            faults.add("the region of '{}' does not read what it says", path(graph, region.head));
        for (NodeId id : region.nodes) {
            const std::int64_t expected = firings.steady[id] * phase.iterations;
            if (&phase != &region.init && fired[id] != expected)
                faults.add("'{}' fires {} times instead of {} in its region", path(graph, id),
                           fired[id], expected);
        }
        checkEnds("a region", region);
    }

    void checkEnds(const char* title, const Region& region) {
        for (NodeId id : region.nodes)
            for (EdgeId edge : graph.nodes[id].inputs) checkEnd(title, edge);
        checkEnd(title, region.output);
    }

    void checkReads(const char* title, const Phase& phase) {
        if (plan.demand) {
            if (phase.reads.at(0) != read) faults.add("{} does not read what it says", title);
            return;
        }
        if (phase.reads.size() != plan.inputs.size())
            return faults.add("reads of {} are missing", title);
        for (std::size_t port = 0; port < plan.inputs.size(); ++port) {
            const NodeId node = plan.inputs[port].node;
            const std::int64_t needed = node == kNone ? read : fired[node];
            if (phase.reads[port] != needed)
                faults.add("{} reads {} items of input {} instead of {}", title, needed, port,
                           phase.reads[port]);
        }
    }

    void checkEnd(const char* title, EdgeId id) {
        const graph::Edge& edge = graph.edges[id];
        if (edge.to != kNone && sharing.isGone(edge.to) && sharing.passesOn(graph.nodes[edge.to]))
            return;
        const TapeState& tapeState = tapeStates[sharing.tapeOf(id)];
        const std::int64_t taken = tapeStates[id].taken, held = tapeState.made - taken;
        const std::int64_t retained = plan.channels[id].retained;
        if (held != retained)
            faults.add("{} holds {} items after {} instead of {}", name(id), held, title, retained);
        const std::int64_t begin = plan.channels[sharing.tapeOf(id)].retained - retained;
        if (begin < 0) return faults.add("{} retains more than its tape", name(id));
        for (std::int64_t i = 0; i < std::min(retained, held); ++i) {
            if (hasRings() || tapeState.places[static_cast<std::size_t>(begin + i)] == taken + i)
                continue;
            return faults.add("item {} that {} holds after {} lies somewhere else", i, name(id),
                              title);
        }
    }

    void playAll(const std::vector<Step>& steps) {
        for (const Step& step : steps) {
            if (faults.areEnough()) return;
            switch (step.kind) {
                case StepKind::Fire: fire(step); break;
                case StepKind::Loop: playLoop(step); break;
                case StepKind::Move: move(step); break;
                case StepKind::Read: transfer(step, ends.input, plan.inputs); break;
                case StepKind::Write: transfer(step, ends.output, plan.outputs); break;
                case StepKind::Part: playPart(step); break;
                case StepKind::Device: faults.add("it has parts on a device"); break;
            }
        }
    }

    void playLoop(const Step& loop) {
        indices.push_back(0);
        for (; indices.back() < loop.count; ++indices.back()) playAll(loop.body);
        indices.pop_back();
    }

    bool hasRings() const { return plan.tapes == Tapes::Ring; }

    /// Where a step reads and writes after `items` of its own: by its position, or where the cursor stands.
    std::int64_t reading(EdgeId id, const std::vector<Position>& positions, std::size_t port,
                         std::int64_t items = 0) {
        return hasRings() ? tapeStates[id].taken : at(positions[port]) + items;
    }
    std::int64_t writing(EdgeId id, const std::vector<Position>& positions, std::size_t port,
                         std::int64_t items = 0) {
        return hasRings() ? tapeStates[id].made : at(positions[port]) + items;
    }

    std::int64_t at(const Position& position) {
        if (position.perIteration.size() > indices.size())
            faults.add("a position counts rounds of no loop");
        std::int64_t place = position.base;
        for (std::size_t i = 0; i < std::min(indices.size(), position.perIteration.size()); ++i)
            place += position.perIteration[i] * indices[i];
        return place;
    }

    std::size_t place(EdgeId id, std::int64_t item) const {
        return static_cast<std::size_t>(hasRings() ? item & (plan.channels[id].capacity - 1)
                                                   : item);
    }

    bool isInside(EdgeId id, std::int64_t begin, std::int64_t items) {
        const std::int64_t capacity = plan.channels[sharing.tapeOf(id)].capacity;
        if (begin >= 0 && (hasRings() ? 0 : begin) + items <= capacity) return true;
        faults.add("items {} to {} of {} are outside of its {}", begin, begin + items, name(id),
                   capacity);
        return false;
    }

    void take(EdgeId id, std::int64_t begin, std::int64_t look, std::int64_t items) {
        const TapeState& tapeState = tapeStates[sharing.tapeOf(id)];
        std::int64_t& taken = tapeStates[id].taken;
        if (!isInside(id, begin, look)) return;
        for (std::int64_t i = 0; i < look; ++i) {
            const std::int64_t found = tapeState.places[place(id, begin + i)];
            if (found == taken + i && found < tapeState.made) continue;
            faults.add("place {} of {} holds item {} where item {} is read", begin + i, name(id),
                       found, taken + i);
            break;
        }
        taken += items;
    }

    void put(EdgeId id, std::int64_t begin, std::int64_t items) {
        if (sharing.tapeOf(id) != id) return faults.add("{} is written, which is shared", name(id));
        if (!isInside(id, begin, items)) return;
        overwrite(id, begin, items);
        for (std::int64_t i = 0; i < items; ++i)
            tapeStates[id].places[place(id, begin + i)] = tapeStates[id].made++;
    }

    void fire(const Step& step) {
        const graph::Node& node = graph.nodes[step.node];
        const std::vector<EdgeId>&inputs = sharing.inputsOf(node),
              &outputs = sharing.outputsOf(node);
        const bool isFirst = node.prework && !started[step.node];
        if (isFirst != step.first || (step.first && step.count != 1))
            faults.add("the first firing of '{}' is confused with others", path(graph, step.node));
        started[step.node] = true;
        fired[step.node] += step.count;
        if (sharing.isGone(step.node)) return beginDelay(step, node);
        const bool hasPorts =
            step.inputs.size() == inputs.size() && step.outputs.size() == outputs.size();
        if (!hasPorts && !hasRings()) return faults.add("'{}' lacks ports", path(graph, step.node));
        for (EdgeId from : inputs)
            for (EdgeId to : outputs)
                if (!areApart(from, to))
                    faults.add("'{}' writes over what it reads", path(graph, step.node));
        for (std::int64_t iteration = 0; iteration < step.count; ++iteration) {
            messages.fires(step.node);
            for (std::size_t port = 0; port < inputs.size(); ++port) {
                const EdgeId id = inputs[port];
                const std::int64_t pop = popRate(graph, id, step.first);
                take(id, reading(id, step.inputs, port, iteration * pop),
                     std::max(pop, peekRate(graph, id, step.first)), pop);
            }
            for (std::size_t port = 0; port < outputs.size(); ++port) {
                const std::int64_t push = pushRate(graph, outputs[port], step.first);
                const EdgeId id = outputs[port];
                put(id, writing(id, step.outputs, port, iteration * push), push);
            }
        }
    }

    /// Each part is one of the same firings, whose items one of them takes, and one gives.
    void playPart(const Step& step) {
        const graph::Node& node = graph.nodes[step.node];
        const graph::KernelId kernel = node.kernel;
        if (kernel == kNone || step.port >= plan.program->kernels[kernel].code.functions.size())
            return faults.add("'{}' has no function {}", path(graph, step.node), step.port);
        if (fired[step.node] != 0 && fired[step.node] != step.count)
            faults.add("parts of '{}' are of several numbers of firings", path(graph, step.node));
        fired[step.node] = step.count;
        const auto items = [&](EdgeId edge, auto rate) {
            return step.count * rate(graph, edge, false);
        };
        for (std::size_t port = 0; port < step.inputs.size(); ++port) {
            const std::int64_t all = items(node.inputs[port], graph::popRate);
            take(node.inputs[port], at(step.inputs[port]), all, all);
        }
        for (std::size_t port = 0; port < step.outputs.size(); ++port)
            put(node.outputs[port], at(step.outputs[port]),
                items(node.outputs[port], graph::pushRate));
    }

    /// All that a node does that is gone.
    void beginDelay(const Step& step, const graph::Node& node) {
        const EdgeId id = node.outputs[0];
        if (step.outputs.size() != 1 || at(step.outputs[0]) != plan.channels[id].start)
            return faults.add("'{}' begins somewhere else on its tape", path(graph, step.node));
        putFirst(id, node.prework->push.max);
    }

    /// Items that are no longer needed may be moved along.
    void move(const Step& step) {
        const std::int64_t from = at(step.inputs[0]);
        const std::int64_t to = at(step.outputs[0]);
        if (!isInside(step.channel, from, step.count) || !isInside(step.channel, to, step.count))
            return;
        const auto places = tapeStates[sharing.tapeOf(step.channel)].places.begin();
        const std::vector<std::int64_t> moved(places + from, places + from + step.count);
        overwrite(sharing.tapeOf(step.channel), to, step.count);
        std::copy(moved.begin(), moved.end(), places + to);
    }

    void transfer(const Step& step, EdgeId open, const std::vector<ProgramPort>& ports) {
        const bool isPort = step.port < ports.size() && ports[step.port].node == kNone;
        if (step.channel != open || !(isPort || plan.demand))
            return faults.add("an open end is used that the program has not");
        if (step.kind == StepKind::Read) {
            read += step.count;
            put(open, writing(open, step.outputs, 0), step.count);
        } else {
            take(open, reading(open, step.inputs, 0), step.count, step.count);
        }
    }

    const Plan& plan;
    const Graph& graph;
    const graph::Repetitions& repetitions;
    const SharedTapes& sharing;
    const std::vector<std::vector<EdgeId>>
        over;  ///< by EdgeId: tapes that share some memory with it
    VerifyFaults& faults;
    MessageCheck messages;
    std::vector<TapeState> tapeStates;  ///< by EdgeId
    struct {
        EdgeId input, output;
    } ends{graph.input, graph.output};  ///< of the program, or of a region
    std::vector<bool> started;  ///< by NodeId
    std::vector<std::int64_t> fired;  ///< in this phase
    std::vector<std::int64_t> indices;  ///< of the loops around
    std::int64_t read = 0;
};

}  // namespace

std::vector<std::string> verify(const Plan& plan, const graph::Repetitions& repetitions) {
    const Graph& graph = plan.program->graph;
    if (plan.channels.size() != graph.edges.size() || plan.fields.size() != graph.nodes.size() ||
        plan.counters.size() != graph.nodes.size())
        return {"the plan is of another graph"};
    VerifyFaults faults;
    const SharedTapes sharing(plan);
    sharing.check(faults);
    if (!faults.isEmpty()) return faults.take();
    StateCheck state(plan, faults);
    state.run();
    checkCarries(plan, faults);
    checkPartitions(plan, faults);
    if (!faults.isEmpty()) return faults.take();
    Replay(plan, repetitions, sharing, state.takeOverlaps(), faults).run();
    return faults.take();
}

}  // namespace strc::plan
