#include "graph/components.h"

#include <algorithm>

namespace strc::graph {
namespace {

constexpr std::uint32_t kUnseen = UINT32_MAX;

/// Tarjan's algorithm against the arrows, with an explicit stack: a component is complete when all
/// that come before it are. R. Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972.
class ComponentFinder {
public:
    ComponentFinder(std::uint32_t nodes, std::span<const Arrow> arrows)
        : found(nodes, kUnseen), low(nodes), first(nodes + 1), sources(arrows.size()) {
        result.of.assign(nodes, kUnseen);
        for (const Arrow& arrow : arrows) ++first[arrow.to + 1];
        for (std::uint32_t i = 0; i < nodes; ++i) first[i + 1] += first[i];
        std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
        for (const Arrow& arrow : arrows) sources[next[arrow.to]++] = arrow.from;
    }

    Components run() {
        for (std::uint32_t root = 0; root < found.size(); ++root) {
            if (found[root] == kUnseen) searchFrom(root);
        }
        result.start.push_back(static_cast<std::uint32_t>(result.members.size()));
        return std::move(result);
    }

private:
    struct Frame {
        std::uint32_t node;
        std::uint32_t next;  ///< into sources
    };

    void searchFrom(std::uint32_t root) {
        enter(root);
        while (!stack.empty()) {
            Frame& frame = stack.back();
            const std::uint32_t node = frame.node;
            if (frame.next == first[node + 1]) {
                stack.pop_back();
                leave(node);
                if (!stack.empty()) lower(stack.back().node, low[node]);
                continue;
            }
            const std::uint32_t source = sources[frame.next++];
            if (found[source] == kUnseen) {
                enter(source);
            } else if (result.of[source] == kUnseen) {
                lower(node, found[source]);
            }
        }
    }

    void lower(std::uint32_t node, std::uint32_t to) { low[node] = std::min(low[node], to); }

    void enter(std::uint32_t node) {
        found[node] = low[node] = time++;
        open.push_back(node);
        stack.push_back({node, first[node]});
    }

    void leave(std::uint32_t node) {
        if (low[node] != found[node]) return;
        const auto which = static_cast<std::uint32_t>(result.start.size());
        auto begin = std::find(open.rbegin(), open.rend(), node).base() - 1;
        bool loops = open.end() - begin > 1;
        for (std::uint32_t i = first[node]; i < first[node + 1]; ++i) {
            loops = loops || sources[i] == node;
        }
        result.start.push_back(static_cast<std::uint32_t>(result.members.size()));
        result.loops.push_back(loops);
        for (auto it = begin; it != open.end(); ++it) result.of[*it] = which;
        result.members.insert(result.members.end(), begin, open.end());
        open.erase(begin, open.end());
    }

    std::vector<std::uint32_t> found, low;
    std::vector<std::uint32_t> first, sources;  ///< by node: where its arrows come from
    std::vector<std::uint32_t> open;
    std::vector<Frame> stack;
    std::uint32_t time = 0;
    Components result;
};

}  // namespace

Components findComponents(std::uint32_t nodes, std::span<const Arrow> arrows) {
    return ComponentFinder(nodes, arrows).run();
}

}  // namespace strc::graph
