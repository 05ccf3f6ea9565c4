#include "pass/verify.h"

#include <set>

#include "ir/verify.h"

namespace strc::pass {
namespace {

using graph::EdgeId;
using graph::kNone;
using graph::NodeId;

class Verifier {
public:
    Verifier(const ir::Module& lowered, const Program& whole)
        : module(lowered),
          program(whole),
          elaboration(*whole.elaboration),
          graph(whole.elaboration->graph) {}

    std::vector<std::string> run() {
        const std::size_t count = graph.nodes.size();
        if (elaboration.states.size() != count || program.repetitions.steady.size() != count ||
            program.repetitions.init.size() != count) {
            faults.emplace_back("states or quotas are not those of the nodes");
            return std::move(faults);
        }
        for (NodeId id = 0; id < count; ++id) node(id);
        for (const graph::KernelId id : used) bodies(elaboration.kernels[id]);
        for (EdgeId id = 0; id < graph.edges.size(); ++id) edge(id);
        return std::move(faults);
    }

private:
    void bodies(const elab::Kernel& kernel) {
        for (const std::optional<ir::Body>* body : {&kernel.code.prework, &kernel.code.work})
            if (*body)
                for (std::string& fault : ir::verify(module, &kernel.code, **body))
                    faults.push_back(std::move(fault));
    }

    void fault(NodeId id, const char* what) {
        faults.push_back(graph::path(graph, id) + ": " + what);
    }

    void node(NodeId id) {
        const graph::Node& node = graph.nodes[id];
        if (node.kind != graph::NodeKind::Filter) return;
        if (node.kernel < elaboration.kernels.size())
            used.insert(node.kernel);
        else
            fault(id, "there is no such kernel");
        if (!elaboration.states[id]) fault(id, "there is no state");
    }

    void edge(EdgeId id) {
        const graph::Edge& edge = graph.edges[id];
        const bool isOpen = edge.from == kNone || edge.to == kNone;
        if (edge.from != kNone && !hasPort(graph.nodes[edge.from].outputs, edge.fromPort, id))
            return fault(edge.from, "an output has another edge");
        if (edge.to != kNone && !hasPort(graph.nodes[edge.to].inputs, edge.toPort, id))
            return fault(edge.to, "an input has another edge");
        if (isOpen || graph::isDynamic(graph, id)) return;
        if (program.repetitions.steady[edge.from] * graph::pushRate(graph, id) !=
            program.repetitions.steady[edge.to] * graph::popRate(graph, id))
            fault(edge.from, "a steady state gives more or fewer items than it takes");
    }

    static bool hasPort(const std::vector<EdgeId>& ports, std::size_t port, EdgeId id) {
        return port < ports.size() && ports[port] == id;
    }

    const ir::Module& module;
    const Program& program;
    const elab::Elaboration& elaboration;
    const graph::Graph& graph;
    /// Others are only looked up: the code of a kernel before its shapes were known is beside types that are.
    std::set<graph::KernelId> used;
    std::vector<std::string> faults;
};

}  // namespace

std::vector<std::string> verify(const ir::Module& module, const Program& program) {
    return Verifier(module, program).run();
}

}  // namespace strc::pass
