#include "plan/marks.h"

#include <algorithm>

#include "graph/flow.h"
#include "plan/drain.h"

namespace strc::plan {
namespace {

/// What steps change on a tape: by how much in the end, and by how much at most meanwhile.
struct Effect {
    std::int64_t change = 0;
    std::int64_t most = 0;

    void add(std::int64_t items) {
        change += items;
        most = std::max(most, change);
    }
    void add(const Effect& next, std::int64_t times) {
        const std::int64_t last = next.change > 0 ? (times - 1) * next.change : 0;
        most = std::max(most, change + last + next.most);
        change += times * next.change;
    }
};
using Effects = std::map<EdgeId, Effect>;

void addFirings(const Plan& plan, const Step& step, Effects& effects) {
    const auto &inputs = plan.inputsOf(step.node), &outputs = plan.outputsOf(step.node);
    // Items are given before others are taken: nothing says that a firing takes them first.
    for (std::size_t port = 0; port < outputs.size(); ++port)
        effects[outputs[port]].add(step.count * itemsAt(plan, step.node, port, false, step.first));
    for (std::size_t port = 0; port < inputs.size(); ++port)
        effects[inputs[port]].add(-step.count *
                                  graph::popRate(plan.program->graph, inputs[port], step.first));
}

/// One of the parts takes all items, and one gives them.
void addPart(const Plan& plan, const Step& step, Effects& effects) {
    const graph::Graph& graph = plan.program->graph;
    if (!step.outputs.empty())
        for (EdgeId edge : graph.nodes[step.node].outputs)
            effects[edge].add(step.count * graph::pushRate(graph, edge));
    if (!step.inputs.empty())
        for (EdgeId edge : graph.nodes[step.node].inputs)
            effects[edge].add(-step.count * graph::popRate(graph, edge));
}

void addSteps(const Plan& plan, const std::vector<Step>& steps, Effects& effects) {
    for (const Step& step : steps) {
        if (step.kind == StepKind::Fire) {
            addFirings(plan, step, effects);
        } else if (step.kind == StepKind::Part) {
            addPart(plan, step, effects);
        } else if (step.kind == StepKind::Loop) {
            Effects inner;
            addSteps(plan, step.body, inner);
            for (const auto& [edge, effect] : inner) effects[edge].add(effect, step.count);
        } else if (step.kind == StepKind::Read || step.kind == StepKind::Write) {
            effects[step.channel].add(step.kind == StepKind::Read ? step.count : -step.count);
        }
    }
}

Effects effectsOf(const Plan& plan, const std::vector<Step>& steps) {
    Effects effects;
    addSteps(plan, steps, effects);
    return effects;
}

Effects effectsOf(const Plan& plan, const std::optional<Chunk>& chunk) {
    Effects effects;
    if (!chunk) return effects;
    for (const Segment& segment : chunk->segments)
        for (const auto& [edge, effect] : effectsOf(plan, segment.steps))
            effects[edge].add(effect, chunk->usual);
    return effects;
}

bool isGone(const Plan& plan, NodeId id) {
    return id != graph::kNone && id < plan.gone.size() && plan.gone[id];
}

void countFirings(const std::vector<Step>& steps, std::int64_t times,
                  std::map<NodeId, std::int64_t>& counts) {
    for (const Step& step : steps) {
        if (step.kind == StepKind::Fire) counts[step.node] += times * step.count;
        if (step.kind == StepKind::Loop) countFirings(step.body, times * step.count, counts);
    }
}

}  // namespace

std::map<NodeId, std::int64_t> firingsOf(const std::vector<Step>& steps) {
    std::map<NodeId, std::int64_t> counts;
    countFirings(steps, 1, counts);
    return counts;
}

std::vector<Marks> highWaterMarks(const Plan& plan) {
    const graph::Graph& graph = plan.program->graph;
    const std::array<Effects, 4> phases{
        effectsOf(plan, plan.init.steps), effectsOf(plan, plan.steady.steps),
        effectsOf(plan, plan.scaled.steps), effectsOf(plan, plan.chunk)};
    std::vector<Marks> marks(graph.edges.size());
    for (EdgeId id = 0; id < marks.size(); ++id) {
        const graph::Edge& edge = graph.edges[id];
        const Channel& channel = plan.channels[id];
        if (isGone(plan, edge.from) || isGone(plan, edge.to)) {
            marks[id].fill(channel.tape == id ? channel.capacity : -1);
            continue;
        }
        auto held = static_cast<std::int64_t>(edge.initial.size());
        for (std::size_t phase = 0; phase < phases.size(); ++phase) {
            const auto found = phases[phase].find(id);
            const Effect effect = found == phases[phase].end() ? Effect() : found->second;
            marks[id][phase] = held + effect.most;
            if (phase == 0) held += effect.change;
        }
    }
    return marks;
}

}  // namespace strc::plan
