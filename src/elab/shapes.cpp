// Shapes of tensors: the last step of elaboration for programs that have any.

#include "elab/detail/shapes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/quiet.h"
#include "elab/detail/cyclo_static.h"
#include "elab/detail/tree.h"
#include "io/tensors.h"

namespace strc::elab {
namespace {

using base::Diag;
using graph::EdgeId;
using graph::NodeId;
using graph::NodeKind;
using tensor::Sequence;
using types::TypeKind;

/// More types than that do not follow each other on one channel.
constexpr std::size_t kLongestSequence = 1 << 16;

class Inference {
public:
    Inference(base::Context& context, const ir::Module& module, types::TypeTable& types,
              const Entry& entry, Elaboration& program)
        : context(context),
          module(module),
          natives(module.natives),
          types(types),
          entry(entry),
          program(program),
          graph(program.graph),
          faults(context, program.graph),
          cycle(program) {}

    bool run() {
        if (!hasTensors()) return true;
        if (context.diags.hasErrors()) return false;  // a body that is damaged pushes anything
        infer();
        if (!openItems.empty()) arriving[graph.input] = std::move(openItems);
        if (!faults.areAny()) layOutTensors(context, module, types, arriving, program, faults);
        if (!faults.areAny() && program.dynamicShape) faults.warn(*program.dynamicShape);
        return !faults.areAny();
    }

private:
    bool hasTensors() const {
        return std::any_of(graph.edges.begin(), graph.edges.end(),
                           [](const graph::Edge& edge) { return isTensor(edge.type); }) ||
               std::any_of(program.kernels.begin(), program.kernels.end(),
                           [](const Kernel& kernel) { return usesTensors(kernel); });
    }

    void infer() {
        isOfRun.resize(graph.edges.size());
        known.resize(graph.edges.size());
        do {
            startsAgain = false;
            arriving.assign(graph.edges.size(), {});
            isWrong.assign(graph.edges.size(), false);
            isPrimed.clear();
            seedInput();
            seedLoops();
            visitAll();
        } while (startsAgain && !faults.areAny());
        if (program.dynamicShape) cycle.undo();
    }

    // ---- where shapes come from

    void seedInput() {
        if (graph.input == graph::kNone || !isTensor(graph.edges[graph.input].type)) return;
        Sequence items = arrivingItems(graph.edges[graph.input], entry, types, faults);
        isOfFiles = isOfFiles || items.size() > 1;
        if (!std::all_of(items.begin(), items.end(), types::isConcrete)) {
            if (sample == 0) return leaveInput(std::move(items));
            for (const Type*& item : items) item = sampleOf(item);
        }
        arriving[graph.input] = std::move(items);
    }

    /// Each item brings its own extents.
    void leaveInput(Sequence items) {
        isOfRun[graph.input] = true;
        if (!program.dynamicShape)
            program.dynamicShape =
                DynamicShape{graph.edges[graph.input].to,
                             "the program's input",
                             "'--input' leaves extents open: " + io::allOf(items),
                             {},
                             {}};
        if (openItems.empty()) findKnown();
        openItems = std::move(items);
    }

    const Type* sampleOf(const Type* open) {
        std::vector<std::int64_t> dims = open->dims;
        std::int64_t next = sample;
        for (std::int64_t& extent : dims)
            if (extent == types::kDynamic) extent = next++;
        return types.tensor(open->element, std::move(dims));
    }

    /// Whatever is the same for two samples of the open extents is taken for known, and checked as the run goes on: a picture
    /// that is resized, say. Small samples come first, as batches are small; pictures may have to be larger than windows.
    void findKnown() {
        constexpr std::pair<int, int> kSamples[] = {{2, 5}, {64, 97}, {230, 307}};
        for (const auto& [one, other] : kSamples) {
            const std::vector<Sequence> first = itemsIf(one);
            const std::vector<Sequence> second = first.empty() ? first : itemsIf(other);
            for (EdgeId id = 0; id < second.size(); ++id)
                if (first[id] == second[id]) known[id] = first[id];
            if (!second.empty()) return;
        }
    }

    /// By edge, if the open extents are such ones; nothing: there is a fault then.
    std::vector<Sequence> itemsIf(std::int64_t extent) {
        Elaboration copy = program;
        copy.dynamicShape.reset();
        const base::Quiet quiet(context.diags);
        Inference trial(context, module, types, entry, copy);
        trial.sample = extent;
        trial.infer();
        return trial.faults.areAny() ? std::vector<Sequence>() : std::move(trial.arriving);
    }

