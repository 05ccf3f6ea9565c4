#include "support/streams.h"

#include <cstdlib>
#include <utility>

namespace strc::testing {
namespace {

using graph::kNone;

struct End {
    graph::NodeId node = kNone;
    std::uint32_t port = 0;
};

struct Ends {
    End in, out;
};

class Builder {
public:
    graph::Graph build(const Stream& stream) {
        const Ends ends = add(stream, kNone, 0);
        std::uint32_t order = 0;
        for (std::size_t i = 0; i < structural.size(); ++i) {
            graph.nodes[structural[i]].order = order++;
        }
        if (stream.hasInput) graph.input = connect({}, ends.in);
        if (stream.hasOutput) graph.output = connect(ends.out, {});
        return std::move(graph);
    }

private:
    base::SourceRange place() {
        ++places;
        return {{0}, 10 * places, 10 * places + 5};
    }

    graph::NodeId addNode(graph::NodeKind kind, const std::string& name, graph::CompositeId parent,
                          std::uint32_t index) {
        graph::Node node;
        node.kind = kind;
        node.name = name;
        node.parent = parent;
        node.index = index;
        node.range = place();
        graph.nodes.push_back(std::move(node));
        return static_cast<graph::NodeId>(graph.nodes.size() - 1);
    }

    graph::EdgeId connect(End from, End to, std::size_t initial = 0) {
        const auto id = static_cast<graph::EdgeId>(graph.edges.size());
        graph::Edge edge;
        edge.from = from.node;
        edge.fromPort = from.port;
        edge.to = to.node;
        edge.toPort = to.port;
        edge.initial.resize(initial);
        edge.range = place();
        graph.edges.push_back(std::move(edge));
        auto attach = [id](std::vector<graph::EdgeId>& ports, std::uint32_t port) {
            if (ports.size() <= port) ports.resize(port + 1, kNone);
            ports[port] = id;
        };
        if (from.node != kNone) attach(graph.nodes[from.node].outputs, from.port);
        if (to.node != kNone) attach(graph.nodes[to.node].inputs, to.port);
        return id;
    }

    Ends add(const Stream& stream, graph::CompositeId parent, std::uint32_t index) {
        if (stream.kind == StreamKind::Filter) return addFilter(stream, parent, index);
        const auto id = static_cast<graph::CompositeId>(graph.composites.size());
        graph::Composite composite;
        composite.kind = stream.kind == StreamKind::Pipeline ? graph::CompositeKind::Pipeline
                         : stream.kind == StreamKind::SplitJoin
                             ? graph::CompositeKind::SplitJoin
                             : graph::CompositeKind::FeedbackLoop;
        composite.name = stream.name;
        composite.parent = parent;
        composite.index = index;
        composite.range = place();
        composite.header = place();
        graph.composites.push_back(std::move(composite));
        if (parent != kNone) graph.composites[parent].children.push_back({true, id});
        switch (stream.kind) {
            case StreamKind::Pipeline: return addPipeline(stream, id);
            case StreamKind::SplitJoin: return addSplitJoin(stream, id);
            default: return addLoop(stream, id);
        }
    }

    Ends addFilter(const Stream& stream, graph::CompositeId parent, std::uint32_t index) {
        const graph::NodeId id = addNode(graph::NodeKind::Filter, stream.name, parent, index);
        graph.nodes[id].work = stream.work;
        graph.nodes[id].prework = stream.prework;
        graph.nodes[id].effects = stream.effects;
        structural.push_back(id);
        if (parent != kNone) graph.composites[parent].children.push_back({false, id});
        return {{id, 0}, {id, 0}};
    }

    Ends addPipeline(const Stream& stream, graph::CompositeId id) {
        Ends all;
        for (std::uint32_t i = 0; i < stream.children.size(); ++i) {
            const Ends ends = add(stream.children[i], id, i);
            if (i == 0) {
                all.in = ends.in;
            } else {
                connect(all.out, ends.in);
            }
            all.out = ends.out;
        }
        return all;
    }

    void setWeights(graph::NodeId id, const std::vector<std::int64_t>& weights) {
        graph.nodes[id].weights = weights;
        for (std::int64_t weight : weights) graph.nodes[id].totalWeight += weight;
    }

    graph::NodeId addSplitter(const Stream& stream, graph::CompositeId id) {
        const auto kind =
            stream.duplicate ? graph::NodeKind::Duplicate : graph::NodeKind::RoundRobinSplitter;
        const graph::NodeId node = addNode(kind, "split", id, 0);
        if (!stream.duplicate) setWeights(node, stream.split);
        graph.composites[id].splitter = node;
        return node;
    }

    graph::NodeId addJoiner(const Stream& stream, graph::CompositeId id) {
        const graph::NodeId node = addNode(graph::NodeKind::RoundRobinJoiner, "join", id, 0);
        setWeights(node, stream.join);
        graph.composites[id].joiner = node;
        return node;
    }

