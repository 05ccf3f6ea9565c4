// Queues and messages of a bounded number.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "executable/library.h"
#include "graph/components.h"

namespace strc::executable {
namespace {

using base::Diag;
using graph::EdgeId;
using graph::kNone;
using graph::NodeId;

/// Of a firing that waits for its input in the middle, and of what fetches that; a body's registers, its small arrays.
constexpr std::uint64_t kLevel = 1 << 15;
/// Of the run by demand around all firings, its calls of the runtime and of libm included.
constexpr std::uint64_t kOutermost = 1 << 18;
/// Bytes of a message besides its arguments, and of an argument (strc_pending, codegen/messages.cpp), at most.
constexpr std::uint64_t kLetter = 64, kArgument = 16;

bool waitsForData(const graph::Rates& rates) { return rates.pop.dynamic || rates.peek.dynamic; }

bool waitsForData(const graph::Node& node) {
    return waitsForData(node.work) || (node.prework && waitsForData(*node.prework));
}

class BoundCheck {
public:
    explicit BoundCheck(const Program& wanted)
        : program(wanted), plan(wanted.plan), graph(wanted.plan.program->graph) {}

    bool run() {
        if (plan.demand) {
            checkLoops();
            for (EdgeId id = 0; id < graph.edges.size(); ++id)
                if (plan::isQueue(plan, id)) checkQueue(id);
        }
        if (fine) checkMemory();
        return fine;
    }

private:
    base::Diagnostic& add(Diag id, NodeId node) {
        fine = false;
        return program.context.diags.add(id, graph.nodes[node].range).in(path(graph, node));
    }

    /// A program ends whose loop waits for its own output, and a library has no end.
    void checkLoops() {
        std::vector<graph::Arrow> arrows;
        for (const graph::Edge& edge : graph.edges)
            if (edge.from != kNone && edge.to != kNone) arrows.push_back({edge.from, edge.to});
        const graph::Components parts =
            graph::findComponents(static_cast<std::uint32_t>(graph.nodes.size()), arrows);
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            const graph::Edge& edge = graph.edges[id];
            if (edge.from == kNone || edge.to == kNone || !isDynamic(graph, id)) continue;
            if (parts.of[edge.from] != parts.of[edge.to]) continue;
            const NodeId node = waitsForData(graph.nodes[edge.to]) ? edge.to : edge.from;
            if (!told.insert(node).second) continue;
            (add(Diag::LibraryEffect, node) << "have dynamic rates within a feedback loop")
                    .note(Diag::Hint)
                << "the loop may come to wait for its own output, where a program ends and a "
                   "library could only stand still";
        }
    }

    void checkQueue(EdgeId id) {
        const graph::Edge& edge = graph.edges[id];
        check(edge.to, takenAtOnce(id), "takes or looks at");
        check(edge.from, givenAtOnce(id), "gives");
        check(edge.to, static_cast<std::int64_t>(edge.initial.size()), "finds at the start");
    }

    void check(NodeId node, std::int64_t items, const char* does) {
        if (node == kNone || items <= *program.bound) return;
        add(Diag::LimitExceeded, node) << fmt::format("what it {}, {} items,", does, items)
                                       << fmt::format("{} items ('--bound')", *program.bound);
    }

    const plan::Region* regionOf(NodeId node) const {
        for (const plan::Region& region : plan.demand->regions)
            if (std::find(region.nodes.begin(), region.nodes.end(), node) != region.nodes.end())
                return &region;
        return nullptr;
    }

    std::int64_t takenAtOnce(EdgeId id) const {
        const NodeId to = graph.edges[id].to;
        if (to == kNone) return 0;
        if (const plan::Region* region = regionOf(to))
            return region->init.reads[0] + region->steady.reads[0];
        const graph::Node& node = graph.nodes[to];
        if (node.kind != graph::NodeKind::Filter) return popRate(graph, id);
        const auto of = [](const graph::Rates& rates) {
            return waitsForData(rates) ? 0 : rates.peek.max;
        };
        return std::max(of(node.work), node.prework ? of(*node.prework) : 0);
    }

    std::int64_t givenAtOnce(EdgeId id) const {
        const NodeId from = graph.edges[id].from;
        if (from == kNone) return 0;
        if (regionOf(from)) return pushRate(graph, id);
        const graph::Node& node = graph.nodes[from];
        if (node.kind != graph::NodeKind::Filter) return pushRate(graph, id);
        const auto of = [](const graph::Rates& rates) {
            return rates.isDynamic() ? 0 : rates.push.max;
        };
        return std::max(of(node.work), node.prework ? of(*node.prework) : 0);
    }

    void checkMemory() {
        const auto bound = static_cast<__int128>(*program.bound);
        __int128 bytes = 0;
        if (plan.demand)
            for (EdgeId id = 0; id < graph.edges.size(); ++id)
                if (plan::isQueue(plan, id))
                    bytes += 2 * bound * types::sizeOf(graph.edges[id].type);
        for (const plan::Mailbox& box : plan.mailboxes)
            if (box.receives) bytes += (bound + 1) * messageBytes(box.node);
        const std::uint64_t most = program.context.limits.totalBytes;
        if (bytes <= most) return;
        add(Diag::LimitExceeded, 0)
            << fmt::format("the memory for queues and messages under '--bound {}'", *program.bound)
            << std::to_string(most);
    }

    /// Of the longest one.
    std::int64_t messageBytes(NodeId receiver) const {
        const elab::Kernel& kernel = plan.program->kernels[graph.nodes[receiver].kernel];
        std::int64_t longest = 0;
        for (const ir::Body& body : kernel.code.functions) {
            if (body.kind != ir::BodyKind::Handler) continue;
            std::int64_t bytes = 0;
            for (std::uint32_t k = 0; k < body.params; ++k)
                bytes += types::sizeOf(body.locals[k].type) + std::int64_t{kArgument};
            longest = std::max(longest, bytes);
        }
        return longest + std::int64_t{kLetter};
    }

    const Program& program;
    const plan::Plan& plan;
    const graph::Graph& graph;
    std::set<NodeId> told;
    bool fine = true;
};

}  // namespace

bool checkBound(const Program& program) { return BoundCheck(program).run(); }

/// Each firing that waits in the middle is another one.
std::uint64_t firingBytes(const Program& program) {
    if (!program.plan.demand) return 0;
    std::uint64_t bytes = kOutermost + nestingBytes(program);
    for (const graph::Node& node : program.plan.program->graph.nodes)
        if (node.kernel != kNone && waitsForData(node))
            bytes += kLevel + bytesOfBodies(program, program.plan.program->kernels[node.kernel]);
    return bytes;
}

}  // namespace strc::executable
