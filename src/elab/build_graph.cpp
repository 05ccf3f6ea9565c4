// Nodes, edges and composites: the last of elaboration's three steps. No recursion: graphs are
// thousands of composites deep.

#include "base/assert.h"
#include "elab/detail/purity.h"
#include "elab/detail/tree.h"

namespace strc::elab {
namespace {

using base::Diag;
using types::TypeKind;

/// A port of a node.
struct StreamPort {
    graph::NodeId node = graph::kNone;
    std::uint32_t port = 0;
    const Type* type = nullptr;  ///< what the streams around it declare; null: nothing
};

class GraphBuilder {
public:
    GraphBuilder(base::Context& context, const ir::Module& module, types::TypeTable& types,
                 Tree& tree)
        : context(context), module(module), types(types), tree(tree) {}

    graph::Graph build() {
        collectKernelEffects();
        visitNaturally();
        assignOrder();
        findPorts();
        for (InstanceId id : naturalOrder) connectInside(tree.instances[id]);
        openEnds();
        return std::move(graph);
    }

private:
    enum class Part : std::uint8_t { Stream, Splitter, Joiner };
    struct Visit {
        InstanceId id;
        Part part;
    };

    // ---- nodes and composites, in the order of the text

    void visitNaturally() {
        std::vector<Visit> stack{{0, Part::Stream}};
        while (!stack.empty()) {
            Visit visit = stack.back();
            stack.pop_back();
            Instance& instance = tree.instances[visit.id];
            if (visit.part == Part::Splitter)
                addSplitter(instance);
            else if (visit.part == Part::Joiner)
                addJoiner(instance);
            else if (instance.isFilter())
                addFilter(visit.id);
            else
                enterComposite(visit.id, stack);
        }
    }

    void enterComposite(InstanceId id, std::vector<Visit>& stack) {
        addComposite(id);
        std::vector<Visit> parts = partsOf(id, false);
        stack.insert(stack.end(), parts.rbegin(), parts.rend());
    }

    /// The parts of a composite one after the other; `structural`: in the order of language.md 12.6,
    /// in which a splitjoin's children stand from last to first.
    std::vector<Visit> partsOf(InstanceId id, bool structural) const {
        const Instance& instance = tree.instances[id];
        std::vector<Visit> parts;
        auto children = [&](auto begin, auto end) {
            for (auto it = begin; it != end; ++it) parts.push_back({*it, Part::Stream});
        };
        switch (instance.kind()) {
            case ir::StreamKind::Filter: break;
            case ir::StreamKind::Pipeline:
                children(instance.children.begin(), instance.children.end());
                break;
            case ir::StreamKind::SplitJoin:
                parts.push_back({id, Part::Splitter});
                if (structural)
                    children(instance.children.rbegin(), instance.children.rend());
                else
                    children(instance.children.begin(), instance.children.end());
                parts.push_back({id, Part::Joiner});
                break;
            case ir::StreamKind::FeedbackLoop:
                parts = {{id, Part::Joiner},
                         {instance.children[0], Part::Stream},
                         {id, Part::Splitter},
                         {instance.children[1], Part::Stream}};
                break;
        }
        return parts;
    }

    static graph::CompositeKind compositeKind(ir::StreamKind kind) {
        switch (kind) {
            case ir::StreamKind::Pipeline: return graph::CompositeKind::Pipeline;
            case ir::StreamKind::SplitJoin: return graph::CompositeKind::SplitJoin;
            case ir::StreamKind::FeedbackLoop: return graph::CompositeKind::FeedbackLoop;
            case ir::StreamKind::Filter: break;
        }
        STRC_UNREACHABLE("a filter is no composite");
    }

