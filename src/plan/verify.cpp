#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "plan/demand.h"
#include "plan/layout.h"
#include "plan/names.h"
#include "plan/plan.h"
#include "plan/share.h"
#include "types/builtin_streams.h"

namespace strc::plan {
namespace {

using graph::Graph;
using graph::kNone;

constexpr std::size_t kMostFaults = 20;

/// Memory of a tape, each place with the number of its item, counted from the start of the program;
/// and of each edge, how many its reader has taken.
struct TapeState {
    std::vector<std::int64_t> places;
    std::vector<EdgeId> over;  ///< tapes some of whose memory it has
    std::int64_t taken = 0;
    std::int64_t made = 0;
};

constexpr std::int64_t kNothing = -1;

class Replay {
public:
    Replay(const Plan& program, const graph::Repetitions& firings)
        : plan(program),
          graph(program.program->graph),
          repetitions(firings),
          tapeStates(graph.edges.size()),
          gone(graph.nodes.size()),
          started(graph.nodes.size()) {}

    std::vector<std::string> run() {
        if (plan.channels.size() != tapeStates.size() || plan.fields.size() != graph.nodes.size() ||
            plan.counters.size() != graph.nodes.size()) {
            fault("the plan is of another graph");
            return faults;
        }
        checkSharing();
        if (!faults.empty()) return faults;
        checkState();
        checkImage();
        if (!faults.empty()) return faults;
        if (plan.demand) {
            faults = verifyDemand(plan, repetitions);
            for (const Region& region : plan.demand->regions) playRegion(region);
            return faults;
        }
        for (EdgeId id = 0; id < tapeStates.size(); ++id) {
            tapeStates[id].places.assign(static_cast<std::size_t>(plan.channels[id].capacity),
                                         kNothing);
        }
        for (EdgeId id = 0; id < tapeStates.size(); ++id) begin(id);
        play("init", plan.init, repetitions.init, 1);
        play("steady", plan.steady, repetitions.steady, 1);
        if (plan.scaled.iterations == 0) return faults;
        play("scaled", plan.scaled, repetitions.steady, plan.scaled.iterations);
        play("steady", plan.steady, repetitions.steady, 1);
        return faults;
    }

private:
    template <typename... Args>
    void fault(fmt::format_string<Args...> format, Args&&... args) {
        if (faults.size() < kMostFaults)
            faults.push_back(fmt::format(format, std::forward<Args>(args)...));
    }

    std::string name(EdgeId id) const { return edgeName(graph, id); }

    // ---- tapes

    /// Does nothing, since what it gives lies on the tape that it would take it from.
    bool isGone(NodeId id) const { return gone[id]; }

    bool passesOn(const graph::Node& node) const {
        if (node.kind == graph::NodeKind::Duplicate) return true;
        const bool looks =
            node.prework && (node.prework->pop.max != 0 || node.prework->peek.max != 0);
        return node.kind == graph::NodeKind::Filter && !looks &&
               isIdentity(*plan.program, static_cast<NodeId>(&node - graph.nodes.data()));
    }

    /// Items that a node that is gone gives before those it gets.
    std::int64_t ownItems(const graph::Edge& edge) const {
        const graph::Node& node = graph.nodes[edge.from];
        return static_cast<std::int64_t>(edge.initial.size()) +
               (node.prework ? node.prework->push.max : 0);
    }

    /// Where a shared tape has those, and what is then written, at the start.
    void begin(EdgeId id) {
        const graph::Edge& edge = graph.edges[id];
        TapeState& tape = tapeStates[tapeOf(id)];
        tapeStates[id].taken = plan.channels[id].start;
        if (tapeOf(id) == id)
            tape.made = plan.channels[id].start + static_cast<std::int64_t>(edge.initial.size());
        putFirst(id, static_cast<std::int64_t>(edge.initial.size()));
    }

    void putFirst(EdgeId id, std::int64_t items) {
        const std::int64_t from = plan.channels[id].start;
        if (!isInside(id, from, items)) return;
        for (std::int64_t i = from; i < from + items; ++i) {
            std::int64_t& place = tapeStates[tapeOf(id)].places[static_cast<std::size_t>(i)];
            if (place != kNothing) fault("{} begins where others do", name(id));
            place = i;
        }
    }

