#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "graph/hierarchy.h"
#include "plan/detail/layout.h"
#include "plan/detail/names.h"
#include "plan/plan.h"

namespace strc::plan {
namespace {

using graph::Graph;
using graph::kNone;

std::string joined(const std::string& from, const std::string& to) { return from + " -> " + to; }

constexpr std::size_t kMostShown = 16;  ///< values of a table

class Printer {
public:
    explicit Printer(const Plan& made)
        : plan(made), graph(made.program->graph), names(graph::allPaths(graph).nodes) {}

    std::string print() {
        out = fmt::format("state: {} byte{}, {} in the image{}\n", plan.stateSize,
                          plan.stateSize == 1 ? "" : "s", plan.image.size(),
                          plan.tapes == Tapes::Ring ? ", tapes as rings" : "");
        printFields();
        printChannels();
        printMessages();
        if (plan.demand) return printDemand();
        printPhase("init", plan.init);
        printPhase("steady", plan.steady);
        if (plan.scaled.iterations > 0)
            printPhase(fmt::format("{} steady states", plan.scaled.iterations), plan.scaled);
        if (plan.chunk) printChunk(*plan.chunk, readsOf(plan.chunk->reads));
        if (plan.partitioning) printPartitioning(*plan.partitioning);
        return std::move(out);
    }

private:
    using Row = std::array<std::string, 5>;

    std::string nameOf(EdgeId id) const {
        const graph::Edge& edge = graph.edges[id];
        return joined(edge.from == kNone ? "input" : names[edge.from],
                      edge.to == kNone ? "output" : names[edge.to]);
    }

    /// First column to the left, the others to the right.
    template <std::size_t N>
    void printTable(const std::vector<std::array<std::string, N>>& rows) {
        std::array<std::size_t, N> width{};
        for (std::size_t line = 0; line < rows.size(); ++line) {
            const std::size_t indent = line == 0 ? 0 : 2;
            for (std::size_t i = 0; i < N; ++i)
                width[i] = std::max(width[i], rows[line][i].size() + (i == 0 ? indent : 0));
        }
        for (std::size_t line = 0; line < rows.size(); ++line) {
            out += fmt::format("{:<{}}", (line == 0 ? "" : "  ") + rows[line][0], width[0]);
            for (std::size_t i = 1; i < N; ++i)
                out += fmt::format("  {:>{}}", rows[line][i], width[i]);
            out += '\n';
        }
    }

    void printFields() {
        std::vector<std::array<std::string, 4>> rows{{"filter", "what", "bytes", "offset"}};
        auto add = [&](NodeId id, const char* what, std::int64_t size, std::int64_t offset) {
            if (offset >= 0)
                rows.push_back({names[id], what, std::to_string(size), std::to_string(offset)});
        };
        for (NodeId id = 0; id < plan.fields.size(); ++id) {
            add(id, "fields", fieldsSize(*plan.program, id), plan.fields[id]);
            add(id, "iter()", kCounterSize, plan.counters[id]);
        }
        if (rows.size() > 1) printTable(rows);
    }

    void printChannels() {
        std::vector<Row> rows{{"tape", "kept", "room", "bytes", "offset"}};
        for (const Channel& channel : plan.channels) {
            const bool isTape = channel.tape == channel.edge;
            auto ofTape = [&](std::int64_t number) {
                return isTape ? std::to_string(number) : "shared";
            };
            rows.push_back({nameOf(channel.edge), std::to_string(channel.retained),
                            ofTape(channel.capacity), ofTape(channel.capacity * channel.itemSize),
                            std::to_string(channel.offset)});
        }
        if (rows.size() > 1) printTable(rows);
    }

    void printMessages() {
        if (plan.mailboxes.empty()) return;
        out += fmt::format("mailboxes at {}:\n", plan.mailboxOffset);
        for (const Mailbox& box : plan.mailboxes)
            out += fmt::format("  {}{}\n", names[box.node], box.receives ? ", receives" : "");
        for (const Route& route : plan.routes) {
            const graph::Sdep::Table& sdep = route.sdep;
            out += fmt::format("messages of {} {} to {}: SDEP", names[route.sender],
                               route.isDownstream ? "down" : "up", names[route.receiver]);
            for (std::size_t m = 0; m < std::min(sdep.firings.size(), kMostShown); ++m)
                out += fmt::format(" {}", sdep.firings[m]);
            out += fmt::format("{}, from {} on +{} every {}{}\n",
                               sdep.firings.size() > kMostShown ? " ..." : "", sdep.transient,
                               sdep.periodUp, sdep.periodDown,
                               route.guard ? fmt::format(", waits for {}", *route.guard) : "");
        }
    }