    /// What is enqueued says what comes along the back edge.
    void seedLoops() {
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            graph::Edge& edge = graph.edges[id];
            if (!isTensor(edge.type) || edge.initial.empty() || isOfRun[id]) continue;
            Sequence items;
            for (const Value& value : edge.initial) items.push_back(value.type);
            arriving[id] = shortest(std::move(items));
        }
    }

    // ---- from sources to sinks

    bool isReady(const graph::Node& node) const {
        return std::all_of(node.inputs.begin(), node.inputs.end(), [&](EdgeId id) {
            return !isTensor(graph.edges[id].type) || !arriving[id].empty() || isOfRun[id] ||
                   isWrong[id];
        });
    }

    void visitAll() {
        std::vector<NodeId> pending(graph.nodes.size());
        std::iota(pending.begin(), pending.end(), 0u);
        while (!pending.empty()) {
            std::vector<NodeId> waiting;
            for (NodeId id : pending) {
                if (startsAgain && !faults.areAny()) return;
                if (isReady(graph.nodes[id]))
                    visitOrLeave(id);
                else
                    waiting.push_back(id);
            }
            if (waiting.size() == pending.size() && !primeOne(waiting)) {
                if (!faults.areAny()) reportStuck(waiting.front());
                return;
            }
            pending = std::move(waiting);
        }
    }

    /// A filter in a loop may say what comes round by its first firing: all it pushes has to be like that.
    bool primeOne(const std::vector<NodeId>& waiting) {
        return std::any_of(waiting.begin(), waiting.end(), [&](NodeId id) { return prime(id); });
    }

    bool prime(NodeId id) {
        const graph::Node& node = graph.nodes[id];
        if (node.kind != NodeKind::Filter || node.outputs.empty() || !node.prework) return false;
        Sequence& items = arriving[node.outputs[0]];
        Kernel& kernel = program.kernels[node.kernel];
        const bool givesFirst = node.prework->peek.max == 0 && node.prework->pop.max == 0;
        if (!givesFirst || !items.empty() || isOfRun[node.outputs[0]] ||
            !isTensor(graph.edges[node.outputs[0]].type))
            return false;
        items = tensor::inferPrework(kernel.code,
                                     {kernel.constants,
                                      {},
                                      {kernel.tensors, kernel.storedTensors, {}},
                                      false,
                                      nullptr,
                                      natives},
                                     types);
        if (items.size() != 1) items.clear();
        if (!items.empty()) isPrimed.insert(node.outputs[0]);
        return !items.empty();
    }

    void reportStuck(NodeId id) {
        faults.add(Diag::TensorUnknown, graph.nodes[id].range, id)
            << "the shape of what '" + graph.nodes[id].name + "' gets";
    }

    /// Of what follows from a fault nothing is said; what is wrong elsewhere is told as well.
    void visitOrLeave(NodeId id) {
        const graph::Node& node = graph.nodes[id];
        const std::size_t before = faults.count();
        if (std::none_of(node.inputs.begin(), node.inputs.end(),
                         [&](EdgeId input) { return isWrong[input]; }))
            visit(id);
        else
            for (EdgeId output : node.outputs) isWrong[output] = true;
        if (faults.count() == before) return;
        for (EdgeId output : node.outputs) isWrong[output] = true;
    }

    void visit(NodeId id) {
        const graph::Node& node = graph.nodes[id];
        if (std::any_of(node.inputs.begin(), node.inputs.end(),
                        [&](EdgeId input) { return isOfRun[input]; }))
            return leaveOutputs(node);
        switch (node.kind) {
            case NodeKind::Filter: return visitFilter(id);
            case NodeKind::Duplicate:
                for (EdgeId output : node.outputs) deliver(output, arriving[node.inputs[0]]);
                return;
            case NodeKind::RoundRobinSplitter: return visitSplitter(id);
            case NodeKind::RoundRobinJoiner: return visitJoiner(id);
        }
    }

    /// Only the run can tell what the node makes of what arrives: the program is symbolic.
    void leaveToRun(NodeId id, std::string operation, std::string why, base::SourceRange range) {
        if (!program.dynamicShape)
            program.dynamicShape =
                DynamicShape{id, std::move(operation), std::move(why), range, {}};
        leaveOutputs(graph.nodes[id]);
    }

