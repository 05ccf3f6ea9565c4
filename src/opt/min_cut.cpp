#include "opt/detail/min_cut.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace strc::opt {
namespace {

constexpr std::size_t kNone = SIZE_MAX;

}  // namespace

// A thing that is still reached from the second side when nothing more flows is on it.

MinCut::MinCut(std::size_t things) : first(things), second(things + 1), leaving(things + 2) {}

void MinCut::connect(std::size_t from, std::size_t to, std::int64_t there, std::int64_t back) {
    leaving[from].push_back(pipes.size());
    pipes.push_back({to, there});
    leaving[to].push_back(pipes.size());
    pipes.push_back({from, back});
}

void MinCut::cost(std::size_t thing, std::int64_t onFirst, std::int64_t onSecond) {
    const std::int64_t both = std::min(onFirst, onSecond);
    if (onFirst > both) connect(second, thing, onFirst - both, 0);
    if (onSecond > both) connect(thing, first, onSecond - both, 0);
}

void MinCut::apart(std::size_t thing, std::size_t other, std::int64_t cost) {
    connect(thing, other, cost, cost);
}

std::vector<std::size_t> MinCut::reach(std::size_t from) const {
    std::vector<std::size_t> by(leaving.size(), kNone);
    std::deque<std::size_t> next{from};
    while (!next.empty()) {
        const std::size_t node = next.front();
        next.pop_front();
        for (std::size_t pipe : leaving[node]) {
            const auto& [to, capacity] = pipes[pipe];
            if (capacity == 0 || to == from || by[to] != kNone) continue;
            by[to] = pipe;
            next.push_back(to);
        }
    }
    return by;
}

/// As much as fits through the path that was found.
void MinCut::push(const std::vector<std::size_t>& by) {
    auto forEach = [&](auto visit) {
        for (std::size_t node = first; node != second; node = pipes[by[node] ^ 1].to)
            visit(by[node]);
    };
    std::int64_t capacity = std::numeric_limits<std::int64_t>::max();
    forEach([&](std::size_t pipe) { capacity = std::min(capacity, pipes[pipe].capacity); });
    forEach([&](std::size_t pipe) {
        pipes[pipe].capacity -= capacity;
        pipes[pipe ^ 1].capacity += capacity;
    });
}

std::vector<bool> MinCut::divide() {
    std::vector<std::size_t> by = reach(second);
    for (; by[first] != kNone; by = reach(second)) push(by);
    std::vector<bool> isOnSecond(first);
    for (std::size_t thing = 0; thing < first; ++thing) isOnSecond[thing] = by[thing] != kNone;
    return isOnSecond;
}

}  // namespace strc::opt