    std::string printDemand() {
        const Demand& demand = *plan.demand;
        out += fmt::format("queues at {}, actors at {}\n", demand.queueOffset, demand.actorOffset);
        for (const Region& region : demand.regions) {
            const std::string reads =
                region.input == kNone ? "" : fmt::format(" from {}", nameOf(region.input));
            out += fmt::format("region of {}{}:\n  first", names[region.head], reads);
            out += fmt::format(", {} items:\n", region.init.reads[0]);
            printAll(region.init.steps, 4);
            out += fmt::format("  then, {} items:\n", region.steady.reads[0]);
            printAll(region.steady.steps, 4);
            if (region.scaled.iterations != 0) {
                out += fmt::format("  {} at once:\n", region.scaled.iterations);
                printAll(region.scaled.steps, 4);
            }
            if (region.chunk)
                printChunk(*region.chunk, fmt::format(", {} items", region.chunk->reads[0]));
        }
        if (demand.batches) out += "in batches, ";
        out += "an iteration asks for:\n";
        for (const Demand::Sink& sink : demand.sinks)
            out +=
                fmt::format("  {}{}\n", sink.firings == 1 ? "" : fmt::format("{} ", sink.firings),
                            names[sink.node]);
        out += "then fire as long as they can:\n";
        for (NodeId id : demand.drained) out += fmt::format("  {}\n", names[id]);
        return std::move(out);
    }

    void printChunk(const Chunk& chunk, const std::string& reads) {
        const std::string slices = chunk.slices == 1
                                       ? ""
                                       : fmt::format("{} slice{}, at most {}, of ", chunk.usual,
                                                     chunk.usual == 1 ? "" : "s", chunk.slices);
        out += fmt::format("chunk of {}{} steady states{}, {:.0f}% in order:\n", slices,
                           chunk.iterations, reads, 100 * chunk.ordered / chunk.work);
        for (std::size_t k = 0; k < chunk.segments.size(); ++k) {
            printCarries(chunk, k);
            const Segment& segment = chunk.segments[k];
            out += fmt::format("  segment {}, {:.0f}% of the work\n", k,
                               100 * segment.work / chunk.work);
            printAll(segment.steps, 4);
        }
        printCarries(chunk, chunk.segments.size());
        printCoarse(chunk);
    }

    void printCoarse(const Chunk& chunk) {
        if (chunk.coarse.empty()) return;
        out += "  or in fewer sections:\n";
        for (std::size_t k = 0; k < chunk.coarse.size(); ++k)
            out += fmt::format("    from segment {} to {}: {}\n", chunk.coarse[k].taken,
                               chunk.coarse[k].given, textOf(chunk.carries[k]));
    }

    void printCarries(const Chunk& chunk, std::size_t at) {
        for (const Carry& carry : chunk.carries)
            if (carry.taken == at) out += "  take " + textOf(carry) + '\n';
        for (const Carry& carry : chunk.carries)
            if (carry.given == at) out += "  give " + textOf(carry) + '\n';
    }

    void printPartitioning(const Partitioning& all) {
        out += fmt::format("{} steady states in partitions{}, {} slice{}, {:.1f} times as fast:\n",
                           all.iterations, readsOf(all.reads), all.slices,
                           all.slices == 1 ? "" : "s", all.work / all.span);
        printAll(all.begin, 2);
        for (std::size_t k = 0; k < all.partitions.size(); ++k) {
            const Partition& each = all.partitions[k];
            out += fmt::format("  partition {}, {:.0f}% of the work, home {}, {} slice{}{}\n", k,
                               100 * each.work / all.work, each.home, each.slices,
                               each.slices == 1 ? "" : "s",
                               !each.isInOrder    ? ""
                               : each.drawsRandom ? " in order, random numbers"
                                                  : " in order");
            for (const PartitionChannel& channel : all.channels)
                if (channel.to == k && channel.kind != ChannelKind::Within)
                    out += fmt::format("    needs {} of partition {}: {}\n",
                                       channel.kind == ChannelKind::BySlice ? "the slice" : "all",
                                       channel.from, itemsOf(channel));
            printAll(each.steps, 4);
        }
        printAll(all.end, 2);
    }

    /// Of one filter: what the tapes of the program were that it has become.
    std::string itemsOf(const PartitionChannel& channel) const {
        if (plan.before) return Printer(*plan.before).itemsOf(channel);
        return channel.tape == kNone ? "messages to " + names[channel.receiver]
                                     : nameOf(channel.tape);
    }

