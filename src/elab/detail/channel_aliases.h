#pragma once
/// Which channels forward their items to each other as they lie in memory. Private to elab.

#include <numeric>
#include <vector>

#include "elab/elaborate.h"

namespace strc::elab {

/// Channels around splitters, joiners and Identity, which forward items as they lie in memory: all have items of one type.
class ChannelAliases {
public:
    explicit ChannelAliases(const Elaboration& program) : first(program.graph.edges.size()) {
        std::iota(first.begin(), first.end(), graph::EdgeId{0});
        for (const graph::Node& node : program.graph.nodes) {
            const bool aliases =
                node.kind != graph::NodeKind::Filter ||
                program.kernels[node.kernel].builtin == ir::BuiltinStream::Identity;
            if (!aliases) continue;
            for (graph::EdgeId edge : node.inputs) join(edge, node.outputs[0]);
            for (graph::EdgeId edge : node.outputs) join(edge, node.outputs[0]);
        }
    }

    /// One of the channels, for all of them.
    graph::EdgeId of(graph::EdgeId id) {
        while (first[id] != id) id = first[id] = first[first[id]];
        return id;
    }

private:
    void join(graph::EdgeId a, graph::EdgeId b) { first[of(a)] = of(b); }

    std::vector<graph::EdgeId> first;  ///< by edge: another one of the group, or itself
};

}  // namespace strc::elab