    Ends addSplitJoin(const Stream& stream, graph::CompositeId id) {
        Ends all;
        if (stream.hasInput) {
            all.in = {addSplitter(stream, id), 0};
            structural.push_back(all.in.node);
        }
        std::vector<Ends> ends(stream.children.size());
        const std::size_t start = structural.size();
        for (std::uint32_t i = 0; i < stream.children.size(); ++i) {
            // The structural order takes the children from last to first.
            std::vector<graph::NodeId> before(
                structural.begin() + static_cast<std::ptrdiff_t>(start), structural.end());
            structural.resize(start);
            ends[i] = add(stream.children[i], id, i);
            structural.insert(structural.end(), before.begin(), before.end());
        }
        if (stream.hasOutput) {
            all.out = {addJoiner(stream, id), 0};
            structural.push_back(all.out.node);
        }
        std::uint32_t port = 0;
        for (std::size_t i = 0; i < ends.size(); ++i) {
            if (stream.children[i].hasInput) connect({all.in.node, port++}, ends[i].in);
        }
        port = 0;
        for (std::size_t i = 0; i < ends.size(); ++i) {
            if (stream.children[i].hasOutput) connect(ends[i].out, {all.out.node, port++});
        }
        return all;
    }

    Ends addLoop(const Stream& stream, graph::CompositeId id) {
        const graph::NodeId joiner = addJoiner(stream, id);
        structural.push_back(joiner);
        const Ends body = add(stream.children[0], id, 0);
        const graph::NodeId splitter = addSplitter(stream, id);
        structural.push_back(splitter);
        const Ends loop = add(stream.children[1], id, 1);
        connect({joiner, 0}, body.in);
        connect(body.out, {splitter, 0});
        connect({splitter, stream.hasOutput ? 1u : 0u}, loop.in);
        connect(loop.out, {joiner, stream.hasInput ? 1u : 0u}, stream.enqueued);
        return {{joiner, 0}, {splitter, 0}};
    }

    graph::Graph graph;
    std::vector<graph::NodeId> structural;
    std::uint32_t places = 0;
};

bool any(const std::vector<Stream>& streams, bool Stream::* side) {
    for (const Stream& stream : streams) {
        if (stream.*side) return true;
    }
    return false;
}

graph::Rate fixed(std::int64_t items) { return {items, items, false, -1}; }

}  // namespace

graph::Rates rates(std::int64_t pop, std::int64_t push, std::int64_t peek) {
    return {fixed(pop), fixed(peek > pop ? peek : pop), fixed(push)};
}

Stream filter(std::string name, std::int64_t pop, std::int64_t push, std::int64_t peek) {
    Stream stream;
    stream.name = std::move(name);
    stream.work = rates(pop, push, peek);
    stream.hasInput = pop > 0;
    stream.hasOutput = push > 0;
    return stream;
}

Stream source(std::string name, std::int64_t push) { return filter(std::move(name), 0, push); }

Stream sink(std::string name, std::int64_t pop, std::int64_t peek) {
    return filter(std::move(name), pop, 0, peek);
}

Stream withPrework(Stream stream, std::int64_t pop, std::int64_t push, std::int64_t peek) {
    stream.prework = rates(pop, push, peek);
    return stream;
}

Stream withEffects(Stream stream, std::uint8_t effects) {
    stream.effects = effects;
    return stream;
}

Stream pipeline(std::string name, std::vector<Stream> children) {
    Stream stream;
    stream.kind = StreamKind::Pipeline;
    stream.name = std::move(name);
    stream.hasInput = children.front().hasInput;
    stream.hasOutput = children.back().hasOutput;
    stream.children = std::move(children);
    return stream;
}

Stream splitjoin(std::string name, std::vector<std::int64_t> split, std::vector<Stream> children,
                 std::vector<std::int64_t> join) {
    Stream stream;
    stream.kind = StreamKind::SplitJoin;
    stream.name = std::move(name);
    stream.hasInput = any(children, &Stream::hasInput);
    stream.hasOutput = any(children, &Stream::hasOutput);
    stream.duplicate = split.empty();
    stream.split = std::move(split);
    stream.join = std::move(join);
    if (stream.join.empty()) {
        for (const Stream& child : children) {
            if (child.hasOutput) stream.join.push_back(1);
        }
    }
    stream.children = std::move(children);
    return stream;
}

Stream feedbackloop(std::string name, std::vector<std::int64_t> join, Stream body, Stream loop,
                    std::vector<std::int64_t> split, std::size_t enqueued) {
    Stream stream;
    stream.kind = StreamKind::FeedbackLoop;
    stream.name = std::move(name);
    stream.hasInput = join[0] > 0;
    stream.hasOutput = split.empty() || split[0] > 0;
    stream.duplicate = split.empty();
    stream.join = std::move(join);
    if (!stream.hasInput) stream.join.erase(stream.join.begin());
    stream.split = std::move(split);
    if (!stream.hasOutput) stream.split.erase(stream.split.begin());
    stream.children.push_back(std::move(body));
    stream.children.push_back(std::move(loop));
    stream.enqueued = enqueued;
    return stream;
}

graph::Graph build(const Stream& stream) { return Builder().build(stream); }

graph::NodeId node(const graph::Graph& graph, const std::string& name) {
    for (graph::NodeId id = 0; id < graph.nodes.size(); ++id) {
        if (graph.nodes[id].name == name) return id;
    }
    std::abort();
}

graph::CompositeId composite(const graph::Graph& graph, const std::string& name) {
    for (graph::CompositeId id = 0; id < graph.composites.size(); ++id) {
        if (graph.composites[id].name == name) return id;
    }
    std::abort();
}

graph::EdgeId edge(const graph::Graph& graph, const std::string& from, const std::string& to) {
    for (graph::EdgeId id = 0; id < graph.edges.size(); ++id) {
        const graph::Edge& edge = graph.edges[id];
        if (edge.from == kNone || edge.to == kNone) continue;
        if (graph.nodes[edge.from].name == from && graph.nodes[edge.to].name == to) return id;
    }
    std::abort();
}

}  // namespace strc::testing
