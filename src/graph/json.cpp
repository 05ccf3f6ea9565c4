#include <nlohmann/json.hpp>

#include "graph/hierarchy.h"
#include "graph/outline.h"
#include "graph/picture.h"

namespace strc::graph {
namespace {

using Json = nlohmann::ordered_json;

Json idOrNull(std::uint32_t id) { return id == kNone ? Json(nullptr) : Json(id); }

/// A number, or the bounds of a dynamic rate.
Json rateJson(const Rate& rate) {
    if (!rate.dynamic) return rate.max;
    Json json;
    json["min"] = rate.min;
    json["max"] = rate.max == kUnbounded ? Json(nullptr) : Json(rate.max);
    if (rate.average >= 0) json["average"] = rate.average;
    return json;
}

Json ratesJson(const Rates& rates) {
    return {{"pop", rateJson(rates.pop)},
            {"peek", rateJson(rates.peek)},
            {"push", rateJson(rates.push)}};
}

const char* kindOf(const Node& node) {
    switch (node.kind) {
        case NodeKind::Filter: return "filter";
        case NodeKind::Duplicate: return "duplicate splitter";
        case NodeKind::RoundRobinSplitter: return "roundrobin splitter";
        case NodeKind::RoundRobinJoiner: return "roundrobin joiner";
    }
    return "";
}

Json productsJson(const std::vector<SharedProducts::Product>& products) {
    Json all = Json::array();
    for (const SharedProducts::Product& each : products) {
        if (each.whyWhole.empty())
            all.push_back({{"parted", each.what},
                           {"parts", each.parts},
                           {"places", each.places},
                           {"most", each.most},
                           {"dividesWeights", each.dividesWeights},
                           {"staysApart", each.staysApart},
                           {"bytes", each.bytes}});
        else
            all.push_back({{"parted", nullptr}, {"why", each.whyWhole}});
    }
    return all;
}

Json nodeJson(const Graph& graph, const Annotations& notes, const std::string& path, NodeId id) {
    const Node& node = graph.nodes[id];
    Json json{{"id", id},
              {"kind", kindOf(node)},
              {"name", node.name},
              {"path", path},
              {"parent", idOrNull(node.parent)},
              {"order", node.order}};
    if (node.kind == NodeKind::Filter) {
        json["work"] = ratesJson(node.work);
        json["prework"] = node.prework ? ratesJson(*node.prework) : Json(nullptr);
        json["effects"] = effectNames(node.effects);
        if (!node.file.empty()) json["file"] = node.file;
    } else if (node.kind != NodeKind::Duplicate) {
        json["weights"] = node.weights;
    }
    json["inputs"] = node.inputs;
    json["outputs"] = node.outputs;
    if (notes.repetitions) {
        json["init"] = notes.repetitions->init[id];
        json["steady"] = notes.repetitions->steady[id];
        json["island"] = notes.repetitions->island[id];
    }
    if (notes.segmentation) {
        json["segment"] = idOrNull(notes.segmentation->segmentOf[id]);
        json["work"] = notes.segmentation->work[id];
    }
    if (notes.shared && node.kind == NodeKind::Filter)
        json["products"] = productsJson(notes.shared->products[id]);
    return json;
}

Json compositeJson(const Graph& graph, const std::string& path, CompositeId id) {
    const Composite& composite = graph.composites[id];
    Json children = Json::array();
    for (const Child& child : composite.children) {
        children.push_back({{child.isComposite ? "composite" : "node", child.id}});
    }
    return {{"id", id},
            {"kind", kindName(composite.kind)},
            {"name", composite.name},
            {"path", path},
            {"parent", idOrNull(composite.parent)},
            {"children", std::move(children)},
            {"splitter", idOrNull(composite.splitter)},
            {"joiner", idOrNull(composite.joiner)}};
}

Json endJson(NodeId node, std::uint32_t port) {
    if (node == kNone) return nullptr;
    return {{"node", node}, {"port", port}};
}

Json edgeJson(const Graph& graph, const Annotations& notes, EdgeId id) {
    const Edge& edge = graph.edges[id];
    Json json{{"id", id},
              {"from", endJson(edge.from, edge.fromPort)},
              {"to", endJson(edge.to, edge.toPort)},
              {"type", edge.type ? Json(itemsOf(edge)) : Json(nullptr)},
              {"dynamic", isDynamic(graph, id)}};
    if (!isDynamic(graph, id)) {
        if (edge.from != kNone) json["push"] = pushRate(graph, id);
        if (edge.to != kNone) json["pop"] = popRate(graph, id);
        if (edge.to != kNone) json["peek"] = peekRate(graph, id);
    }
    Json initial = Json::array();
    for (const types::Value& value : edge.initial) {
        initial.push_back(value.type ? Json(types::toString(value)) : Json(nullptr));
    }
    json["initial"] = std::move(initial);
    if (notes.capacity && (*notes.capacity)[id] > 0) json["buffer"] = (*notes.capacity)[id];
    if (notes.segmentation) {
        json["items"] = notes.segmentation->items[id];
        json["crosses"] = notes.segmentation->crosses(edge);
        if (notes.segmentation->isOfRanks()) json["bytes"] = notes.segmentation->bytes[id];
    }
    return json;
}

Json messageJson(const MessageLink& link) {
    return {{"sender", link.sender},
            {"receiver", link.receiver},
            {"direction", link.downstream ? "downstream" : "upstream"},
            {"latency", link.minLatency ? Json(*link.minLatency) : Json(nullptr)},
            {"bestEffort", link.bestEffort}};
}

Json segmentsJson(const Segmentation& segmentation) {
    Json carried = Json::array();
    for (const Segmentation::Carried& each : segmentation.carried)
        carried.push_back({{"node", idOrNull(each.node)},
                           {"edge", idOrNull(each.edge)},
                           {"bytes", each.bytes},
                           {"taken", each.taken},
                           {"given", each.given}});
    Json json{{"states", segmentation.states},
              {"ordered", segmentation.ordered},
              {"segments", segmentation.segments},
              {"carried", std::move(carried)}};
    if (segmentation.isOfCalls()) json["homes"] = segmentation.homes;
    return json;
}

}  // namespace

std::string toJson(const Graph& graph, const Annotations& notes) {
    Json json{{"format", "strc-graph"}, {"version", 1}};
    const Paths paths = allPaths(graph);
    json["composites"] = Json::array();
    for (CompositeId id = 0; id < graph.composites.size(); ++id) {
        json["composites"].push_back(compositeJson(graph, paths.composites[id], id));
    }
    json["nodes"] = Json::array();
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        json["nodes"].push_back(nodeJson(graph, notes, paths.nodes[id], id));
    }
    json["edges"] = Json::array();
    for (EdgeId id = 0; id < graph.edges.size(); ++id) {
        json["edges"].push_back(edgeJson(graph, notes, id));
    }
    json["messages"] = Json::array();
    for (const MessageLink& link : graph.messages) json["messages"].push_back(messageJson(link));
    if (notes.segmentation && notes.segmentation->isOfRanks())
        json["ranks"] = {{"work", notes.segmentation->segments},
                         {"summary", notes.segmentation->summary}};
    else if (notes.shared)
        json["ranks"] = {{"who", notes.shared->who}, {"summary", notes.shared->summary}};
    else if (notes.segmentation)
        json["partitions"] = segmentsJson(*notes.segmentation);
    json["input"] = idOrNull(graph.input);
    json["output"] = idOrNull(graph.output);
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace strc::graph