    /// A joiner (or splitter) with a filter behind it (before it) for which one round is one firing.
    bool isDealt(const graph::Node& node) const {
        const bool joins = node.kind == graph::NodeKind::RoundRobinJoiner;
        if (!joins && node.kind != graph::NodeKind::RoundRobinSplitter) return false;
        const graph::Edge& edge = graph.edges[joins ? node.outputs[0] : node.inputs[0]];
        const NodeId id = joins ? edge.to : edge.from;
        if (!edge.initial.empty() || id == kNone || isGone(id)) return false;
        const graph::Node& filter = graph.nodes[id];
        const auto branches = static_cast<std::int64_t>(node.weights.size());
        const bool ones = node.totalWeight == branches &&
                          std::all_of(node.weights.begin(), node.weights.end(),
                                      [](std::int64_t weight) { return weight == 1; });
        if (filter.kind != graph::NodeKind::Filter || filter.prework || !ones) return false;
        if (!joins) return filter.work.push.max == branches;
        return filter.work.pop.max == branches && filter.work.peek.max == branches;
    }

    void checkSharing() {
        if (!plan.gone.empty() && plan.gone.size() != gone.size())
            return fault("the plan is of another graph");
        if (!plan.gone.empty()) gone = plan.gone;
        for (NodeId id = 0; id < gone.size(); ++id)
            if (gone[id] && !passesOn(graph.nodes[id]) && !isDealt(graph.nodes[id]))
                return fault("'{}' does not fire", path(graph, id));
        for (const Channel& channel : plan.channels) {
            if (channel.tape >= plan.channels.size())
                return fault("{} lies on no tape", name(channel.edge));
            const graph::Edge& edge = graph.edges[channel.edge];
            const bool isShared =
                edge.from != kNone && isGone(edge.from) && passesOn(graph.nodes[edge.from]);
            const graph::NodeKind kind =
                isShared ? graph.nodes[edge.from].kind : graph::NodeKind::Filter;
            if (kind != graph::NodeKind::Filter && !edge.initial.empty())
                return fault("{} is not what '{}' gets", name(channel.edge),
                             path(graph, edge.from));
            if (isShared && channel.start + ownItems(edge) !=
                                plan.channels[graph.nodes[edge.from].inputs[0]].start)
                fault("{} begins somewhere else on its tape", name(channel.edge));
            const EdgeId expected =
                isShared ? plan.channels[graph.nodes[edge.from].inputs[0]].tape : channel.edge;
            if (channel.tape != expected || plan.channels[channel.tape].tape != channel.tape)
                fault("{} lies on another tape", name(channel.edge));
            if (isShared &&
                (channel.capacity != 0 || channel.offset != plan.channels[channel.tape].offset ||
                 channel.itemSize != plan.channels[channel.tape].itemSize))
                fault("{} does not lie on its tape", name(channel.edge));
        }
    }

    /// By the port of a step: the branches of a round robin that is gone instead of the edge between.
    const std::vector<EdgeId>& inputsOf(const graph::Node& node) const {
        const NodeId from = node.inputs.size() == 1 ? graph.edges[node.inputs[0]].from : kNone;
        const bool isDirect = isGoneOfKind(from, graph::NodeKind::RoundRobinJoiner);
        return isDirect ? graph.nodes[from].inputs : node.inputs;
    }
    const std::vector<EdgeId>& outputsOf(const graph::Node& node) const {
        const NodeId to = node.outputs.size() == 1 ? graph.edges[node.outputs[0]].to : kNone;
        const bool isDirect = isGoneOfKind(to, graph::NodeKind::RoundRobinSplitter);
        return isDirect ? graph.nodes[to].outputs : node.outputs;
    }
    bool isGoneOfKind(NodeId id, graph::NodeKind kind) const {
        return id != kNone && isGone(id) && graph.nodes[id].kind == kind;
    }

    EdgeId tapeOf(EdgeId id) const { return plan.channels[id].tape; }

    // ---- the state

    struct Block {
        std::int64_t begin = 0;
        std::int64_t end = 0;
        std::string what;
        EdgeId tape = kNone;
    };

