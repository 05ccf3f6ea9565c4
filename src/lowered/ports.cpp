#include "lowered/detail/ports.h"

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
    explicit EndSteps(const Ports& ports) : ports(ports) {}

    void change(std::vector<Step>& steps) const {
        for (Step& step : steps) change(step);
    }

private:
    void change(Step& step) const {
        change(step.body);
        if (step.kind != StepKind::Fire) return;
        if (step.node == ports.reader)
            become(step, StepKind::Read, ports.input);
        else if (step.node == ports.writer)
            become(step, StepKind::Write, ports.output);
    }

    static void become(Step& step, StepKind kind, EdgeId edge) {
        step.kind = kind;
        step.channel = edge;
        step.node = kNone;
    }

    const Ports& ports;
};

/// The pipeline, of which the filter becomes the only child so far.
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
    made.kernels.push_back(old.kernels[old.graph.nodes[file].kernel]);
    made.states.push_back(old.states[file]);
    made.origin.push_back(old.origin.empty() ? file : old.origin[file]);
    made.graph.nodes.push_back(std::move(node));
    return id;
}

void connect(graph::Graph& made, graph::Edge edge, NodeId from, NodeId to) {
    const auto id = static_cast<EdgeId>(made.edges.size());
    edge.from = from;
    edge.to = to;
    edge.fromPort = edge.toPort = 0;
    edge.initial.clear();  // they lie on the tape inside of the one filter
    made.edges.push_back(std::move(edge));
    made.nodes[from].outputs = {id};
    made.nodes[to].inputs = {id};
}

}  // namespace

std::string whyNoPorts(const plan::Plan& plan) {
    if (plan.inputs.size() > 1) return "it has several inputs, files among them";
    if (plan.outputs.size() > 1) return "it has several outputs, files among them";
    return {};
}

Ports findPorts(const plan::Plan& plan) {
    const graph::Graph& graph = plan.program->graph;
    Ports made{.input = graph.input, .output = graph.output};
    if (!plan.inputs.empty()) made.reader = plan.inputs[0].node;
    if (!plan.outputs.empty()) made.writer = plan.outputs[0].node;
    if (made.reader != kNone) made.input = graph.nodes[made.reader].outputs[0];
    if (made.writer != kNone) made.output = graph.nodes[made.writer].inputs[0];
    return made;
}

std::optional<plan::Plan> withFilesAsEnds(const plan::Plan& plan) {
    const Ports ports = findPorts(plan);
    if (ports.reader == kNone && ports.writer == kNone) return std::nullopt;
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

void addFiles(elab::Elaboration& made, const plan::Plan& plan) {
    const graph::Graph& old = plan.program->graph;
    const Ports ports = findPorts(plan);
    if (ports.reader == kNone && ports.writer == kNone) return;
    addPipeline(made.graph, old);
    std::vector<NodeId> order{0};
    if (ports.reader != kNone) {
        const NodeId reader = addFile(made, plan, ports.reader);
        order.insert(order.begin(), reader);
        connect(made.graph, old.edges[ports.input], reader, 0);
    }
    if (ports.writer != kNone) {
        const NodeId writer = addFile(made, plan, ports.writer);
        order.push_back(writer);
        connect(made.graph, old.edges[ports.output], 0, writer);
    }
    for (std::uint32_t k = 0; k < order.size(); ++k) {
        graph::Node& node = made.graph.nodes[order[k]];
        node.parent = 0;
        node.index = node.order = k;
        made.graph.composites[0].children.push_back({false, order[k]});
    }
}

NodeId nodeBeside(const Ports& ports, NodeId node) {
    if (node == kNone) return 0;  // a tape has none, as an end without a file
    if (node == ports.reader) return 1;
    if (node == ports.writer) return ports.reader == kNone ? 1 : 2;
    return 0;
}

}  // namespace strc::lowered
