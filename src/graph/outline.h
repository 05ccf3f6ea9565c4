#pragma once
/// Walking the tree of streams in the order of the text, and the words for what is met.

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace strc::graph {

struct OutlineItem {
    enum class Kind : std::uint8_t { Enter, Leave, Node };
    Kind kind = Kind::Node;
    std::uint32_t id = 0;     ///< of a composite, or of a node
    std::uint32_t depth = 0;  ///< composites around it
};

/// The whole program, or what `root` holds, itself included. Splitters and joiners stand where items
/// pass them.
std::vector<OutlineItem> outline(const Graph&);
std::vector<OutlineItem> outline(const Graph&, Child root);

/// The parts of a composite, with its splitter and joiner.
std::vector<Child> partsOf(const Composite&);

/// "3", "[1, 8]", "*", "[1, 4, *]".
std::string rateText(const Rate&);
/// "peek 16 pop 1 push 1"; rates of 0 and peeks that go no further than the pop are left out.
std::string ratesText(const Rates&);
/// "duplicate", "roundrobin(2)" where all weights are equal, "roundrobin(1, 2)"; at most that many.
std::string weightsText(const Node&, std::size_t most = SIZE_MAX);
std::vector<std::string> effectNames(std::uint8_t effects);

}  // namespace strc::graph