    /// What a declaration says in full is known nevertheless. What an iteration finds out about a back edge, whose items
    /// seemed to be known, counts from the next one on.
    void leaveOutputs(const graph::Node& node) {
        for (EdgeId id : node.outputs) {
            const graph::Edge& edge = graph.edges[id];
            if (!isTensor(edge.type)) continue;
            const bool isFilter = node.kind == NodeKind::Filter;
            const Type* declared = isFilter ? program.kernels[node.kernel].output : nullptr;
            if (declared && isConcrete(declared)) {
                deliver(id, {declared});
                continue;
            }
            if (!known[id].empty()) {
                deliver(id, known[id]);
                continue;
            }
            startsAgain = startsAgain || (!arriving[id].empty() && !isOfRun[id]);
            isOfRun[id] = true;
        }
    }

    /// What a node puts on an edge; on a back edge it has to be what is there already.
    void deliver(EdgeId id, Sequence items) {
        const graph::Edge& edge = graph.edges[id];
        if (!isTensor(edge.type)) return;
        items = shortest(std::move(items));
        const bool isPromised = !edge.initial.empty() || isPrimed.contains(id);
        if (isPromised && !arriving[id].empty() && arriving[id] != items)
            faults.add(Diag::TensorShape, edge.range, edge.from)
                << "the feedback loop"
                << io::allOf(arriving[id]) +
                       (edge.initial.empty() ? " was pushed first and " : " was enqueued and ") +
                       io::allOf(items) + " comes back";
        arriving[id] = std::move(items);
    }

    void visitSplitter(NodeId id) {
        const graph::Node& node = graph.nodes[id];
        const Sequence& items = arriving[node.inputs[0]];
        if (items.empty()) return;
        const auto phase = static_cast<std::size_t>(node.totalWeight);
        const std::size_t length = std::lcm(items.size(), phase);
        if (length > kLongestSequence) return reportLong(id);
        std::vector<Sequence> parts(node.outputs.size());
        for (std::size_t at = 0; at < length;)
            for (std::size_t port = 0; port < parts.size(); ++port)
                for (std::int64_t k = 0; k < node.weights[port]; ++k)
                    parts[port].push_back(items[at++ % items.size()]);
        for (std::size_t port = 0; port < parts.size(); ++port)
            deliver(node.outputs[port], std::move(parts[port]));
    }

    void visitJoiner(NodeId id) {
        const graph::Node& node = graph.nodes[id];
        if (!isTensor(graph.edges[node.outputs[0]].type)) return;
        std::size_t cycle = 1;
        for (std::size_t port = 0; port < node.inputs.size(); ++port) {
            const std::size_t period = arriving[node.inputs[port]].size();
            const auto weight = static_cast<std::size_t>(node.weights[port]);
            cycle = std::lcm(cycle, period / std::gcd(period, weight));
            if (cycle > kLongestSequence) return reportLong(id);
        }
        Sequence items;
        std::vector<std::size_t> taken(node.inputs.size());
        for (std::size_t phase = 0; phase < cycle; ++phase)
            for (std::size_t port = 0; port < node.inputs.size(); ++port) {
                const Sequence& from = arriving[node.inputs[port]];
                for (std::int64_t k = 0; k < node.weights[port]; ++k)
                    items.push_back(from[taken[port]++ % from.size()]);
                if (items.size() > kLongestSequence) return reportLong(id);
            }
        deliver(node.outputs[0], std::move(items));
    }

    void reportLong(NodeId id) {
        faults.add(Diag::LimitExceeded, graph.nodes[id].range, id)
            << "the number of items of different shapes that follow each other"
            << static_cast<std::int64_t>(kLongestSequence);
    }

    // ---- filters

    void visitFilter(NodeId id) {
        graph::Node& node = graph.nodes[id];
        if (!usesTensors(program.kernels[node.kernel])) return;
        const Sequence& items = itemsFor(node);
        if (!fitsDeclared(id, items)) return;
        if (!isPeriodic(node, program.kernels[node.kernel], items) &&
            (isOfFiles || !cycle.join(id, items.size())))
            return leaveToRun(id, "'" + node.name + "'",
                              "the items that arrive, " + io::allOf(items) +
                                  ", take turns and are not the same ones in each firing "
                                  "('separator' leaves some of them out)",
                              {});
        std::pair key{node.kernel, items};
        auto found = pushed.find(key);
        if (found == pushed.end() || !node.file.empty()) {
            std::optional<Sequence> output = infer(id, items);
            if (!output) return;
            found = pushed.insert_or_assign(std::move(key), std::move(*output)).first;
        }
        if (node.outputs.empty()) return;
        if (found->second.empty() && isTensor(graph.edges[node.outputs[0]].type)) {
            faults.add(Diag::TensorUnknown, node.range, id)
                << "the shape of what '" + node.name + "' pushes, which is nothing,";
            return;
        }
        deliver(node.outputs[0], found->second);
    }