    std::string textOf(const Carry& carry) const {
        const std::string who = carry.node == kNone ? "" : names[carry.node];
        switch (carry.kind) {
            case CarryKind::State: return fmt::format("{} bytes of {}", carry.size, who);
            case CarryKind::Items: {
                const std::int64_t size = plan.channels[carry.tape].itemSize;
                return fmt::format("{} items of {}", carry.size / size, nameOf(carry.tape));
            }
            case CarryKind::Affine:
                return fmt::format("{}: x * {} + {} and {:#x}", who, carry.factor, carry.summand,
                                   carry.mask);
            case CarryKind::Counter:
                if (carry.node == kNone)
                    return fmt::format("{}: {} bytes on", nameOf(carry.tape), carry.summand);
                return fmt::format("{}: {} firings", who, carry.summand);
            case CarryKind::Random: return who + ": random numbers";
            case CarryKind::Mail: return "messages to " + who;
            case CarryKind::Order: break;
        }
        return carry.node == kNone ? "the turn at an open end" : "the turn of " + who;
    }

    std::string readsOf(const std::vector<std::int64_t>& counts) const {
        std::string reads;
        for (std::size_t port = 0; port < counts.size(); ++port) {
            if (counts[port] == 0) continue;
            const NodeId node = plan.inputs[port].node;
            reads += fmt::format("{} {} from {}", reads.empty() ? ", reads" : ",", counts[port],
                                 node == kNone ? "the input" : names[node]);
        }
        return reads;
    }

    void printPhase(const std::string& title, const Phase& phase) {
        out += title + readsOf(phase.reads) + ":\n";
        printAll(phase.steps, 2);
    }

    void printAll(const std::vector<Step>& steps, std::size_t indent) {
        for (const Step& step : steps) {
            out += std::string(indent, ' ');
            if (step.kind == StepKind::Loop) {
                out += fmt::format("loop {}\n", step.count);
                printAll(step.body, indent + 2);
            } else {
                out += textOf(step) + '\n';
            }
        }
    }

    std::string textOf(const Step& step) const {
        switch (step.kind) {
            case StepKind::Fire:
                return fmt::format("{}{}{}{}{}",
                                   step.count == 1 ? "" : fmt::format("{} ", step.count),
                                   names[step.node], step.first ? ".prework" : "",
                                   places(" from ", step.inputs), places(" to ", step.outputs));
            case StepKind::Move:
                return fmt::format("move {}{}{} of {}", step.count, places(" from ", step.inputs),
                                   places(" to ", step.outputs), nameOf(step.channel));
            case StepKind::Read:
                return fmt::format("read {}{}", step.count, places(" to ", step.outputs));
            case StepKind::Part:
                return fmt::format("function {} of {} {}{}{}", step.port, step.count,
                                   names[step.node], places(" from ", step.inputs),
                                   places(" to ", step.outputs));
            case StepKind::Device: return fmt::format("device segment {}", step.port);
            case StepKind::Write:
                return fmt::format("write {}{}", step.count, places(" from ", step.inputs));
            case StepKind::Loop: break;
        }
        return "";
    }

    /// "4 + 2*i0 - 3*i2": i0 is the iteration of the outermost loop.
    static std::string place(const Position& position) {
        std::string text;
        auto add = [&](std::int64_t value, const std::string& what) {
            if (value == 0) return;
            const char* sign = value < 0 ? " - " : text.empty() ? "" : " + ";
            text += sign + what;
        };
        add(position.base, std::to_string(position.base));
        for (std::size_t i = 0; i < position.perIteration.size(); ++i) {
            const std::int64_t each = std::abs(position.perIteration[i]);
            add(position.perIteration[i],
                fmt::format("{}i{}", each == 1 ? "" : fmt::format("{}*", each), i));
        }
        return text.empty() ? "0" : text;
    }

    static std::string places(const char* word, const std::vector<Position>& positions) {
        std::string text;
        for (const Position& position : positions)
            text += (text.empty() ? word : ", ") + place(position);
        return text;
    }

    const Plan& plan;
    const Graph& graph;
    std::vector<std::string> names;
    std::string out;
};

}  // namespace

std::string edgeName(const Graph& graph, EdgeId id) {
    const graph::Edge& edge = graph.edges[id];
    return joined(edge.from == kNone ? "input" : path(graph, edge.from),
                  edge.to == kNone ? "output" : path(graph, edge.to));
}

std::string print(const Plan& plan) { return Printer(plan).print(); }

}  // namespace strc::plan
