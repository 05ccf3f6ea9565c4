#include "plan/drain.h"

#include "graph/flow.h"
#include "ir/bounds.h"
#include "plan/writes.h"

namespace strc::plan {
namespace {

using graph::kNone;

/// Steps of one firing or item each.
class Splitting {
public:
    explicit Splitting(const Plan& made) : plan(made) {}

    Phase phase(const Phase& whole) const {
        Phase made = whole;
        for (Step& step : made.steps) split(step, 0);
        return made;
    }

private:
    void split(Step& step, std::size_t depth) const {
        switch (step.kind) {
            case StepKind::Loop:
                for (Step& inside : step.body) split(inside, depth + 1);
                return;
            case StepKind::Fire:
                for (std::size_t port = 0; port < step.inputs.size(); ++port)
                    advance(step.inputs[port], depth, itemsAt(plan, step.node, port, true));
                for (std::size_t port = 0; port < step.outputs.size(); ++port)
                    advance(step.outputs[port], depth, itemsAt(plan, step.node, port, false));
                break;
            case StepKind::Read:
            case StepKind::Write:
                for (std::vector<Position>* side : {&step.inputs, &step.outputs})
                    for (Position& position : *side) advance(position, depth, 1);
                break;
            case StepKind::Move:
            case StepKind::Part:
            case StepKind::Device: return;
        }
        Step loop;
        loop.kind = StepKind::Loop;
        loop.count = step.count;
        step.count = 1;
        loop.body.push_back(std::move(step));
        step = std::move(loop);
    }

    static void advance(Position& position, std::size_t depth, std::int64_t items) {
        position.perIteration.resize(depth);
        position.perIteration.push_back(items);
    }

