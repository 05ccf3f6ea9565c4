#include "opt/detail/remove_reinterpret_casts.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/pass.h"
#include "elab/replace.h"
#include "opt/detail/copies_window.h"

namespace strc::opt {
namespace {

using elab::Elaboration;
using graph::EdgeId;
using graph::Node;
using graph::NodeId;
using graph::NodeKind;
using types::Type;

bool passesOn(const Elaboration& program, NodeId id) {
    return program.graph.nodes[id].kind == NodeKind::Duplicate || elab::isIdentity(program, id);
}

bool hasCode(const Elaboration& program, const Node& node) {
    return node.kind == NodeKind::Filter && node.kernel != graph::kNone &&
           program.kernels[node.kernel].code.work.has_value();
}

bool areScalars(const graph::Edge& edge) { return edge.type->isScalar() && edge.tensors.empty(); }

/// Arrays of one shape.
bool areTensors(const graph::Edge& edge) {
    return edge.type->is(types::TypeKind::Array) && edge.tensors.size() == 1;
}

/// The tapes of a filter between scalars and tensors.
struct CastEdges {
    EdgeId scalars = graph::kNone, tensors = graph::kNone;
};

std::optional<CastEdges> castEdgesOf(const graph::Graph& graph, const Node& node) {
    if (node.kind != NodeKind::Filter || node.inputs.size() != 1 || node.outputs.size() != 1 ||
        node.effects != graph::kNoEffect)
        return std::nullopt;
    CastEdges castEdges{node.inputs[0], node.outputs[0]};
    if (areTensors(graph.edges[castEdges.scalars])) std::swap(castEdges.scalars, castEdges.tensors);
    const graph::Edge &scalars = graph.edges[castEdges.scalars],
                      &tensors = graph.edges[castEdges.tensors];
    if (!areScalars(scalars) || !areTensors(tensors) || !scalars.initial.empty())
        return std::nullopt;
    return castEdges;
}

/// Edges that hold the same items, as far as splitters that duplicate and identities go.
struct Tape {
    std::vector<EdgeId> edges;
    std::vector<NodeId> between;
    bool endsInCode = true;  ///< in both directions
};

class Walk {
public:
    explicit Walk(const Elaboration& whole) : program(whole) {}

    Tape from(EdgeId edge) {
        add(edge);
        for (std::size_t k = 0; k < tape.edges.size(); ++k) {
            const graph::Edge& at = program.graph.edges[tape.edges[k]];
            if (!at.initial.empty()) tape.endsInCode = false;
            for (NodeId node : {at.from, at.to}) cross(node);
        }
        return std::move(tape);
    }

private:
    void cross(NodeId id) {
        if (id == graph::kNone || !passesOn(program, id)) {
            if (id == graph::kNone || !hasCode(program, program.graph.nodes[id]))
                tape.endsInCode = false;
            return;
        }
        if (!between.insert(id).second) return;
        tape.between.push_back(id);
        const Node& node = program.graph.nodes[id];
        for (const auto* edges : {&node.inputs, &node.outputs})
            for (EdgeId edge : *edges) add(edge);
    }

    void add(EdgeId edge) {
        if (edges.insert(edge).second) tape.edges.push_back(edge);
    }

    const Elaboration& program;
    Tape tape;
    std::set<EdgeId> edges;
    std::set<NodeId> between;
};

class Removal {
public:
    explicit Removal(const pass::Program& from)
        : before(from), made(*from.elaboration), repetitions(from.repetitions) {}

    void remove(NodeId id) {
        // None: another one at its tape of tensors has gone before.
        if (const std::optional<CastEdges> castEdges = castEdgesOf(made.graph, node(id)))
            count(castEdges->tensors);
        const EdgeId input = node(id).inputs[0];
        become(id, made.graph.edges[input].type, node(id).work.pop.max);
    }

    pass::Program take() { return pass::with(before, std::move(made), std::move(repetitions)); }

private:
    Node& node(NodeId id) { return made.graph.nodes[id]; }

