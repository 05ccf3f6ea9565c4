#pragma once
/// The stream graph as text for goldens, as DOT for pictures and as JSON for tools
/// (docs/graph-json.md). io/subprocess.h runs Graphviz.

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace strc::graph {

/// Results of later stages, which the picture shows if they are given.
struct Annotations {
    const Repetitions* repetitions = nullptr;
    const std::vector<std::int64_t>* capacity = nullptr;  ///< by EdgeId; 0: not known
};

/// A graph with more than `mostNodes` nodes is folded until about as many are left to be drawn: equal
/// siblings are drawn once ("Fir × 1024"), deep composites become one box.
struct Folding {
    bool fold = true;
    std::size_t mostNodes = 100;
};

/// The tree of streams with rates, then the tapes and messages. Everything, nothing folded.
std::string toText(const Graph&, const Annotations& = {});

/// Composites are clusters; an edge's ends show rates, its middle the buffer.
std::string toDot(const Graph&, const Annotations& = {}, Folding = {});

/// Everything, nothing folded.
std::string toJson(const Graph&, const Annotations& = {});

}  // namespace strc::graph