    void addComposite(InstanceId id) {
        Instance& instance = tree.instances[id];
        naturalOrder.push_back(id);
        instance.composite = static_cast<graph::CompositeId>(graph.composites.size());
        graph::Composite composite;
        composite.kind = compositeKind(instance.kind());
        composite.name = displayName(instance);
        composite.range = instance.range;
        composite.header = instance.code->header;
        graph.composites.push_back(std::move(composite));
        enterParent(instance, graph.composites.back().parent, graph.composites.back().index,
                    {true, instance.composite});
    }

    void enterParent(const Instance& instance, graph::CompositeId& parent, std::uint32_t& index,
                     graph::Child child) {
        if (instance.parent == ir::kNone) return;
        parent = tree.instances[instance.parent].composite;
        auto& horizontal = graph.composites[parent].children;
        index = static_cast<std::uint32_t>(horizontal.size());
        horizontal.push_back(child);
    }

    graph::NodeId addNode(graph::Node node) {
        if (graph.nodes.size() == context.limits.nodes)
            context.diags.add(Diag::TooManyNodes, node.range)
                << static_cast<std::int64_t>(context.limits.nodes);
        graph.nodes.push_back(std::move(node));
        return static_cast<graph::NodeId>(graph.nodes.size() - 1);
    }

    void addFilter(InstanceId id) {
        Instance& instance = tree.instances[id];
        const Kernel& kernel = tree.kernels[instance.kernel];
        graph::Node node;
        node.kernel = instance.kernel;
        node.work = kernel.work;
        node.prework = kernel.prework;
        node.name = displayName(instance);
        node.range = instance.range;
        node.effects = kernelEffects[instance.kernel];
        if (hasItems(kernel.input)) node.inputs.assign(1, graph::kNone);
        if (hasItems(kernel.output)) node.outputs.assign(1, graph::kNone);
        bool isFile = !instance.code && types::info(instance.builtin).isFile();
        if (isFile) node.file = kernel.constants[0].bytes;
        if (instance.fileSlot != ir::kNone) node.fileParameter = instance.fileSlot + 1;
        auto newId = static_cast<graph::NodeId>(graph.nodes.size());
        enterParent(instance, node.parent, node.index, {false, newId});
        instance.node = addNode(std::move(node));
    }

    /// Weights of the connected branches, in order.
    static std::vector<std::int64_t> connected(const std::vector<std::int64_t>& weights) {
        std::vector<std::int64_t> result;
        for (std::int64_t weight : weights)
            if (weight != 0) result.push_back(weight);
        return result;
    }

    std::int64_t total(const std::vector<std::int64_t>& weights, base::SourceRange range) {
        std::int64_t sum = 0;
        for (std::int64_t weight : weights) sum += weight;  // at most 2^31 each, and 2^23 of them
        if (sum > INT32_MAX)
            context.diags.add(Diag::LimitExceeded, range)
                << "the sum of the weights" << std::int64_t(INT32_MAX);
        return sum;
    }

    void addSplitter(Instance& instance) {
        bool loop = instance.kind() == ir::StreamKind::FeedbackLoop;
        if (!loop && !hasItems(instance.input)) return;
        const SplitSpec& spec = *instance.split;
        graph::Node node;
        node.name = "split";
        node.range = spec.range;
        node.parent = instance.composite;
        node.inputs.assign(1, graph::kNone);
        node.kind =
            spec.duplicate ? graph::NodeKind::Duplicate : graph::NodeKind::RoundRobinSplitter;
        std::vector<std::int64_t> weights = connected(spec.weights);
        node.outputs.assign(weights.size(), graph::kNone);
        if (!spec.duplicate) {
            node.totalWeight = total(weights, spec.range);
            node.weights = std::move(weights);
        }
        instance.splitter = addNode(std::move(node));
        graph.composites[instance.composite].splitter = instance.splitter;
    }

