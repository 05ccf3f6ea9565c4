#include "plan/detail/ports.h"

#include <algorithm>

#include "types/builtin_streams.h"

namespace strc::plan {
namespace {

using graph::kNone;

/// Role of a built-in filter.
std::optional<types::BuiltinRole> roleOf(const elab::Elaboration& program,
                                         const graph::Node& node) {
    if (node.kernel == kNone) return std::nullopt;
    const types::BuiltinStream builtin = program.kernels[node.kernel].builtin;
    if (builtin == types::BuiltinStream::None) return std::nullopt;
    return types::info(builtin).role;
}

/// Would the first firing have more items of the open input stay than the others need?
bool looksFurtherAtFirst(const graph::Graph& graph) {
    if (graph.input == kNone) return false;
    const std::int64_t extra = peekRate(graph, graph.input) - popRate(graph, graph.input);
    return peekRate(graph, graph.input, true) - popRate(graph, graph.input, true) > extra;
}

}  // namespace

std::string whyNot(const elab::Elaboration& program) {
    const graph::Graph& graph = program.graph;
    if (program.compiled) return whyNot(*program.compiled);
    if (program.dynamicShape)
        return elab::whyDynamicShape(program) + ", and " + program.dynamicShape->whyWhole;
    if (!graph.isDynamic() && looksFurtherAtFirst(graph))
        return "its first firing looks further ahead in the open input than the others do";
    return "";
}

void findPorts(Plan& plan) {
    const elab::Elaboration& program = *plan.program;
    for (NodeId id = 0; id < program.graph.nodes.size(); ++id) {
        const auto role = roleOf(program, program.graph.nodes[id]);
        if (role == types::BuiltinRole::Reader) plan.inputs.push_back({id});
        if (role == types::BuiltinRole::Writer) plan.outputs.push_back({id});
    }
    if (program.graph.input != kNone) plan.inputs.push_back({});
    if (program.graph.output != kNone) plan.outputs.push_back({});
}

std::int64_t openInitReads(const graph::Graph& graph, const graph::Repetitions& repetitions) {
    const std::int64_t pop = popRate(graph, graph.input);
    const std::int64_t firings = repetitions.init[graph.edges[graph.input].to];
    std::int64_t taken = firings * pop;
    if (firings > 0) taken += popRate(graph, graph.input, true) - pop;
    taken += std::max<std::int64_t>(peekRate(graph, graph.input) - pop, 0);
    const auto there = static_cast<std::int64_t>(graph.edges[graph.input].initial.size());
    return std::max<std::int64_t>(taken - there, 0);
}

}  // namespace strc::plan