    /// Scalars from now on.
    void count(EdgeId tensors) {
        const Type* array = made.graph.edges[tensors].type;
        const Type* scalar = types::innermost(array);
        const std::int64_t scalars = types::sizeOf(array) / types::sizeOf(scalar);
        const Tape tape = Walk(made).from(tensors);
        for (EdgeId id : tape.edges) {
            graph::Edge& edge = made.graph.edges[id];
            edge.type = scalar;
            edge.tensors.clear();
            if (!isBetween(tape, edge.from)) scale(edge.from, &graph::Rates::push, scalars);
            if (isBetween(tape, edge.to)) continue;
            scale(edge.to, &graph::Rates::pop, scalars);
            scale(edge.to, &graph::Rates::peek, scalars);
        }
        for (NodeId id : tape.between) {
            if (node(id).kind == NodeKind::Filter) {
                become(id, scalar, scalars);
            } else {
                repetitions.init[id] *= scalars;
                repetitions.steady[id] *= scalars;
            }
        }
    }

    static bool isBetween(const Tape& tape, NodeId id) {
        return std::find(tape.between.begin(), tape.between.end(), id) != tape.between.end();
    }

    void scale(NodeId id, graph::Rate graph::Rates::* which, std::int64_t times) {
        auto one = [&](graph::Rates& rates) {
            (rates.*which).min *= times;
            (rates.*which).max *= times;
        };
        one(node(id).work);
        if (node(id).prework) one(*node(id).prework);
    }

    /// An Identity that passes on so many at once.
    void become(NodeId id, const Type* scalar, std::int64_t scalars) {
        auto [found, isNew] = identities.try_emplace(scalar, graph::kNone);
        if (isNew) {
            found->second = static_cast<graph::KernelId>(made.kernels.size());
            elab::Kernel kernel;
            kernel.builtin = types::BuiltinStream::Identity;
            kernel.input = kernel.output = scalar;
            kernel.work = ratesOf(1);
            made.kernels.push_back(std::move(kernel));
        }
        node(id).kernel = found->second;
        node(id).work = ratesOf(scalars);
    }

    static graph::Rates ratesOf(std::int64_t items) {
        const graph::Rate rate{items, items, false, -1};
        return {rate, rate, rate};
    }

    const pass::Program& before;
    Elaboration made;
    graph::Repetitions repetitions;
    std::map<const Type*, graph::KernelId> identities;
};

/// A line.
std::string textOf(const Elaboration& program, NodeId id) {
    const CastEdges castEdges = *castEdgesOf(program.graph, program.graph.nodes[id]);
    return types::toString(program.graph.edges[castEdges.tensors].tensors[0]) + " on a tape of " +
           types::toString(program.graph.edges[castEdges.scalars].type) + "\n";
}

}  // namespace

std::vector<NodeId> removableCasts(const pass::Context& context, const Elaboration& program) {
    std::vector<NodeId> found;
    if (!context.passes().isEnabled(base::Pass::RemoveReinterpretCasts) ||
        !elab::mayReplace(program))
        return found;
    std::map<graph::KernelId, bool> copies;
    for (NodeId id = 0; id < program.graph.nodes.size(); ++id) {
        const Node& node = program.graph.nodes[id];
        const std::optional<CastEdges> castEdges = castEdgesOf(program.graph, node);
        if (!castEdges || !Walk(program).from(castEdges->tensors).endsInCode) continue;
        const elab::Kernel& kernel = program.kernels[node.kernel];
        if (kernel.stream == ir::kNone) continue;  // made by passes
        auto [known, isNew] = copies.try_emplace(node.kernel, false);
        if (isNew)
            known->second =
                copiesWindow(context.base.limits, context.module, context.types, kernel);
        if (known->second) found.push_back(id);
    }
    return found;
}

std::optional<pass::Program> removeReinterpretCasts(const pass::Context& context,
                                                    const pass::Program& program) {
    const Elaboration& elaboration = *program.elaboration;
    std::optional<Removal> removal;
    for (NodeId id : removableCasts(context, elaboration)) {
        base::PassRun run(context.passes(), base::Pass::RemoveReinterpretCasts,
                          graph::path(elaboration.graph, id));
        if (!run) continue;
        run.show([&] { return textOf(elaboration, id); });
        if (!removal) removal.emplace(program);
        removal->remove(id);
    }
    if (!removal) return std::nullopt;
    return removal->take();
}

}  // namespace strc::opt
