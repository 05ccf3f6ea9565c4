#pragma once
/// Strongly connected components of any directed graph.

#include <cstdint>
#include <span>
#include <vector>

namespace strc::graph {

/// `to` comes after `from`.
struct Arrow {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
};

/// Numbered such that no arrow leads to a component with a smaller number.
struct Components {
    std::vector<std::uint32_t> of;       ///< by node
    std::vector<std::uint32_t>
        members;  ///< by component; inside of one, depth first against the arrows
    std::vector<std::uint32_t> start;    ///< by component, into members; one more at the end
    std::vector<bool> loops;             ///< does the component hold a cycle?

    std::size_t size() const { return start.size() - 1; }
    std::span<const std::uint32_t> operator[](std::size_t which) const {
        return {members.data() + start[which], start[which + 1] - start[which]};
    }
};

Components findComponents(std::uint32_t nodes, std::span<const Arrow> arrows);

}  // namespace strc::graph
