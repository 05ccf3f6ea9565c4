#pragma once
/// Sides for things that would rather be on one of two, and rather beside each other: the cheapest division is the least cut of
/// a network (Ford and Fulkerson; paths by breadth, as Edmonds and Karp). Private to opt.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strc::opt {

class MinCut {
public:
    explicit MinCut(std::size_t things);

    /// What a thing costs on the first side, and on the second one; added to what was said before.
    void cost(std::size_t thing, std::int64_t first, std::int64_t second);
    /// What it costs if both are on different sides.
    void apart(std::size_t thing, std::size_t other, std::int64_t cost);

    /// By thing: is it on the second side? Where it does not matter it is on the first one. Once.
    std::vector<bool> divide();

private:
    struct Pipe {
        std::size_t to;
        std::int64_t capacity;  ///< that is left
    };
    void connect(std::size_t from, std::size_t to, std::int64_t there, std::int64_t back);
    /// By node: the pipe through which it is reached from `from`, kNone if it is not.
    std::vector<std::size_t> reach(std::size_t from) const;
    void push(const std::vector<std::size_t>& by);

    std::size_t first, second;  ///< nodes
    std::vector<std::vector<std::size_t>> leaving;  ///< pipes, by node
    std::vector<Pipe> pipes;  ///< each beside the one back
};

}  // namespace strc::opt