    void checkState() {
        std::vector<Block> blocks;
        for (NodeId id = 0; id < plan.fields.size(); ++id) {
            const std::int64_t size = fieldsSize(*plan.program, id);
            if (plan.counters[id] >= 0)
                blocks.push_back({plan.counters[id], plan.counters[id] + kCounterSize, "counter"});
            if (size > 0) blocks.push_back({plan.fields[id], plan.fields[id] + size, "fields"});
        }
        for (const Channel& channel : plan.channels) {
            if (channel.offset % kChannelAlignment != 0)
                fault("the channel of {} is not aligned", name(channel.edge));
            const std::int64_t end = channel.offset + channel.capacity * channel.itemSize;
            if (end > channel.offset)
                blocks.push_back({channel.offset, end, name(channel.edge), channel.edge});
            if (hasRings()) addRing(blocks, channel);
            const auto initial = static_cast<std::int64_t>(
                plan.demand ? 0 : graph.edges[channel.edge].initial.size());
            if (plan.channels[channel.tape].capacity < std::max(initial, channel.retained))
                fault("{} has no room for the items that stay", name(channel.edge));
        }
        if (!plan.mailboxes.empty())
            blocks.push_back({plan.mailboxOffset,
                              plan.mailboxOffset +
                                  kMailboxSize * static_cast<std::int64_t>(plan.mailboxes.size()),
                              "mailboxes"});
        if (plan.demand) addQueues(blocks);
        std::sort(blocks.begin(), blocks.end(),
                  [](const Block& a, const Block& b) { return a.begin < b.begin; });
        std::vector<const Block*> open;  // blocks that may reach as far as the one at hand
        for (const Block& block : blocks) {
            std::erase_if(open, [&](const Block* other) { return other->end <= block.begin; });
            for (const Block* other : open) checkOverlap(*other, block);
            open.push_back(&block);
            if (block.end > plan.stateSize) fault("the state is too small");
        }
    }

    /// Two tapes may have the same memory, if what one holds is never needed once the other is written.
    void checkOverlap(const Block& a, const Block& b) {
        const bool areTapes = a.tape != kNone && b.tape != kNone && !hasRings() && !plan.demand;
        if (!areTapes || plan.channels[a.tape].retained != 0 ||
            plan.channels[b.tape].retained != 0 || plan.channels[a.tape].start != 0 ||
            plan.channels[b.tape].start != 0 || !graph.edges[a.tape].initial.empty() ||
            !graph.edges[b.tape].initial.empty())
            return fault("{} overlaps another block of the state", b.what);
        tapeStates[a.tape].over.push_back(b.tape);
        tapeStates[b.tape].over.push_back(a.tape);
    }

    /// Items from `begin` on of the tape are written: what other tapes have in that memory is lost.
    void overwrite(EdgeId id, std::int64_t begin, std::int64_t items) {
        const Channel& own = plan.channels[id];
        const std::int64_t from = own.offset + begin * own.itemSize;
        const std::int64_t to = from + items * own.itemSize;
        for (EdgeId other : tapeStates[id].over) {
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
        const std::vector<EdgeId>& over = tapeStates[tapeOf(a)].over;
        return std::find(over.begin(), over.end(), tapeOf(b)) == over.end();
    }

    void addRing(std::vector<Block>& blocks, const Channel& channel) {
        const std::int64_t begin = plan.ringOf(channel.edge), mask = channel.capacity - 1;
        blocks.push_back({begin, begin + kRingSize, "the ring of " + name(channel.edge)});
        if (mask < 0 || (channel.capacity & mask) != 0)
            fault("the ring of {} has {} places", name(channel.edge), channel.capacity);
    }

    void addQueues(std::vector<Block>& blocks) const {
        auto add = [&](std::int64_t begin, std::int64_t size, std::size_t count, const char* what) {
            blocks.push_back({begin, begin + size * static_cast<std::int64_t>(count), what});
        };
        add(plan.demand->queueOffset, kQueueSize, graph.edges.size(), "queues");
        add(plan.demand->actorOffset, kActorSize, graph.nodes.size(), "actors");
    }

    bool imageHas(std::int64_t offset, const std::string& bytes) const {
        const auto at = static_cast<std::size_t>(offset);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            if ((at + i < plan.image.size() ? plan.image[at + i] : '\0') != bytes[i]) return false;
        }
        return true;
    }

