#include "lowered/detail/ports.h"

#include <algorithm>
#include <map>

#include "lowered/detail/port_items.h"

namespace strc::lowered {
namespace {

using graph::EdgeId;
using graph::kNone;
using graph::NodeId;
using plan::Step;
using plan::StepKind;

/// Firings of filters that read and write files become steps of the ends.
class EndSteps {
public:
    explicit EndSteps(const Ports& ports) {
        for (const Port& port : ports.inputs) add(port, StepKind::Read);
        for (const Port& port : ports.outputs) add(port, StepKind::Write);
    }

    void change(std::vector<Step>& steps) const {
        for (Step& step : steps) change(step);
    }

private:
    struct End {
        StepKind kind = StepKind::Read;
        EdgeId edge = kNone;
    };

    void add(const Port& port, StepKind kind) {
        if (port.file != kNone) ends[port.file] = {kind, port.edge};
    }

    void change(Step& step) const {
        change(step.body);
        if (step.kind != StepKind::Fire) return;
        const auto found = ends.find(step.node);
        if (found == ends.end()) return;
        step.kind = found->second.kind;
        step.channel = found->second.edge;
        step.node = kNone;
    }

    std::map<NodeId, End> ends;  ///< by file
};

/// The pipeline, of which the filter becomes a child.
void addPipeline(graph::Graph& made, const graph::Graph& old) {
    const graph::Composite& whole = old.composites[0];
    graph::Composite pipeline;
    pipeline.kind = graph::CompositeKind::Pipeline;
    pipeline.name = whole.name;
    pipeline.range = whole.range;
    pipeline.header = whole.header;
    made.composites.push_back(std::move(pipeline));
}

/// Its name is the path that it had, without the main stream.
NodeId addFile(elab::Elaboration& made, const plan::Plan& plan, NodeId file) {
    const elab::Elaboration& old = *plan.program;
    const auto id = static_cast<NodeId>(made.graph.nodes.size());
    graph::Node node = old.graph.nodes[file];
    const std::string path = graph::path(old.graph, file);
    node.name = path.substr(path.find('.') + 1);
    node.kernel = static_cast<graph::KernelId>(made.kernels.size());
    node.inputs.clear();
    node.outputs.clear();
    made.kernels.push_back(old.kernels[old.graph.nodes[file].kernel]);
    made.states.push_back(old.states[file]);
    made.origin.push_back(old.origin.empty() ? file : old.origin[file]);
    made.graph.nodes.push_back(std::move(node));
    return id;
}

/// Puts edges at the ports of the one filter.
class Connecting {
public:
    Connecting(elab::Elaboration& program, const plan::Plan& planned)
        : made(program), graph(program.graph), plan(planned), items(planned) {}

    void run() {
        graph.nodes[0].inputs.clear();
        graph.nodes[0].outputs.clear();
        if (items.ports().haveFiles()) addPipeline(graph, plan.program->graph);
        for (const Port& port : items.ports().inputs) add(port, true);
        order.push_back(0);
        for (const Port& port : items.ports().outputs) add(port, false);
        if (!items.ports().haveFiles()) return;
        for (std::uint32_t k = 0; k < order.size(); ++k) {
            graph::Node& node = graph.nodes[order[k]];
            node.parent = 0;
            node.index = node.order = k;
            graph.composites[0].children.push_back({false, order[k]});
        }
    }

private:
    void add(const Port& port, bool isInput) {
        const EdgeId edge =
            port.file == kNone ? (isInput ? graph.input : graph.output) : addEdge(port, isInput);
        graph::Node& filter = graph.nodes[0];
        std::vector<EdgeId>& side = isInput ? filter.inputs : filter.outputs;
        (isInput ? graph.edges[edge].toPort : graph.edges[edge].fromPort) =
            static_cast<std::uint32_t>(side.size());
        side.push_back(edge);
        if ((isInput ? items.ports().inputs : items.ports().outputs).size() > 1)
            (isInput ? filter.inputRates : filter.outputRates).push_back(items.rateOf(port.edge));
    }

    EdgeId addEdge(const Port& port, bool isInput) {
        const NodeId file = addFile(made, plan, port.file);
        const auto id = static_cast<EdgeId>(graph.edges.size());
        graph::Edge edge = plan.program->graph.edges[port.edge];
        edge.from = isInput ? file : 0;
        edge.to = isInput ? 0 : file;
        edge.fromPort = edge.toPort = 0;
        edge.initial.clear();  // they lie on the tape inside of the one filter
        graph.edges.push_back(std::move(edge));
        (isInput ? graph.nodes[file].outputs : graph.nodes[file].inputs) = {id};
        order.push_back(file);
        return id;
    }

    elab::Elaboration& made;
    graph::Graph& graph;
    const plan::Plan& plan;
    const PortItems items;
    std::vector<NodeId> order;  ///< of the pipeline
};

}  // namespace

bool Ports::haveFiles() const {
    const auto isFile = [](const Port& port) { return port.file != kNone; };
    return std::any_of(inputs.begin(), inputs.end(), isFile) ||
           std::any_of(outputs.begin(), outputs.end(), isFile);
}

NodeId Ports::fileOf(EdgeId edge) const {
    for (const std::vector<Port>* side : {&inputs, &outputs})
        for (const Port& port : *side)
            if (port.edge == edge) return port.file;
    return kNone;
}

Ports findPorts(const plan::Plan& plan) {
    const graph::Graph& graph = plan.program->graph;
    Ports made;
    for (const plan::ProgramPort& port : plan.inputs)
        made.inputs.push_back(
            {port.node, port.node == kNone ? graph.input : graph.nodes[port.node].outputs[0]});
    for (const plan::ProgramPort& port : plan.outputs)
        made.outputs.push_back(
            {port.node, port.node == kNone ? graph.output : graph.nodes[port.node].inputs[0]});
    return made;
}

std::optional<plan::Plan> withFilesAsEnds(const plan::Plan& plan) {
    const Ports ports = findPorts(plan);
    if (!ports.haveFiles()) return std::nullopt;
    plan::Plan made = plan;
    const EndSteps ends(ports);
    for (plan::Phase* phase : {&made.init, &made.steady, &made.scaled}) ends.change(phase->steps);
    if (made.drain)
        for (plan::Phase* phase : {&made.drain->init, &made.drain->steady})
            ends.change(phase->steps);
    if (made.chunk)
        for (plan::Segment& segment : made.chunk->segments) ends.change(segment.steps);
    return made;
}

void connectPorts(elab::Elaboration& made, const plan::Plan& plan) { Connecting(made, plan).run(); }

NodeId nodeBeside(const Ports& ports, NodeId node) {
    if (node == kNone) return 0;  // a tape has none, as an end without a file
    NodeId files = 0;
    for (const std::vector<Port>* side : {&ports.inputs, &ports.outputs})
        for (const Port& port : *side) {
            if (port.file != kNone) ++files;
            if (port.file == node) return files;
        }
    return 0;
}

}  // namespace strc::lowered
