#include "graph/effects.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace strc::graph {

bool hasVisibleOrder(const Graph& graph) {
    const bool sends = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                                   [](const Node& node) { return (node.effects & kSends) != 0; });
    return sends || hasVisibleOrderBesidesMessages(graph);
}

bool hasVisibleOrderBesidesMessages(const Graph& graph) {
    std::map<std::uint8_t, int> nodesWith;
    std::set<std::string> files;
    for (const Node& node : graph.nodes) {
        if (node.effects & kNative) return true;
        for (std::uint8_t effect : {kPrints, kRandom}) {
            if ((node.effects & effect) && ++nodesWith[effect] > 1) return true;
        }
        if ((node.effects & kWritesFile) && !files.insert(node.file).second) return true;
    }
    return false;
}

}  // namespace strc::graph
