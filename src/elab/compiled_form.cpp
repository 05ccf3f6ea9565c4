#include "elab/detail/compiled_form.h"

#include <algorithm>
#include <map>
#include <set>

#include "dynamic_shapes/program.h"
#include "elab/detail/call_thunk.h"
#include "elab/detail/channel_aliases.h"
#include "elab/detail/dynamic_shapes.h"
#include "elab/detail/expanded_kernels.h"
#include "elab/detail/shapes.h"
#include "graph/hierarchy.h"

namespace strc::elab {
namespace {

using graph::EdgeId;
using graph::Node;
using graph::NodeId;
using tensor::Sequence;

class CompiledForm {
public:
    CompiledForm(base::Context& context, const ir::Module& module, types::TypeTable& types,
                 const std::vector<Sequence>& items, Elaboration& program)
        : types(types),
          whole(program),
          made(std::make_shared<Elaboration>(program)),
          graph(made->graph),
          kernels(context, module, types, items, *made) {}

    /// Null: whyWhole says why.
    std::shared_ptr<Elaboration> make() {
        const std::string& why = whole.dynamicShape->whyWhole;
        layOutEdges();
        for (NodeId id = 0; id < graph.nodes.size() && why.empty(); ++id)
            if (graph.nodes[id].kind == graph::NodeKind::Filter) filter(id);
        if (!why.empty()) return nullptr;
        made->dynamicShape.reset();
        return std::move(made);
    }

    /// Those that are left to the run.
    const std::vector<NodeId>& dynamicFilters() const { return left; }

private:
    /// The items of channels that forward to each other are all names, or none is.
    void layOutEdges() {
        ChannelAliases groups(*made);
        std::set<EdgeId> named;
        for (EdgeId id = 0; id < graph.edges.size(); ++id)
            if (isTensor(graph.edges[id].type) &&
                (graph.edges[id].tensors.empty() || areOpen(graph.edges[id].tensors)))
                named.insert(groups.of(id));
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            graph::Edge& edge = graph.edges[id];
            if (!isTensor(edge.type)) continue;
            if (named.contains(groups.of(id))) {
                name(edge);
                continue;
            }
            edge.type = edge.inFiles;
            edge.inFiles = nullptr;
            for (Value& value : edge.initial) place(value, edge.type, types);
        }
    }

    /// The first reason counts.
    void interpretWhole(const std::string& why) {
        if (whole.dynamicShape->whyWhole.empty()) whole.dynamicShape->whyWhole = why;
    }

    /// Does the joiner before the program's output have to check what it gives?
    bool isCheckedJoin(const graph::Edge& edge) const {
        const bool isJoined = edge.to == graph::kNone && edge.from != graph::kNone &&
                              graph.nodes[edge.from].kind != graph::NodeKind::Filter;
        return isJoined && (edge.type->element || edge.type->isRanked);
    }

    void name(graph::Edge& edge) {
        if (!edge.initial.empty())
            interpretWhole("a tensor whose shape only the run knows is enqueued");
        for (NodeId end : {edge.from, edge.to})
            if (end != graph::kNone && !graph.nodes[end].file.empty())
                interpretWhole("a file in it has tensors of shapes that only the run knows");
        const bool isOpen = areOpen(edge.tensors);
        if (edge.from == graph::kNone && !isOpen)
            interpretWhole("its input is joined with tensors of such shapes");
        if (isCheckedJoin(edge)) interpretWhole("what is joined at its output is declared");
        edge.isHandle = true;
        if (!isOpen) edge.tensors.clear();
        edge.type = types.intType();
        edge.inFiles = nullptr;
    }

    const Type* namedType(const std::vector<EdgeId>& edges) const {
        const bool isHandle = !edges.empty() && graph.edges[edges[0]].isHandle;
        return isHandle ? graph.edges[edges[0]].type : nullptr;
    }

    void filter(NodeId id) {
        Node& node = graph.nodes[id];
        const Kernel& kernel = made->kernels[node.kernel];
        if (!usesTensors(kernel)) return;
        const bool hasNames = namedType(node.inputs) || namedType(node.outputs);
        if (kernel.builtin != ir::BuiltinStream::None && hasNames) return nameItems(node);
        const bool hasDynamicShape = hasNames ||
                                     !isPeriodic(node, kernel, kernels.arrivingAt(id)) ||
                                     kernels.specialise(id).has_value();
        if (hasDynamicShape) leave(id);
    }

    /// Its items cannot be handed over.
    bool isRefused(NodeId id) {
        const Node& node = graph.nodes[id];
        auto asks = [](const graph::Rates& rates) {
            return rates.pop.dynamic || rates.peek.dynamic;
        };
        auto isEnd = [id](const graph::MessageLink& link) {
            return link.sender == id || link.receiver == id;
        };
        if (asks(node.work) || (node.prework && asks(*node.prework)))
            interpretWhole("how much '" + node.name + "' takes depends on its items");
        if (std::any_of(graph.messages.begin(), graph.messages.end(), isEnd))
            interpretWhole("'" + node.name + "' has to do with messages");
        return !whole.dynamicShape->whyWhole.empty();
    }

    void nameItems(Node& node) {
        Kernel kernel = made->kernels[node.kernel];
        kernel.input = kernel.output = types.intType();
        node.kernel = static_cast<graph::KernelId>(made->kernels.size());
        made->kernels.push_back(std::move(kernel));
    }