    void checkImage() {
        for (NodeId id = 0; id < plan.program->states.size(); ++id) {
            const auto& state = plan.program->states[id];
            if (plan.fields[id] >= 0 && !imageHas(plan.fields[id], *state))
                fault("the image lacks the fields of '{}'", path(graph, id));
        }
        for (const Channel& channel : plan.channels) {
            if (plan.demand) break;  // initial items are in queues
            if (hasRings() && !imageHas(plan.ringOf(channel.edge), ringBytes(plan, channel.edge)))
                fault("the image lacks the ring of {}", name(channel.edge));
            std::int64_t offset = channel.offset + channel.start * channel.itemSize;
            for (const types::Value& item : graph.edges[channel.edge].initial) {
                if (!imageHas(offset, item.bytes))
                    fault("the image lacks items of {}", name(channel.edge));
                offset += channel.itemSize;
            }
        }
    }

    // ---- phases

    void play(const char* title, const Phase& phase, const std::vector<std::int64_t>& firings,
              std::int64_t times) {
        fired.assign(graph.nodes.size(), 0);
        read = 0;
        playAll(phase.steps);
        for (NodeId id = 0; id < fired.size(); ++id) {
            const std::int64_t own = &phase == &plan.init && graph.nodes[id].prework ? 1 : 0;
            const std::int64_t expected = isGone(id) ? own : firings[id] * times;
            if (fired[id] == expected) continue;
            fault("'{}' fires {} times instead of {} in {}", path(graph, id), fired[id], expected,
                  title);
        }
        checkReads(title, phase);
        for (EdgeId id = 0; id < tapeStates.size(); ++id) checkEnd(title, id);
    }

    /// As the program does: first `init`, then `steady`, again and again.
    void playRegion(const Region& region) {
        ends = {region.input, region.output};
        for (EdgeId id = 0; id < tapeStates.size(); ++id) {
            tapeStates[id] = {};
            tapeStates[id].places.assign(static_cast<std::size_t>(plan.channels[id].capacity),
                                         kNothing);
        }
        for (int iteration = 0; iteration < 4; ++iteration) {
            const Phase& phase = iteration == 0 ? region.init : region.steady;
            fired.assign(graph.nodes.size(), 0);
            read = 0;
            playAll(phase.steps);
            if (phase.reads.size() != 1 || phase.reads[0] != read)
                fault("the region of '{}' does not read what it says", path(graph, region.head));
            for (NodeId id : region.nodes) {
                const std::int64_t firings =
                    repetitions.steady[id] / repetitions.steady[region.head];
                if (iteration > 0 && fired[id] != firings)
                    fault("'{}' fires {} times instead of {} in its region", path(graph, id),
                          fired[id], firings);
                for (EdgeId edge : graph.nodes[id].inputs) checkEnd("a region", edge);
            }
            checkEnd("a region", region.output);
        }
    }

    void checkReads(const char* title, const Phase& phase) {
        if (phase.reads.size() != plan.inputs.size())
            return fault("reads of {} are missing", title);
        for (std::size_t port = 0; port < plan.inputs.size(); ++port) {
            const NodeId node = plan.inputs[port].node;
            const std::int64_t needed = node == kNone ? read : fired[node];
            if (phase.reads[port] != needed)
                fault("{} reads {} items of input {} instead of {}", title, needed, port,
                      phase.reads[port]);
        }
    }

    void checkEnd(const char* title, EdgeId id) {
        const graph::Edge& edge = graph.edges[id];
        if (edge.to != kNone && isGone(edge.to) && passesOn(graph.nodes[edge.to])) return;
        const TapeState& tapeState = tapeStates[tapeOf(id)];
        const std::int64_t taken = tapeStates[id].taken, held = tapeState.made - taken;
        const std::int64_t retained = plan.channels[id].retained;
        if (held != retained)
            fault("{} holds {} items after {} instead of {}", name(id), held, title, retained);
        const std::int64_t begin = plan.channels[tapeOf(id)].retained - retained;
        if (begin < 0) return fault("{} retains more than its tape", name(id));
        for (std::int64_t i = 0; i < std::min(retained, held); ++i) {
            if (hasRings() || tapeState.places[static_cast<std::size_t>(begin + i)] == taken + i)
                continue;
            return fault("item {} that {} holds after {} lies somewhere else", i, name(id), title);
        }
    }

