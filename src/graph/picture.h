#pragma once
/// The stream graph as text for goldens, as DOT for pictures and as JSON for tools
/// (docs/graph-json.md). io/subprocess.h runs Graphviz.

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace strc::graph {

/// How a graph is divided among threads (plan::Chunk): segments of a chunk of steady states, which follow each other.
struct Segmentation {
    /// What a chunk takes from the one before, and gives to the next one.
    struct Carried {
        NodeId node = kNone;  ///< whose state it is, or whose turn
        EdgeId edge = kNone;  ///< whose items stay
        std::int64_t bytes = 0;  ///< 0: the turn alone
        std::size_t taken = 0, given = 0;  ///< before those segments
    };
    static constexpr std::uint32_t kNoSegment = UINT32_MAX;

    std::int64_t states = 0;  ///< steady states of a chunk
    double ordered = 0;  ///< part of the work that the next chunk waits for
    std::vector<double> segments;  ///< part of the work
    std::vector<std::uint32_t> segmentOf;  ///< by NodeId; kNoSegment: it does nothing by itself
    std::vector<double> work;  ///< by NodeId: part of the work
    std::vector<std::int64_t> items;  ///< by EdgeId: that cross it in a chunk
    std::vector<Carried> carried;
    /// Of ranks, which segments are then: by EdgeId what crosses in a steady state. Empty: they are threads'.
    std::vector<double> bytes;
    /// Of the partitions of a call of a library (plan::Partitioning), which segments are then, and a chunk is a call of so many steady
    /// states: by partition the thread that looks for it first. Empty: it is no library.
    std::vector<std::uint32_t> homes;
    std::string summary;  ///< a line below the picture

    bool isOfRanks() const { return !bytes.empty(); }
    bool isOfCalls() const { return !homes.empty(); }
    bool crosses(const Edge& edge) const {
        return edge.from != kNone && edge.to != kNone &&
               segmentOf[edge.from] != segmentOf[edge.to] && segmentOf[edge.from] != kNoSegment &&
               segmentOf[edge.to] != kNoSegment;
    }
};

/// What ranks that all run the whole program share of its large products of tensors.
struct SharedProducts {
    struct Product {
        std::string what;  ///< is parted: "rows", "columns", "places" or "sums"
        std::int64_t parts = 0;
        std::int64_t places = 0;  ///< of a part
        std::int64_t most = 0;  ///< parts of a rank
        bool dividesWeights = false;  ///< a rank has those of its parts alone
        bool staysApart = false;  ///< the next product needs no more than a rank has
        std::int64_t bytes = 0;  ///< that come to each rank
        std::string whyWhole;  ///< not empty: each rank does it alone, and nothing above is set
    };

    std::vector<std::vector<Product>> products;  ///< by NodeId
    std::string who;  ///< how many ranks, which parts were asked for, and which network
    std::string summary;  ///< what crosses in a steady state, and what that brings
};

/// Results of later stages, which the picture shows if they are given.
struct Annotations {
    const Repetitions* repetitions = nullptr;
    const std::vector<std::int64_t>* capacity = nullptr;  ///< by EdgeId; 0: not known
    const Segmentation* segmentation = nullptr;
    const SharedProducts* shared = nullptr;
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
