#pragma once
/// One of two programs, by the names of its parts. Private to live.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace strc::live {

/// A field that firings change.
struct Field {
    std::string name;
    const types::Type* type = nullptr;
    std::int64_t at = 0;  ///< bytes, into the state of the program
};

class Version {
public:
    explicit Version(const plan::Plan&);

    const graph::Graph& graph() const { return program.graph; }
    const graph::Node& node(graph::NodeId id) const { return program.graph.nodes[id]; }
    const elab::Kernel& kernel(graph::NodeId id) const { return program.kernels[node(id).kernel]; }
    bool isFilter(graph::NodeId id) const { return node(id).kind == graph::NodeKind::Filter; }

    std::optional<graph::NodeId> find(const std::string& path) const;
    /// The edge between such ends.
    std::optional<graph::EdgeId> findEdge(const std::string& ends) const;

    std::vector<Field> fieldsOf(graph::NodeId) const;
    bool hasState(graph::NodeId id) const {
        return !fieldsOf(id).empty() || plan.counters[id] >= 0;
    }

    /// The two ends of an edge. The open input has one name whoever reads it, if rates are dynamic.
    std::string keyOf(graph::EdgeId) const;
    std::string nameOf(graph::EdgeId) const;
    /// Where the items begin that stay on a channel: the last ones of its tape.
    std::int64_t itemsOf(const plan::Channel&) const;

    const plan::Plan& plan;
    const elab::Elaboration& program;
    const std::vector<std::string> paths;

private:
    std::string endName(graph::NodeId) const;

    std::map<std::string, graph::NodeId> byPath;
    std::map<std::string, graph::EdgeId> byEnds;
};

/// What is another in the new node; or nothing.
std::string difference(const Version& before, graph::NodeId old, const Version& after,
                       graph::NodeId now);

/// The node of the old program that a node of the new one goes on as.
std::optional<graph::NodeId> predecessor(const Version& before, const Version& after,
                                         graph::NodeId now);

/// Are items of the one edge what the other one takes?
bool areItemsAlike(const Version& before, graph::EdgeId old, const Version& after,
                   graph::EdgeId now);

}  // namespace strc::live
