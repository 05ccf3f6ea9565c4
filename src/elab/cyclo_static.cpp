#include "elab/detail/cyclo_static.h"

#include <algorithm>
#include <numeric>

#include "graph/components.h"
#include "ir/inline.h"

namespace strc::elab {
namespace {

using graph::KernelId;
using graph::NodeId;

/// Bodies behind each other in one function: more would take long to compile.
constexpr std::size_t kMostFirings = 64;

graph::Rate times(graph::Rate rate, std::int64_t factor) {
    return {rate.min * factor, rate.max * factor, false, -1};
}

graph::Rates times(const graph::Rates& once, std::int64_t factor) {
    const std::int64_t ahead = once.peek.max - once.pop.max;
    graph::Rates all{times(once.pop, factor), {}, times(once.push, factor)};
    all.peek = {all.pop.max + ahead, all.pop.max + ahead, false, -1};
    return all;
}

}  // namespace

bool CycloStatic::join(NodeId id, std::size_t types) {
    if (!mayFireTogether(id)) return false;
    graph::Node& node = program.graph.nodes[id];
    const auto taken = static_cast<std::size_t>(node.work.pop.max);
    const std::size_t firings = types / std::gcd(types, taken);
    if (firings > kMostFirings) return false;
    const KernelId kernel = joined(node.kernel, firings);
    if (kernel == graph::kNone) return false;
    before.emplace(id, node.kernel);
    node.kernel = kernel;
    node.work = program.kernels[kernel].work;
    return true;
}

void CycloStatic::undo() {
    for (const auto& [id, kernel] : before) {
        graph::Node& node = program.graph.nodes[id];
        node.kernel = kernel;
        node.work = program.kernels[kernel].work;
    }
    before.clear();
}

bool CycloStatic::mayFireTogether(NodeId id) {
    const graph::Node& node = program.graph.nodes[id];
    const Kernel& kernel = program.kernels[node.kernel];
    const auto& messages = program.graph.messages;
    const bool talks = std::any_of(
        messages.begin(), messages.end(),
        [&](const graph::MessageLink& link) { return link.sender == id || link.receiver == id; });
    return kernel.builtin == ir::BuiltinStream::None && kernel.code.work && !node.prework &&
           !node.work.isDynamic() && node.work.pop.max > 0 && !talks && !isInLoop(id);
}

KernelId CycloStatic::joined(KernelId id, std::size_t firings) {
    auto [found, isNew] = made.try_emplace({id, firings}, graph::kNone);
    if (!isNew) return found->second;
    Kernel kernel = program.kernels[id];
    if (!ir::repeat(*kernel.code.work, firings)) return graph::kNone;
    kernel.work = times(kernel.work, static_cast<std::int64_t>(firings));
    kernel.firings *= firings;
    program.kernels.push_back(std::move(kernel));
    return found->second = static_cast<KernelId>(program.kernels.size() - 1);
}

bool CycloStatic::isInLoop(NodeId id) {
    if (loops.empty()) {
        std::vector<graph::Arrow> arrows;
        for (const graph::Edge& edge : program.graph.edges)
            if (edge.from != graph::kNone && edge.to != graph::kNone)
                arrows.push_back({edge.from, edge.to});
        const auto nodes = static_cast<std::uint32_t>(program.graph.nodes.size());
        const graph::Components components = graph::findComponents(nodes, arrows);
        for (std::uint32_t component : components.of) loops.push_back(components.loops[component]);
    }
    return loops[id];
}

}  // namespace strc::elab