    const Plan& plan;
};

/// Does it do nothing with zeros but other items?
bool isUnseen(const elab::Elaboration& program, NodeId id) {
    const graph::Node& node = program.graph.nodes[id];
    if (node.kind != graph::NodeKind::Filter) return true;
    const elab::Kernel& kernel = program.kernels[node.kernel];
    if (kernel.builtin != ir::BuiltinStream::None)
        return types::info(kernel.builtin).role == types::BuiltinRole::Identity;
    return node.effects == graph::kNoEffect && !ir::hasChecks(kernel.code);
}

/// By number in `ending`: do passes leave it as it was, so that its firings can be counted?
bool staysAsItWas(const strc_ending_node& before, const graph::Repetitions& repetitions,
                  NodeId now) {
    return before.init == repetitions.init[now] && before.steady == repetitions.steady[now];
}

/// Do items of the open ends still count as they did?
bool endsStay(const Plan& plan, const graph::Ending& ending,
              const graph::Repetitions& repetitions) {
    const graph::Graph& graph = plan.program->graph;
    if (ending.input != kNone) {
        const strc_ending_node& input = ending.nodes[ending.input];
        if (plan.init.reads.back() != input.init || plan.steady.reads.back() != input.steady)
            return false;
    }
    if (ending.output == kNone) return true;
    const NodeId from = graph.edges[graph.output].from;
    return ending.nodes[ending.output].steady ==
           graph::multiplyCounts(repetitions.steady[from], graph::pushRate(graph, graph.output));
}

Step stepOf(StepKind kind, std::int64_t count) {
    Step step;
    step.kind = kind;
    step.count = count;
    return step;
}

/// Of the one filter, in that phase.
std::int64_t itemsInPhase(const graph::Graph& graph, EdgeId edge, bool isInput, bool isInit) {
    if (isInit && !graph.nodes[0].prework) return 0;
    return isInput ? graph::popRate(graph, edge, isInit) : graph::pushRate(graph, edge, isInit);
}

/// The whole input of the phase, the function, and all that it can give. Files are read and written as open ends are.
Phase phaseOfFunction(const Plan& plan, std::uint32_t function, bool isInit) {
    const graph::Graph& graph = plan.program->graph;
    const graph::Node& filter = graph.nodes[0];
    Phase made;
    Step part = stepOf(StepKind::Part, 1);
    part.node = 0;
    part.port = function;
    for (std::uint32_t port = 0; port < filter.inputs.size(); ++port) {
        Step read = stepOf(StepKind::Read, itemsInPhase(graph, filter.inputs[port], true, isInit));
        made.reads.push_back(read.count);
        read.channel = filter.inputs[port];
        read.port = port;
        read.outputs = {Position{}};
        made.steps.push_back(std::move(read));
    }
    part.inputs.resize(filter.inputs.size());
    part.outputs.resize(filter.outputs.size());
    made.steps.push_back(part);
    for (std::uint32_t port = 0; port < filter.outputs.size(); ++port) {
        Step write =
            stepOf(StepKind::Write, itemsInPhase(graph, filter.outputs[port], false, isInit));
        write.channel = filter.outputs[port];
        write.port = port;
        write.inputs = {Position{}};
        made.steps.push_back(std::move(write));
    }
    return made;
}

}  // namespace

std::optional<Drain> takeOverDrain(const Plan& plan) {
    const elab::Elaboration& program = *plan.program;
    if (program.graph.nodes[0].kernel == kNone) return std::nullopt;
    const elab::Kernel& kernel = program.kernels[program.graph.nodes[0].kernel];
    if (!kernel.drain) return std::nullopt;
    Drain made;
    made.ending = kernel.drain->ending;
    made.init = phaseOfFunction(plan, kernel.drain->init, true);
    made.steady = phaseOfFunction(plan, kernel.drain->steady, false);
    return made;
}

std::int64_t itemsAt(const Plan& plan, NodeId id, std::size_t port, bool isInput, bool first) {
    const std::vector<EdgeId>& edges = isInput ? plan.inputsOf(id) : plan.outputsOf(id);
    const graph::Graph& graph = plan.program->graph;
    const bool isFilter = graph.nodes[id].kind == graph::NodeKind::Filter;
    if (isFilter && (isInput ? plan.dealsInputs(id) : plan.dealsOutputs(id)))
        return 1;  // of each branch
    // Behind a round robin that is gone the edge has another filter's rates.
    if (isFilter && edges.size() == 1) {
        const graph::Node& node = graph.nodes[id];
        const graph::Rates& rates = first && node.prework ? *node.prework : node.work;
        return isInput ? rates.pop.max : rates.push.max;
    }
    return isInput ? graph::popRate(graph, edges[port]) : graph::pushRate(graph, edges[port]);
}

std::optional<Drain> findDrain(const Plan& plan, const graph::Ending& ending,
                               const graph::Repetitions& repetitions) {
    const elab::Elaboration& program = *plan.program;
    const auto count = static_cast<std::uint32_t>(program.graph.nodes.size());
    Drain made;
    made.ending = ending;
    made.counts.resize(count);
    if (!endsStay(plan, ending, repetitions)) return std::nullopt;
    for (NodeId id = 0; id < count; ++id) {
        const NodeId before = program.origin.empty() ? id : program.origin[id];
        made.counts[id] = before != kNone && staysAsItWas(ending.nodes[before], repetitions, id);
        if (made.counts[id])
            made.ending.nodes[before].place = id;
        else if (!isUnseen(program, id))
            return std::nullopt;
    }
    if (ending.input != kNone) made.ending.nodes[ending.input].place = count;
    if (ending.output != kNone) {
        strc_ending_node& output = made.ending.nodes[ending.output];
        output.place = count + 1;
        // Where a splitter before it is gone more items than the splitter's firings may leave in the beginning.
        output.init = itemsWritten(plan.init.steps);
    }
    const Splitting splitting(plan);
    made.init = splitting.phase(plan.init);
    made.steady = splitting.phase(plan.steady);
    return made;
}

}  // namespace strc::plan