    const Sequence& itemsFor(const graph::Node& node) const {
        static const Sequence none;
        return node.inputs.empty() ? none : arriving[node.inputs[0]];
    }

    bool fitsDeclared(NodeId id, const Sequence& items) {
        const graph::Node& node = graph.nodes[id];
        const Type* declared = program.kernels[node.kernel].input;
        for (const Type* item : items) {
            if (types::compatible(item, declared)) continue;
            faults.add(Diag::TensorShape, node.range, id)
                << "'" + node.name + "'"
                << types::toString(item) + " arrives where " + types::toString(declared) +
                       " is declared";
            return false;
        }
        return true;
    }

    std::optional<Sequence> infer(NodeId id, const Sequence& items) {
        Kernel& kernel = program.kernels[graph.nodes[id].kernel];
        if (kernel.builtin != ir::BuiltinStream::None) return inferBuiltin(id, kernel, items);
        Sequence output;
        std::optional<tensor::Fault> fault =
            tensor::inferWork(kernel.code,
                              {kernel.constants,
                               items,
                               {kernel.tensors, kernel.storedTensors, {}, kernel.declaredTensors},
                               false,
                               nullptr,
                               natives},
                              output, types);
        if (fault) {
            if (fault->isOfRun)
                leaveToRun(id, fault->subject, fault->why, fault->range);
            else
                faults.add(id, *fault, items);
            return std::nullopt;
        }
        if (!fitsOutput(id, kernel.output, output)) return std::nullopt;
        return output;
    }

    std::optional<Sequence> inferBuiltin(NodeId id, const Kernel& kernel, const Sequence& items) {
        if (isTensor(kernel.input)) return items;
        std::optional<Sequence> read = itemsOfReader(graph, id, kernel, types, faults);
        isOfFiles = isOfFiles || (read && read->size() > 1);
        return read;
    }

    bool fitsOutput(NodeId id, const Type* declared, const Sequence& output) {
        for (const Type* item : output) {
            if (types::compatible(item, declared)) continue;
            faults.add(Diag::TensorShape, graph.nodes[id].range, id)
                << "'" + graph.nodes[id].name + "'"
                << types::toString(item) + " is pushed where " + types::toString(declared) +
                       " is declared";
            return false;
        }
        return true;
    }

    base::Context& context;
    const ir::Module& module;
    std::span<const ir::Native> natives;
    types::TypeTable& types;
    const Entry& entry;
    Elaboration& program;
    graph::Graph& graph;
    ShapeFaults faults;
    std::vector<Sequence> arriving;  ///< by edge; empty: not known yet, or no tensors
    std::vector<bool> isOfRun;  ///< by edge: only the run will know
    std::vector<Sequence>
        known;  ///< by edge: what comes there whatever the open extents of the input are
    std::int64_t sample = 0;  ///< the first of these extents; 0: they are open
    Sequence openItems;  ///< of the input, if they are
    std::vector<bool> isWrong;  ///< by edge: what comes before it has a fault
    bool startsAgain = false;
    /// A file has types in turn, of which an iteration of the steady state need not take all.
    bool isOfFiles = false;
    CycloStatic cycle;
    std::set<EdgeId> isPrimed;  ///< those where `arriving` is what a prework pushes
    std::map<std::pair<graph::KernelId, Sequence>, Sequence>
        pushed;  ///< what a kernel makes of items
};

}  // namespace

bool usesTensors(const Kernel& kernel) {
    return kernel.builtin == ir::BuiltinStream::None
               ? tensor::usesTensors(kernel.code)
               : isTensor(kernel.input) || isTensor(kernel.output);
}

Sequence shortest(Sequence items) {
    for (std::size_t period = 1; period < items.size(); ++period) {
        if (items.size() % period != 0) continue;
        bool repeats = true;
        for (std::size_t k = period; k < items.size() && repeats; ++k)
            repeats = items[k] == items[k - period];
        if (repeats) {
            items.resize(period);
            break;
        }
    }
    return items;
}

bool inferShapes(base::Context& context, const ir::Module& module, types::TypeTable& types,
                 const Entry& entry, Elaboration& program) {
    return Inference(context, module, types, entry, program).run();
}

}  // namespace strc::elab