    void leave(NodeId id) {
        if (isRefused(id)) return;
        left.push_back(id);
        Node& node = graph.nodes[id];
        const Kernel& from = made->kernels[node.kernel];
        auto typeOf = [&](const std::vector<EdgeId>& edges, const Type* declared) {
            return edges.empty() ? declared : graph.edges[edges[0]].type;
        };
        Kernel kernel;
        kernel.input = typeOf(node.inputs, from.input);
        kernel.output = typeOf(node.outputs, from.output);
        kernel.work = node.work;
        kernel.prework = node.prework;
        kernel.code.name = from.code.name;
        kernel.code.input = kernel.input;
        kernel.code.output = kernel.output;
        auto thunk = [&](const graph::Rates& rates, const ir::Body& body) {
            return callThunk(id, {kernel.input, kernel.output}, rates, body, types);
        };
        kernel.code.work = thunk(node.work, *from.code.work);
        if (from.code.prework) kernel.code.prework = thunk(*node.prework, *from.code.prework);
        made->states[id] = std::make_shared<const std::string>();
        node.kernel = static_cast<graph::KernelId>(made->kernels.size());
        made->kernels.push_back(std::move(kernel));
    }

    types::TypeTable& types;
    Elaboration& whole;
    std::shared_ptr<Elaboration> made;
    graph::Graph& graph;
    ExpandedKernels kernels;
    std::vector<NodeId> left;
};

/// What runs them, of a program whose kernels are symbolic.
class Description {
public:
    Description(const base::SourceManager& sources, const ir::Module& module,
                const Elaboration& whole, const graph::Graph& compiled)
        : sources(sources), whole(whole), compiled(compiled) {
        made.module.functions = module.functions;
        made.module.functionNames = module.functionNames;
        made.module.natives = module.natives;
        made.module.globals = module.globals;
        made.module.globalValues = module.globalValues;
    }

    dynamic_shapes::Program of(const std::vector<NodeId>& filters) {
        for (NodeId id : filters) add(id);
        return std::move(made);
    }

private:
    void add(NodeId id) {
        const Node& node = whole.graph.nodes[id];
        const Kernel& kernel = whole.kernels[node.kernel];
        dynamic_shapes::Filter filter;
        filter.node = id;
        filter.kernel = kernelOf(node.kernel);
        filter.name = node.name;
        filter.added = graph::addedBy(sources, whole.graph, id).name;
        filter.work = ratesOf(node.work);
        if (kernel.code.prework) filter.prework = ratesOf(*node.prework);
        filter.input = channel(node.inputs, kernel.input);
        filter.output = channel(node.outputs, kernel.output);
        filter.state = whole.states[id];
        made.filters.push_back(std::move(filter));
    }

    static dynamic_shapes::Rates ratesOf(const graph::Rates& rates) {
        const graph::Rate& push = rates.push;
        if (!push.dynamic) return {rates.peek.max, rates.pop.max, push.max};
        const std::int64_t most =
            push.max == graph::kUnbounded ? dynamic_shapes::kAnyNumber : push.max;
        return {rates.peek.max, rates.pop.max, dynamic_shapes::kAnyNumber, push.min, most};
    }

    std::uint32_t kernelOf(graph::KernelId id) {
        const auto [found, isNew] =
            kernels.try_emplace(id, static_cast<std::uint32_t>(made.kernels.size()));
        if (!isNew) return found->second;
        const Kernel& kernel = whole.kernels[id];
        const auto code = static_cast<std::uint32_t>(made.module.streams.size());
        made.module.streams.push_back(kernel.code);
        const auto& initial =
            kernel.initialOffsets.empty() ? kernel.fieldOffsets : kernel.initialOffsets;
        made.kernels.push_back({code, kernel.constants, kernel.fieldTypes, kernel.fieldOffsets,
                                kernel.stateSize, kernel.tensors, kernel.storedTensors, initial});
        return found->second;
    }

    dynamic_shapes::Channel channel(const std::vector<EdgeId>& edges, const Type* declared) const {
        if (edges.empty()) return {};
        const graph::Edge& edge = whole.graph.edges[edges[0]];
        const graph::Edge& memory = compiled.edges[edges[0]];
        const Type* item = isTensor(edge.type) ? declared : memory.type;
        return {item, memory.type, memory.isHandle, edge.type,
                areOpen(edge.tensors) ? Sequence() : edge.tensors};
    }

    const base::SourceManager& sources;
    const Elaboration& whole;
    const graph::Graph& compiled;
    dynamic_shapes::Program made;
    std::map<graph::KernelId, std::uint32_t> kernels;
};

}  // namespace

void leaveToRun(base::Context& context, const ir::Module& module, types::TypeTable& types,
                const std::vector<Sequence>& items, Elaboration& program) {
    CompiledForm form(context, module, types, items, program);
    std::shared_ptr<Elaboration> made = form.make();
    leaveTensors(module, types, program);
    if (!made) return;
    made->dynamicFilters = std::make_shared<const dynamic_shapes::Program>(
        Description(context.sources, module, program, made->graph).of(form.dynamicFilters()));
    program.compiled = std::move(made);
}

}  // namespace strc::elab
