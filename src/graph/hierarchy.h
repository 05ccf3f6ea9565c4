#pragma once
/// The tree of composites and where edges run in it. Iterative: streams are nested thousands deep.

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "graph/graph.h"

namespace strc::graph {

class Hierarchy {
public:
    explicit Hierarchy(const Graph&);

    /// Composites, each after all that are inside of it.
    const std::vector<CompositeId>& insideOut() const { return order; }
    /// The innermost composite that holds both, or kNone: only the program does.
    CompositeId common(NodeId, NodeId) const;
    CompositeId commonOf(CompositeId, CompositeId) const;
    /// The child of `composite` (of the program, if kNone) that is or holds the node. The splitter
    /// and the joiner of a composite count as children.
    Child childWith(CompositeId composite, NodeId) const;
    bool contains(CompositeId, NodeId) const;
    /// All nodes inside, splitters and joiners included, ascending.
    std::vector<NodeId> nodesOf(CompositeId) const;

private:
    const Graph& graph;
    std::vector<CompositeId> order;
    std::vector<std::uint32_t> depth;
    std::vector<std::uint32_t> first, last;  ///< of a composite: interval of positions in a walk
    std::vector<NodeId> byPosition;
    std::vector<std::uint32_t> position;  ///< of a node
};

/// path() of every node and compositePath() of every composite, in time linear in their length.
struct Paths {
    std::vector<std::string> nodes, composites;
};
Paths allPaths(const Graph&);

/// Where the program adds a node, or the stream of the library that it is a part of, and what it calls it.
struct Added {
    base::SourceRange range;
    std::string name;
};
Added addedBy(const base::SourceManager&, const Graph&, NodeId);
/// The subject of a fault in a body, for the user: "'matmul'" in a filter of the program, "'linear': 'matmul'" in one of
/// the library. Without an operation the stream itself is the subject.
std::string subjectOf(const base::SourceManager&, const Added&, const std::string& operation,
                      base::SourceRange inBody);
/// Says so of a fault in code of the library.
void noteAdded(const base::SourceManager&, const Graph&, NodeId, base::Diagnostic&);

/// The name of a child or a node in messages: the last part of its path.
std::string shortName(const Graph&, NodeId);
std::string shortName(const Graph&, Child);
/// "pipeline", "splitjoin", "feedbackloop".
const char* kindName(CompositeKind);

}  // namespace strc::graph
