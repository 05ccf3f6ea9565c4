#include "plan/detail/rings.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/assert.h"

namespace strc::plan {
namespace {

using graph::kNone;
using sched::Loop;

class InRings {
public:
    InRings(const graph::Graph& program, const std::vector<std::int64_t>& capacity, Begin begin)
        : graph(program),
          reads(begin.reads),
          started(graph.nodes.size(), !begin.fresh),
          placed{{}, std::move(begin.held), capacity} {}

    Placed run(const Loop& phase) {
        if (reads > 0) transfer(StepKind::Read, graph.input, reads);
        if (phase.count == 1)
            list(phase.children, placed.steps, 1);
        else
            loop(phase, placed.steps, 1);
        if (graph.output != kNone && placed.held[graph.output] > 0)
            transfer(StepKind::Write, graph.output, placed.held[graph.output]);
        return std::move(placed);
    }

private:
    void transfer(StepKind kind, EdgeId edge, std::int64_t count) {
        Step step;
        step.kind = kind;
        step.count = count;
        step.channel = edge;
        std::int64_t& held = placed.held[edge];
        const std::int64_t most = kind == StepKind::Read ? held += count : held;
        if (kind == StepKind::Write) held -= count;
        placed.capacity[edge] = std::max(placed.capacity[edge], most);
        placed.steps.push_back(std::move(step));
    }

    /// `times`: iterations of the loops around.
    void list(const std::vector<Loop>& loops, std::vector<Step>& steps, std::int64_t times) {
        for (const Loop& each : loops) {
            if (each.isLeaf())
                leaf(each, steps, times);
            else
                loop(each, steps, times);
        }
    }

    void loop(const Loop& from, std::vector<Step>& steps, std::int64_t times) {
        Step made;
        made.kind = StepKind::Loop;
        made.count = from.count;
        list(from.children, made.body, times * from.count);
        steps.push_back(std::move(made));
    }

    void leaf(const Loop& from, std::vector<Step>& steps, std::int64_t times) {
        std::int64_t count = from.count;
        if (!started[from.node] && graph.nodes[from.node].prework) {
            STRC_ASSERT(times == 1, "a first firing in a loop");
            fire(from.node, 1, 1, true, steps);
            --count;
        }
        started[from.node] = true;
        if (count > 0) fire(from.node, count, times, false, steps);
    }

    void fire(NodeId id, std::int64_t count, std::int64_t times, bool first,
              std::vector<Step>& steps) {
        const graph::Node& node = graph.nodes[id];
        for (EdgeId edge : node.inputs)
            placed.held[edge] -= times * count * popRate(graph, edge, first);
        for (EdgeId edge : node.outputs)
            placed.held[edge] += times * count * pushRate(graph, edge, first);
        Step step;
        step.node = id;
        step.count = count;
        step.first = first;
        steps.push_back(std::move(step));
    }

    const graph::Graph& graph;
    std::int64_t reads;
    std::vector<bool> started;
    Placed placed;
};

}  // namespace

Placed placeInRings(const graph::Graph& graph, const Loop& phase,
                    const std::vector<std::int64_t>& capacity, Begin begin) {
    return InRings(graph, capacity, std::move(begin)).run(phase);
}

std::int64_t ringCapacity(std::int64_t items) {
    return static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(items, 1))));
}

}  // namespace strc::plan