    void playAll(const std::vector<Step>& steps) {
        for (const Step& step : steps) {
            if (faults.size() >= kMostFaults) return;
            switch (step.kind) {
                case StepKind::Fire: fire(step); break;
                case StepKind::Loop: playLoop(step); break;
                case StepKind::Move: move(step); break;
                case StepKind::Read: transfer(step, ends.input, plan.inputs); break;
                case StepKind::Write: transfer(step, ends.output, plan.outputs); break;
                case StepKind::Device: fault("it has parts on a device"); break;
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
            fault("a position counts rounds of no loop");
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
        const std::int64_t capacity = plan.channels[tapeOf(id)].capacity;
        if (begin >= 0 && (hasRings() ? 0 : begin) + items <= capacity) return true;
        fault("items {} to {} of {} are outside of its {}", begin, begin + items, name(id),
              capacity);
        return false;
    }

    void take(EdgeId id, std::int64_t begin, std::int64_t look, std::int64_t items) {
        const TapeState& tapeState = tapeStates[tapeOf(id)];
        std::int64_t& taken = tapeStates[id].taken;
        if (!isInside(id, begin, look)) return;
        for (std::int64_t i = 0; i < look; ++i) {
            const std::int64_t found = tapeState.places[place(id, begin + i)];
            if (found == taken + i && found < tapeState.made) continue;
            fault("place {} of {} holds item {} where item {} is read", begin + i, name(id), found,
                  taken + i);
            break;
        }
        taken += items;
    }

    void put(EdgeId id, std::int64_t begin, std::int64_t items) {
        if (tapeOf(id) != id) return fault("{} is written, which is shared", name(id));
        if (!isInside(id, begin, items)) return;
        overwrite(id, begin, items);
        for (std::int64_t i = 0; i < items; ++i)
            tapeStates[id].places[place(id, begin + i)] = tapeStates[id].made++;
    }

    void fire(const Step& step) {
        const graph::Node& node = graph.nodes[step.node];
        const std::vector<EdgeId>&inputs = inputsOf(node), &outputs = outputsOf(node);
        const bool isFirst = node.prework && !started[step.node];
        if (isFirst != step.first || (step.first && step.count != 1))
            fault("the first firing of '{}' is confused with others", path(graph, step.node));
        started[step.node] = true;
        fired[step.node] += step.count;
        if (isGone(step.node)) return beginDelay(step, node);
        const bool hasPorts =
            step.inputs.size() == inputs.size() && step.outputs.size() == outputs.size();
        if (!hasPorts && !hasRings()) return fault("'{}' lacks ports", path(graph, step.node));
        for (EdgeId from : inputs)
            for (EdgeId to : outputs)
                if (!areApart(from, to))
                    fault("'{}' writes over what it reads", path(graph, step.node));
        for (std::int64_t iteration = 0; iteration < step.count; ++iteration) {
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

    /// All that a node does that is gone.
    void beginDelay(const Step& step, const graph::Node& node) {
        const EdgeId id = node.outputs[0];
        if (step.outputs.size() != 1 || at(step.outputs[0]) != plan.channels[id].start)
            return fault("'{}' begins somewhere else on its tape", path(graph, step.node));
        putFirst(id, node.prework->push.max);
    }

    /// Items that are no longer needed may be moved along.
    void move(const Step& step) {
        const std::int64_t from = at(step.inputs[0]);
        const std::int64_t to = at(step.outputs[0]);
        if (!isInside(step.channel, from, step.count) || !isInside(step.channel, to, step.count))
            return;
        const auto places = tapeStates[tapeOf(step.channel)].places.begin();
        const std::vector<std::int64_t> moved(places + from, places + from + step.count);
        overwrite(tapeOf(step.channel), to, step.count);
        std::copy(moved.begin(), moved.end(), places + to);
    }

    void transfer(const Step& step, EdgeId open, const std::vector<ProgramPort>& ports) {
        const bool isPort = step.port < ports.size() && ports[step.port].node == kNone;
        if (step.channel != open || !(isPort || plan.demand))
            return fault("an open end is used that the program has not");
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
    std::vector<TapeState> tapeStates;  ///< by EdgeId
    struct {
        EdgeId input, output;
    } ends{graph.input, graph.output};  ///< of the program, or of a region
    std::vector<bool> gone;  ///< by NodeId
    std::vector<bool> started;
    std::vector<std::int64_t> fired;  ///< in this phase
    std::vector<std::int64_t> indices;  ///< of the loops around
    std::int64_t read = 0;
    std::vector<std::string> faults;
};

}  // namespace

std::vector<std::string> verify(const Plan& plan, const graph::Repetitions& repetitions) {
    return Replay(plan, repetitions).run();
}

}  // namespace strc::plan
