#include "device/detail/movable.h"

#include <algorithm>
#include <functional>

#include "base/trials.h"
#include "device/detail/windows.h"

namespace strc::device {

using graph::EdgeId;
using graph::kNone;
using graph::NodeId;
using graph::NodeKind;

bool Movable::any() const {
    return std::any_of(firings.begin(), firings.end(), [](const auto&) { return true; });
}

namespace {

constexpr std::int64_t kManyFirings = 100'000;

class Finder {
public:
    Finder(base::Passes& which, const ir::Module& module, const plan::Plan& plan,
           types::TypeTable& table)
        : passes(which), program(module), plan(plan), graph(plan.program->graph), types(table) {
        result.nodes.resize(graph.nodes.size());
        result.tapes.resize(graph.edges.size());
        result.isReadByHost.resize(graph.edges.size());
    }

    Movable run() {
        for (NodeId id = 0; id < graph.nodes.size(); ++id) result.nodes[id] = isFilterFor(id);
        if (!result.any() && base::isTried("device-streams"))
            for (NodeId id = 0; id < graph.nodes.size(); ++id)
                result.nodes[id] = isOfManyFirings(id);
        for (NodeId id = 0; id < graph.nodes.size(); ++id)
            if (movesTensors(id)) result.nodes[id] = true;
        noteTapes();
        return std::move(result);
    }

private:
    bool isGone(NodeId id) const { return !plan.gone.empty() && plan.gone[id]; }
    bool allTensors(const std::vector<EdgeId>& edges) const {
        return std::all_of(edges.begin(), edges.end(),
                           [&](EdgeId edge) { return !graph.edges[edge].tensors.empty(); });
    }
    /// Its items may be tensors that lie on a tape of scalars (opt/detail/remove_reinterpret_casts.h).
    bool areTensors(const std::vector<EdgeId>& edges, const types::Type* item) const {
        if (edges.empty()) return false;
        return allTensors(edges) || (item->isAggregate() && graph.edges[edges[0]].type->isScalar());
    }

    /// The device's places are multiples of one size, which is that of the largest item. `item`: of the filter, or null.
    bool areOfOtherSizes(const std::vector<EdgeId>& edges, const types::Type* item) const {
        return std::any_of(edges.begin(), edges.end(), [&](EdgeId id) {
            const graph::Edge& edge = graph.edges[id];
            const bool areAlike = std::adjacent_find(edge.tensors.begin(), edge.tensors.end(),
                                                     std::not_equal_to<>()) == edge.tensors.end();
            if (areAlike) return false;
            return !edge.type->is(types::TypeKind::Array) ||
                   types::sizeOf(edge.type) != plan.channels[id].itemSize ||
                   (item && item != edge.type);
        });
    }

    /// Filters of tensors alone that cannot move are worth a word; others are where the tensor part ends.
    bool isFilterFor(NodeId id) {
        const graph::Node& node = graph.nodes[id];
        if (node.kind != NodeKind::Filter || isGone(id)) return false;
        const elab::Kernel& kernel = plan.program->kernels[node.kernel];
        if (kernel.builtin != ir::BuiltinStream::None) return false;
        const bool takesTensors = areTensors(node.inputs, kernel.input),
                   givesTensors = areTensors(node.outputs, kernel.output);
        if (!takesTensors && !givesTensors) return false;
        std::string why;
        if (plan.mailboxOf(id) != kNone)
            why = "it sends or receives messages";
        else if (areOfOtherSizes(node.inputs, kernel.input) ||
                 areOfOtherSizes(node.outputs, kernel.output))
            why = "its tensors are of different types in turn";
        else if (!result.firings.contains(node.kernel)) {
            if (auto made = split(passes, program, kernel, types))
                result.firings.emplace(node.kernel, std::move(*made));
            else
                why = made.error();
        }
        if (!why.empty() && takesTensors && givesTensors) result.stays.push_back({id, why});
        return why.empty();
    }

    /// Filters of single numbers, in programs without tensors: so many firings at once that each can be a thread.
    bool isOfManyFirings(NodeId id) {
        const graph::Node& node = graph.nodes[id];
        if (node.kind != NodeKind::Filter || isGone(id)) return false;
        const elab::Kernel& kernel = plan.program->kernels[node.kernel];
        const bool isCandidate = kernel.builtin == ir::BuiltinStream::None && isOfNumbers(kernel) &&
                                 plan.inputsOf(id).size() == 1 && plan.outputsOf(id).size() == 1 &&
                                 plan.mailboxOf(id) == kNone;
        if (!isCandidate || firingsOf(id, plan.scaled.steps) < kManyFirings) return false;
        if (result.firings.contains(node.kernel)) return true;
        auto made = splitNumbers(passes, program, kernel, types);
        if (made)
            result.firings.emplace(node.kernel, std::move(*made));
        else
            result.stays.push_back({id, made.error()});
        return bool(made);
    }

    static std::int64_t firingsOf(NodeId id, const std::vector<plan::Step>& steps) {
        std::int64_t count = 0;
        for (const plan::Step& step : steps) {
            if (step.kind == plan::StepKind::Fire && step.node == id)
                count = std::max(count, step.count);
            if (step.kind == plan::StepKind::Loop)
                count = std::max(count, firingsOf(id, step.body));
        }
        return count;
    }

    /// Splitters, joiners and identities of tensors copy wherever their tensors are.
    bool movesTensors(NodeId id) const {
        const graph::Node& node = graph.nodes[id];
        const bool isFilter = node.kind == NodeKind::Filter;
        if (isGone(id)) return false;
        if (isFilter) {
            const types::BuiltinStream builtin = plan.program->kernels[node.kernel].builtin;
            if (builtin == types::BuiltinStream::None ||
                types::info(builtin).role != types::BuiltinRole::Identity)
                return false;
        }
        return !node.inputs.empty() && !node.outputs.empty() && allTensors(node.inputs) &&
               allTensors(node.outputs) && !areOfOtherSizes(node.inputs, nullptr) &&
               !areOfOtherSizes(node.outputs, nullptr) && !result.firings.empty();
    }

    void noteTapes() {
        auto tapeOf = [&](EdgeId id) { return plan.channels[id].tape; };
        for (NodeId id = 0; id < graph.nodes.size(); ++id) {
            if (isGone(id)) continue;
            for (EdgeId edge : plan.outputsOf(id))
                if (result.nodes[id]) result.tapes[tapeOf(edge)] = true;
            for (EdgeId edge : plan.inputsOf(id))
                if (!result.nodes[id]) result.isReadByHost[tapeOf(edge)] = true;
        }
        if (graph.output != kNone) result.isReadByHost[tapeOf(graph.output)] = true;
    }

    base::Passes& passes;
    const ir::Module& program;
    const plan::Plan& plan;
    const graph::Graph& graph;
    types::TypeTable& types;
    Movable result;
};

}  // namespace

Movable findMovable(base::Passes& passes, const ir::Module& program, const plan::Plan& plan,
                    types::TypeTable& types) {
    return Finder(passes, program, plan, types).run();
}

}  // namespace strc::device
