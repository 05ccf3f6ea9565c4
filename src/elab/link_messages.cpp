// Which filter sends to which: the Send instructions of specialised code name their portals.

#include <algorithm>
#include <map>
#include <unordered_map>

#include "elab/detail/tree.h"

namespace strc::elab {
namespace {

using base::Diag;

/// What one kernel's code says about the messages to one portal.
struct Outgoing {
    std::int32_t portal = 0;
    std::optional<std::int64_t> minLatency;
    bool latencyKnown = true;
    bool bestEffort = true;
    base::SourceRange range;
};

class Linker {
public:
    Linker(base::Context& context, const Tree& tree, Elaboration& result)
        : context(context), tree(tree), result(result) {}

    void link() {
        result.portals.resize(static_cast<std::size_t>(tree.portals));
        for (const Registration& made : tree.registrations)
            result.portals[made.portal].push_back(tree.instances[made.receiver].node);
        for (const Kernel& kernel : tree.kernels) outgoing.push_back(sendsOf(kernel));
        for (InstanceId id = 0; id < tree.instances.size(); ++id) {
            const Instance& instance = tree.instances[id];
            if (!instance.isFilter()) continue;
            instanceOf[instance.node] = id;
        }
        for (InstanceId id = 0; id < tree.instances.size(); ++id)
            if (tree.instances[id].isFilter()) linkSender(id);
    }

private:
    static std::vector<Outgoing> sendsOf(const Kernel& kernel) {
        std::vector<Outgoing> found;
        auto scan = [&](const ir::Body& body) { scanBody(body, found); };
        if (kernel.code.work) scan(*kernel.code.work);
        if (kernel.code.prework) scan(*kernel.code.prework);
        for (const ir::Body& function : kernel.code.functions) scan(function);
        return found;
    }

    static void scanBody(const ir::Body& body, std::vector<Outgoing>& found) {
        if (body.sends.empty()) return;
        std::unordered_map<ir::Reg, const Value*> constants;
        for (const ir::Block& block : body.blocks)
            for (const ir::Instr& instr : block.instrs)
                if (instr.op == ir::Op::Const) constants[instr.result] = &instr.value;
        for (const ir::Block& block : body.blocks)
            for (const ir::Instr& instr : block.instrs)
                if (instr.op == ir::Op::Send) note(body, instr, constants, found);
    }

    static void note(const ir::Body& body, const ir::Instr& instr,
                     const std::unordered_map<ir::Reg, const Value*>& constants,
                     std::vector<Outgoing>& found) {
        auto portal = constants.find(instr.operands[0]);
        STRC_ASSERT(portal != constants.end(), "portal is no constant of the kernel");
        std::int32_t id = portal->second->as<std::int32_t>();
        auto known = std::find_if(found.begin(), found.end(),
                                  [&](const Outgoing& o) { return o.portal == id; });
        if (known == found.end()) {
            found.push_back({id, std::nullopt, true, true, instr.range});
            known = found.end() - 1;
        }
        const ir::Send& send = body.sends[instr.index];
        if (!send.bestEffort) known->bestEffort = false;
        std::optional<std::int64_t> latency = 0;
        if (send.hasLatency) {
            auto constant = constants.find(instr.operands[1]);
            latency = constant == constants.end() ? std::nullopt
                                                  : std::optional(constant->second->toInt());
        }
        if (!latency)
            known->latencyKnown = false;
        else
            known->minLatency = std::min(*latency, known->minLatency.value_or(*latency));
    }

    void linkSender(InstanceId sender) {
        for (const Outgoing& message : outgoing[tree.instances[sender].kernel])
            for (graph::NodeId receiver : result.portals[message.portal])
                if (receiver != tree.instances[sender].node) addLink(sender, receiver, message);
    }

    void addLink(InstanceId sender, graph::NodeId receiver, const Outgoing& message) {
        std::optional<bool> downstream = isDownstream(sender, instanceOf.at(receiver));
        graph::NodeId node = tree.instances[sender].node;
        if (!downstream) {
            context.diags.add(Diag::NoMessagePath, message.range).in(path(tree, sender))
                << graph::path(result.graph, node) << result.graph.nodes[receiver].name
                << graph::path(result.graph, receiver);
            return;
        }
        std::optional<std::int64_t> latency =
            message.latencyKnown ? message.minLatency : std::nullopt;
        for (graph::MessageLink& link : result.graph.messages) {
            if (link.sender != node || link.receiver != receiver) continue;
            link.bestEffort = link.bestEffort && message.bestEffort;
            link.minLatency = link.minLatency && latency
                                  ? std::optional(std::min(*link.minLatency, *latency))
                                  : std::nullopt;
            return;
        }
        result.graph.messages.push_back(
            {node, receiver, *downstream, latency, message.bestEffort, message.range});
    }

    /// Decided at the innermost common composite (language.md 14.4); empty: parallel branches.
    std::optional<bool> isDownstream(InstanceId sender, InstanceId receiver) const {
        InstanceId a = sender;
        InstanceId b = receiver;
        while (tree.instances[a].parent != tree.instances[b].parent) {
            InstanceId& deeper = tree.instances[a].depth >= tree.instances[b].depth ? a : b;
            deeper = tree.instances[deeper].parent;
        }
        const Instance& common = tree.instances[tree.instances[a].parent];
        if (common.kind() == ir::StreamKind::SplitJoin) return std::nullopt;
        auto position = [&](InstanceId id) {
            return std::find(common.children.begin(), common.children.end(), id);
        };
        return position(a) < position(b);
    }

    base::Context& context;
    const Tree& tree;
    Elaboration& result;
    std::vector<std::vector<Outgoing>> outgoing;  ///< by KernelId
    std::map<graph::NodeId, InstanceId> instanceOf;
};

}  // namespace

void linkMessages(base::Context& context, const Tree& tree, Elaboration& result) {
    Linker(context, tree, result).link();
}

}  // namespace strc::elab