    void addJoiner(Instance& instance) {
        bool loop = instance.kind() == ir::StreamKind::FeedbackLoop;
        if (!loop && !hasItems(instance.output)) return;
        const SplitSpec& spec = *instance.join;
        graph::Node node;
        node.name = "join";
        node.range = spec.range;
        node.parent = instance.composite;
        node.kind = graph::NodeKind::RoundRobinJoiner;
        node.weights = connected(spec.weights);
        node.totalWeight = total(node.weights, spec.range);
        node.inputs.assign(node.weights.size(), graph::kNone);
        node.outputs.assign(1, graph::kNone);
        instance.joiner = addNode(std::move(node));
        graph.composites[instance.composite].joiner = instance.joiner;
    }

    // ---- structural order

    void assignOrder() {
        std::uint32_t next = 0;
        std::vector<Visit> stack{{0, Part::Stream}};
        while (!stack.empty()) {
            Visit visit = stack.back();
            stack.pop_back();
            const Instance& instance = tree.instances[visit.id];
            graph::NodeId node = visit.part == Part::Splitter ? instance.splitter
                                 : visit.part == Part::Joiner ? instance.joiner
                                                              : instance.node;
            if (node != graph::kNone) {
                graph.nodes[node].order = next++;
            } else if (visit.part == Part::Stream) {
                std::vector<Visit> parts = partsOf(visit.id, true);
                stack.insert(stack.end(), parts.rbegin(), parts.rend());
            }
        }
    }

    // ---- edges

    /// Children stand behind their parents, so going backwards knows the ends of every child.
    void findPorts() {
        inputs.resize(tree.instances.size());
        outputs.resize(tree.instances.size());
        for (auto id = static_cast<InstanceId>(tree.instances.size()); id-- > 0;) {
            const Instance& instance = tree.instances[id];
            switch (instance.kind()) {
                case ir::StreamKind::Filter:
                    inputs[id] = {instance.node, 0, instance.input};
                    outputs[id] = {instance.node, 0, instance.output};
                    break;
                case ir::StreamKind::Pipeline:
                    inputs[id] = inputs[instance.children.front()];
                    outputs[id] = outputs[instance.children.back()];
                    break;
                case ir::StreamKind::SplitJoin:
                    inputs[id] = {instance.splitter, 0};
                    outputs[id] = {instance.joiner, 0};
                    break;
                case ir::StreamKind::FeedbackLoop:
                    inputs[id] = {instance.joiner, 0};
                    outputs[id] = {instance.splitter, 0};
                    break;
            }
            inputs[id].type = both(inputs[id].type, instance.input);
            outputs[id].type = both(outputs[id].type, instance.output);
        }
    }

    /// What two declarations of a tensor, which fit each other, say together.
    const Type* both(const Type* a, const Type* b) {
        if (!a || !b || a == b) return a ? a : b;
        if (!a->is(types::TypeKind::Tensor) || !b->is(types::TypeKind::Tensor)) return b;
        const Type* element = a->element ? a->element : b->element;
        if (!a->isRanked && !b->isRanked) return types.tensor(element);
        std::vector<std::int64_t> dims = a->isRanked ? a->dims : b->dims;
        STRC_ASSERT(!a->isRanked || !b->isRanked || a->dims.size() == b->dims.size(),
                    "declarations that do not fit each other");
        for (std::size_t k = 0; k < dims.size() && a->isRanked && b->isRanked; ++k)
            if (dims[k] == types::kDynamic) dims[k] = b->dims[k];
        return types.tensor(element, std::move(dims));
    }

    graph::EdgeId addEdge(StreamPort from, StreamPort to, const Type* type,
                          base::SourceRange range) {
        auto id = static_cast<graph::EdgeId>(graph.edges.size());
        type = both(both(from.type, to.type), type);
        graph.edges.push_back(
            {from.node, from.port, to.node, to.port, type, {}, nullptr, {}, range});
        if (from.node != graph::kNone) graph.nodes[from.node].outputs[from.port] = id;
        if (to.node != graph::kNone) graph.nodes[to.node].inputs[to.port] = id;
        return id;
    }

