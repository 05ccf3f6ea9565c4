#include "plan/detail/message_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "plan/detail/chunk.h"
#include "plan/detail/own_messages.h"

namespace strc::plan {
namespace {

using graph::kNone;
using sched::Loop;

bool hasRoute(const Plan& plan, const graph::MessageLink& link) {
    return std::any_of(plan.routes.begin(), plan.routes.end(), [&](const Route& route) {
        return route.sender == link.sender && route.receiver == link.receiver;
    });
}

void count(const Loop& loop, std::int64_t times, std::vector<std::int64_t>& firings) {
    times *= loop.count;
    if (loop.isLeaf()) firings[loop.node] += times;
    for (const Loop& child : loop.children) count(child, times, firings);
}

/// What `loop` does with the nodes of that component, in its order; no children: nothing.
Loop onlyOf(const Loop& loop, const graph::Components& parts, std::uint32_t part) {
    Loop made;
    made.count = loop.count;
    for (const Loop& child : loop.children) {
        Loop inner = child;
        if (!child.isLeaf()) {
            inner = onlyOf(child, parts, part);
            if (inner.children.empty()) continue;
            if (inner.children.size() == 1 && inner.children.front().isLeaf()) {
                inner.children.front().count *= inner.count;
                inner = Loop(inner.children.front());
            }
        } else if (parts.of[child.node] != part) {
            continue;
        }
        const bool isSame =
            inner.isLeaf() && !made.children.empty() && made.children.back().node == inner.node;
        if (isSame)
            made.children.back().count += inner.count;
        else
            made.children.push_back(std::move(inner));
    }
    return made;
}

}  // namespace

std::vector<Post> postsOf(const Plan& plan) {
    const std::vector<graph::MessageLink>& links = plan.program->graph.messages;
    std::map<NodeId, std::set<NodeId>> senders;  // of a receiver
    for (const graph::MessageLink& link : links) {
        senders[link.receiver].insert(link.sender);
        if (sendsToItself(*plan.program, link.receiver))
            senders[link.receiver].insert(link.receiver);
    }
    std::vector<Post> posts;
    for (const graph::MessageLink& link : links)
        if (link.downstream && link.minLatency && hasRoute(plan, link) &&
            senders[link.receiver].size() == 1)
            posts.push_back({link.sender, link.receiver});
    return posts;
}

MessageOrder messageOrder(const Plan& plan) {
    MessageOrder order;
    if (plan.mailboxes.empty()) return order;
    order.hasMail.resize(plan.program->graph.nodes.size());
    for (const Mailbox& box : plan.mailboxes) order.hasMail[box.node] = true;
    const std::vector<Post> posts = postsOf(plan);
    for (const graph::MessageLink& link : plan.program->graph.messages) {
        order.arrows.push_back({link.sender, link.receiver});
        const bool isPost = std::any_of(posts.begin(), posts.end(), [&](const Post& post) {
            return post.sender == link.sender && post.receiver == link.receiver;
        });
        if (!isPost) order.arrows.push_back({link.receiver, link.sender});
    }
    return order;
}

graph::Components componentsOf(const graph::Graph& graph, const MessageOrder& order) {
    std::vector<graph::Arrow> arrows = order.arrows;
    for (const graph::Edge& edge : graph.edges)
        if (edge.from != kNone && edge.to != kNone) arrows.push_back({edge.from, edge.to});
    return graph::findComponents(static_cast<std::uint32_t>(graph.nodes.size()), arrows);
}

Loop inStretches(const graph::Graph& graph, const MessageOrder& order, const Loop& steady) {
    const graph::Components parts = componentsOf(graph, order);
    std::vector<std::int64_t> firings(graph.nodes.size());
    count(steady, 1, firings);
    Loop made;
    made.count = steady.count;
    for (std::uint32_t part = 0; part < parts.size(); ++part) {
        if (parts[part].size() == 1) {
            const NodeId node = parts[part].front();
            Loop leaf;
            leaf.node = node;
            leaf.count = firings[node] / steady.count;
            if (leaf.count != 0) made.children.push_back(std::move(leaf));
            continue;
        }
        Loop all = onlyOf(steady, parts, part);
        for (Loop& child : all.children) made.children.push_back(std::move(child));
    }
    return made;
}

bool hasTextMessages(const elab::Elaboration& program) {
    for (const elab::Kernel& kernel : program.kernels)
        for (const ir::Body& function : kernel.code.functions) {
            if (function.kind != ir::BodyKind::Handler) continue;
            for (std::size_t k = 0; k < function.params; ++k)
                if (hasStrings(function.locals[k].type)) return true;
        }
    return false;
}

}  // namespace strc::plan
