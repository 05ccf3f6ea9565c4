#pragma once
/// Chooses the part of a large graph that is drawn: equal siblings once, deep composites as one box.

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/picture.h"

namespace strc::graph {

struct Box {
    /// Closed: a composite drawn as one box. Group: several children that repeat together in a row.
    /// More: children that are left out.
    enum class Kind : std::uint8_t { Node, Open, Closed, Group, More };
    Kind kind = Kind::Node;
    std::uint32_t id = kNone;  ///< of the node or composite
    std::int64_t times = 1;  ///< how often it is there
    bool inARow = false;  ///< one after the other, not side by side
    std::int64_t nodes = 1;  ///< that it stands for, once
    std::vector<std::uint32_t> inside;  ///< boxes
};

struct Line {
    std::uint32_t from = 0;  ///< boxes
    std::uint32_t to = 0;
    EdgeId edge = kNone;  ///< the first of those it stands for
};

struct View {
    std::vector<Box> boxes;
    std::vector<std::uint32_t> roots;
    std::vector<Line> lines;
    std::vector<std::uint32_t> boxOf;  ///< by NodeId; kNone: not drawn
};

View makeView(const Graph&, const Annotations&, Folding);

}  // namespace strc::graph