    void connectInside(const Instance& instance) {
        switch (instance.kind()) {
            case ir::StreamKind::Filter: break;
            case ir::StreamKind::Pipeline: connectPipeline(instance); break;
            case ir::StreamKind::SplitJoin: connectSplitJoin(instance); break;
            case ir::StreamKind::FeedbackLoop: connectLoop(instance); break;
        }
    }

    void connectPipeline(const Instance& instance) {
        for (std::size_t k = 0; k + 1 < instance.children.size(); ++k) {
            const Instance& down = tree.instances[instance.children[k + 1]];
            addEdge(outputs[instance.children[k]], inputs[instance.children[k + 1]], down.input,
                    down.range);
        }
    }

    void connectSplitJoin(const Instance& instance) {
        std::uint32_t port = 0;
        for (InstanceId childId : instance.children) {
            const Instance& child = tree.instances[childId];
            if (hasItems(child.input))
                addEdge({instance.splitter, port++}, inputs[childId], child.input, child.range);
        }
        port = 0;
        for (InstanceId childId : instance.children) {
            const Instance& child = tree.instances[childId];
            if (hasItems(child.output))
                addEdge(outputs[childId], {instance.joiner, port++}, child.output,
                        instance.join->range);
        }
    }

    void connectLoop(const Instance& instance) {
        InstanceId bodyId = instance.children[0];
        InstanceId loopId = instance.children[1];
        const Instance& body = tree.instances[bodyId];
        const Instance& loop = tree.instances[loopId];
        std::uint32_t joinPort = instance.join->weights[0] == 0 ? 0 : 1;
        std::uint32_t splitPort = instance.split->weights[0] == 0 ? 0 : 1;
        addEdge({instance.joiner, 0}, inputs[bodyId], body.input, body.range);
        addEdge(outputs[bodyId], {instance.splitter, 0}, body.output, instance.split->range);
        addEdge({instance.splitter, splitPort}, inputs[loopId], loop.input, loop.range);
        graph::EdgeId back = addEdge(outputs[loopId], {instance.joiner, joinPort}, loop.output,
                                     instance.join->range);
        for (const EnqueuedItem& item : instance.enqueued)
            graph.edges[back].initial.push_back(item.value);
    }

    void openEnds() {
        const Instance& main = tree.instances[0];
        if (hasItems(main.input)) graph.input = addEdge({}, inputs[0], main.input, main.range);
        if (hasItems(main.output)) graph.output = addEdge(outputs[0], {}, main.output, main.range);
    }

    // ---- effects

    void collectKernelEffects() {
        for (const Kernel& kernel : tree.kernels) {
            std::uint8_t effects = graph::kNoEffect;
            bool isBuiltin = kernel.builtin != ir::BuiltinStream::None;
            if (isBuiltin && types::info(kernel.builtin).role == types::BuiltinRole::Writer)
                effects = graph::kWritesFile;
            const ir::StreamCode& code = kernel.code;
            if (code.work) effects |= effectsOf(module, &code, *code.work);
            if (code.prework) effects |= effectsOf(module, &code, *code.prework);
            for (const ir::Body& function : code.functions)
                if (function.kind == ir::BodyKind::Handler)
                    effects |= effectsOf(module, &code, function);
            kernelEffects.push_back(effects);
        }
    }

    base::Context& context;
    const ir::Module& module;
    types::TypeTable& types;
    Tree& tree;
    graph::Graph graph;
    std::vector<InstanceId> naturalOrder;  ///< composites, parents first
    std::vector<StreamPort> inputs, outputs;  ///< by InstanceId
    std::vector<std::uint8_t> kernelEffects;
};

}  // namespace

graph::Graph buildGraph(base::Context& context, const ir::Module& module, types::TypeTable& types,
                        Tree& tree) {
    return GraphBuilder(context, module, types, tree).build();
}

}  // namespace strc::elab
