#include "sched/detail/chain.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "sched/detail/fold.h"

namespace strc::sched {
namespace {

constexpr std::size_t kMostForSplits = 32;    ///< blocks whose splits are all tried
constexpr std::int64_t kMostGroups = 4096;    ///< of an interleaving
constexpr std::int64_t kLeavesPerNode = 16;   ///< that recurring bodies may lead to
constexpr std::int64_t kLeavesAnyway = 64;
constexpr std::int64_t kEasement = 8;         ///< times that for the simplest interleavings
constexpr double kAlmost = 1.25;              ///< times the least room counts as little as well

void absorb(Block& into, Block other, std::int64_t trips) {
    Body body;
    appendTimes(body, std::move(into.body), into.trips / trips);
    appendTimes(body, std::move(other.body), other.trips / trips);
    into.body = std::move(body);
    into.trips = trips;
    into.leaves += other.leaves;
    into.nodes += other.nodes;
}

// -------------------------------------------------------------------------------- interleaving

/// The flow between two blocks in executions of these.
struct Flowing {
    std::int64_t made = 0;   ///< by one execution of the left block
    std::int64_t taken = 0;  ///< by one of the right block
    std::int64_t slack = 0;
};

std::int64_t ceilDivide(std::int64_t a, std::int64_t b) { return a <= 0 ? 0 : (a - 1) / b + 1; }

/// Executions of the left block (node 0) and the right one (node 1) in `groups` groups: each as small
/// a step ahead as the groups allow.
class Interleaving {
public:
    Interleaving(std::int64_t left, std::int64_t right, const std::vector<Flowing>& flows)
        : left(left), right(right), flows(flows) {}

    Body inGroups(std::int64_t groups) {
        Folder folder;
        std::int64_t doneLeft = 0;
        std::int64_t doneRight = 0;
        auto advance = [&](std::int64_t toLeft, std::int64_t toRight) {
            if (toLeft > doneLeft) folder.append(0, toLeft - doneLeft);
            if (toRight > doneRight) folder.append(1, toRight - doneRight);
            doneLeft = std::max(doneLeft, toLeft);
            doneRight = std::max(doneRight, toRight);
        };
        for (std::int64_t i = 1; i <= groups; ++i) {
            if (right <= left) {
                const std::int64_t target = part(right, i, groups);
                advance(leftFor(target), target);
            } else {
                const std::int64_t target = part(left, i, groups);
                advance(target, rightAfter(target));
            }
        }
        advance(left, right);
        return folder.finish();
    }

private:
    static std::int64_t part(std::int64_t whole, std::int64_t i, std::int64_t groups) {
        __extension__ using Wide = __int128;
        return static_cast<std::int64_t>(Wide{whole} * i / groups);
    }
    std::int64_t leftFor(std::int64_t executions) const {
        std::int64_t least = 0;
        for (const Flowing& flow : flows) {
            least = std::max(least, ceilDivide(executions * flow.taken - flow.slack, flow.made));
        }
        return std::min(least, left);
    }
    std::int64_t rightAfter(std::int64_t executions) const {
        std::int64_t most = right;
        for (const Flowing& flow : flows) {
            most = std::min(most, (flow.slack + executions * flow.made) / flow.taken);
        }
        return most;
    }

    std::int64_t left, right;
    const std::vector<Flowing>& flows;
};

/// (k (x Left) (y Right)) and the rest, with x / y just above left / right: the left block is never
/// late, and runs ahead by little. The best such fractions come from the continued fraction.
std::vector<Body> regularShapes(std::int64_t left, std::int64_t right) {
    std::vector<Body> shapes;
    std::int64_t x = 1, y = 0, nextX = left / right, nextY = 1;
    for (std::int64_t a = right, b = left % right; b > 0;) {
        const std::int64_t quotient = a / b;
        std::swap(x, nextX);
        std::swap(y, nextY);
        nextX += quotient * x;  // of two convergents in a row the later one follows
        nextY += quotient * y;
        a = std::exchange(b, a % b);
        __extension__ using Wide = __int128;
        for (const auto& [l, r] :
             {std::pair(x, y), std::pair(nextX, nextY), std::pair(nextX - x, nextY - y)}) {
            if (r <= 0 || l >= left || Wide{l} * right < Wide{r} * left) continue;
            const std::int64_t trips = std::min(left / l, right / r);
            if (trips < 2) continue;
            Body shape;
            appendTimes(shape, {leaf(0, l), leaf(1, r)}, trips);
            if (left > trips * l) shape.push_back(leaf(0, left - trips * l));
            if (right > trips * r) shape.push_back(leaf(1, right - trips * r));
            shapes.push_back(std::move(shape));
        }
    }
    return shapes;
}

/// The change of a flow by the shape, and the greatest value in between.
std::pair<double, double> heightOf(const Body& shape, const Flowing& flow) {
    double level = 0;
    double highest = 0;
    for (const Loop& loop : shape) {
        const auto count = static_cast<double>(loop.count);
        auto [change, rise] = loop.isLeaf() ? std::pair(0.0, 0.0) : heightOf(loop.children, flow);
        if (loop.isLeaf()) {
            const std::int64_t once = loop.node == 0 ? flow.made : -flow.taken;
            change = static_cast<double>(once);
            rise = std::max(change, 0.0);
        }
        highest = std::max(highest, level + rise + std::max(change * (count - 1), 0.0));
        level += change * count;
    }
    return {level, highest};
}

double roomOf(const Body& shape, const std::vector<Flowing>& flows) {
    double sum = 0;
    for (const Flowing& flow : flows) {
        sum += static_cast<double>(flow.slack) + heightOf(shape, flow).second;
    }
    return sum;
}

std::int64_t leavesOf(const Body& shape, const Block& left, const Block& right) {
    std::int64_t sum = 0;
    for (const Loop& loop : shape) {
        if (loop.isLeaf()) {
            sum += loop.node == 0 ? left.leaves : right.leaves;
        } else {
            sum += leavesOf(loop.children, left, right);
        }
    }
    return sum;
}

/// Finds an interleaving with almost the shortest tapes among those whose tree is small enough; empty if
/// it is the left block, then the right one.
std::optional<Body> interleave(const Block& left, const Block& right, std::int64_t trips,
                               const std::vector<Flowing>& flows) {
    const std::int64_t allowed =
        std::max(kLeavesAnyway, kLeavesPerNode * (left.nodes + right.nodes));
    const std::int64_t ofLeft = left.trips / trips;
    const std::int64_t ofRight = right.trips / trips;
    std::vector<Body> shapes = regularShapes(ofLeft, ofRight);
    Interleaving executions(ofLeft, ofRight, flows);
    for (std::int64_t n = std::min({ofLeft, ofRight, kMostGroups}); n > 1; n /= 2) {
        shapes.push_back(executions.inGroups(n));
        if (leavesOf(shapes.back(), left, right) <= allowed) break;
    }
    const double apart = roomOf({leaf(0, ofLeft), leaf(1, ofRight)}, flows);
    std::vector<std::pair<double, std::int64_t>> sizes;  // room, leaves
    double least = apart;
    for (const Body& shape : shapes) {
        const std::int64_t size = leavesOf(shape, left, right);
        const bool small = size <= (shape.size() <= 3 ? kEasement : 1) * allowed;
        sizes.emplace_back(small ? roomOf(shape, flows) : apart, size);
        least = std::min(least, sizes.back().first);
    }
    const Body* best = nullptr;
    std::int64_t fewest = INT64_MAX;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        if (sizes[i].first >= apart || sizes[i].first > kAlmost * least) continue;
        if (sizes[i].second >= fewest) continue;
        fewest = sizes[i].second;
        best = &shapes[i];
    }
    if (!best) return std::nullopt;
    return substitute(*best, {&left.body, &right.body});
}

// ------------------------------------------------------------------------------------- chains

class Chain {
public:
    Chain(std::vector<Block> blocks, std::vector<Crossing> crossings, Order order)
        : order(order), blocks(std::move(blocks)), crossings(std::move(crossings)) {}

    Block schedule() {
        joinEqual();
        if (blocks.size() > kMostForSplits) joinGreedily();
        if (blocks.size() == 1) return std::move(blocks[0]);
        findSplits();
        return build(0, static_cast<std::uint32_t>(blocks.size()) - 1);
    }

private:
    // ---- fewer blocks first

    /// Neighbours that are executed equally often lose nothing when they become one.
    void joinEqual() {
        std::vector<std::uint32_t> now(blocks.size());
        std::vector<Block> joined;
        for (std::uint32_t i = 0; i < blocks.size(); ++i) {
            if (!joined.empty() && joined.back().trips == blocks[i].trips) {
                absorb(joined.back(), std::move(blocks[i]), joined.back().trips);
            } else {
                joined.push_back(std::move(blocks[i]));
            }
            now[i] = static_cast<std::uint32_t>(joined.size()) - 1;
        }
        blocks = std::move(joined);
        renumber(now);
    }

    void renumber(const std::vector<std::uint32_t>& now) {
        std::vector<Crossing> kept;
        for (Crossing crossing : crossings) {
            crossing.from = now[crossing.from];
            crossing.to = now[crossing.to];
            if (crossing.from != crossing.to) kept.push_back(crossing);
        }
        crossings = std::move(kept);
    }

    /// Joins the neighbours with the greatest common number of executions, again and again.
    void joinGreedily() {
        const auto count = static_cast<std::uint32_t>(blocks.size());
        std::vector<std::uint32_t> next(count), previous(count), version(count), head(count);
        std::iota(head.begin(), head.end(), 0);
        for (std::uint32_t i = 0; i < count; ++i) {
            next[i] = i + 1;
            previous[i] = i - 1;
        }
        using Entry = std::tuple<std::int64_t, std::uint32_t, std::uint32_t, std::uint32_t>;
        auto before = [](const Entry& a, const Entry& b) {  // greater common part, then leftmost
            return std::make_pair(std::get<0>(a), std::get<1>(b)) <
                   std::make_pair(std::get<0>(b), std::get<1>(a));
        };
        std::priority_queue<Entry, std::vector<Entry>, decltype(before)> queue(before);
        auto offer = [&](std::uint32_t i) {
            if (i >= count || next[i] >= count) return;
            queue.emplace(std::gcd(blocks[i].trips, blocks[next[i]].trips), i, version[i],
                          version[next[i]]);
        };
        for (std::uint32_t i = 0; i < count; ++i) offer(i);
        std::vector<std::uint32_t> gone;
        for (std::size_t left = count; left > kMostForSplits && !queue.empty();) {
            const auto [common, i, version1, version2] = queue.top();
            queue.pop();
            if (head[i] != i || next[i] >= count) continue;
            const std::uint32_t j = next[i];
            if (version[i] != version1 || version[j] != version2) continue;
            join(i, j);
            head[j] = i;
            next[i] = next[j];
            if (next[i] < count) previous[next[i]] = i;
            ++version[i];
            offer(i);
            offer(previous[i]);
            --left;
        }
        compact(head);
    }

    void join(std::uint32_t i, std::uint32_t j) {
        const std::int64_t trips = std::gcd(blocks[i].trips, blocks[j].trips);
        absorb(blocks[i], std::move(blocks[j]), trips);
    }

    void compact(const std::vector<std::uint32_t>& head) {
        std::vector<std::uint32_t> now(blocks.size());
        std::vector<Block> kept;
        for (std::uint32_t i = 0; i < blocks.size(); ++i) {
            if (head[i] == i) kept.push_back(std::move(blocks[i]));
            now[i] = static_cast<std::uint32_t>(kept.size()) - 1;
        }
        blocks = std::move(kept);
        renumber(now);
    }

    // ---- the best nest of two-way splits

    std::size_t at(std::size_t i, std::size_t j) const { return i * blocks.size() + j; }

    void findSplits() {
        const std::size_t n = blocks.size();
        common.assign(n * n, 0);
        cost.assign(n * n, 0);
        split.assign(n * n, 0);
        for (std::size_t i = 0; i < n; ++i) common[at(i, i)] = blocks[i].trips;
        for (std::size_t length = 2; length <= n; ++length) {
            for (std::size_t i = 0; i + length <= n; ++i) {
                const std::size_t j = i + length - 1;
                common[at(i, j)] = std::gcd(common[at(i, j - 1)], blocks[j].trips);
                cost[at(i, j)] = -1;
                for (std::size_t k = i; k < j; ++k) {
                    const double sum = cost[at(i, k)] + cost[at(k + 1, j)] + costOf(i, k, j);
                    if (cost[at(i, j)] >= 0 && sum >= cost[at(i, j)]) continue;
                    cost[at(i, j)] = sum;
                    split[at(i, j)] = static_cast<std::uint32_t>(k);
                }
            }
        }
    }

    /// Items held between i…k and k+1…j, about.
    double costOf(std::size_t i, std::size_t k, std::size_t j) const {
        const auto left = static_cast<double>(common[at(i, k)]);
        const auto right = static_cast<double>(common[at(k + 1, j)]);
        const auto whole = static_cast<double>(common[at(i, j)]);
        double sum = 0;
        for (const Crossing& crossing : crossings) {
            if (crossing.from < i || crossing.from > k || crossing.to <= k || crossing.to > j)
                continue;
            const auto items = static_cast<double>(crossing.items);
            const double apart = items / whole;
            const double together = items / left + items / right - items * whole / (left * right);
            sum += order == Order::Buffers ? std::min(apart, together) : apart;
        }
        return sum;
    }

    Block build(std::uint32_t i, std::uint32_t j) {
        if (i == j) return std::move(blocks[i]);
        const std::uint32_t k = split[at(i, j)];
        Block left = build(i, k);
        Block right = build(k + 1, j);
        const std::int64_t trips = common[at(i, j)];
        const bool interleaves =
            order == Order::Buffers && left.trips > trips && right.trips > trips;
        auto body = interleaves ? interleave(left, right, trips, flowsBetween(i, k, j, left, right))
                                : std::nullopt;
        if (!body) {
            absorb(left, std::move(right), trips);
            return left;
        }
        Block both;
        both.leaves = leaves(*body);
        both.body = std::move(*body);
        both.trips = trips;
        both.nodes = left.nodes + right.nodes;
        return both;
    }

    std::vector<Flowing> flowsBetween(std::uint32_t i, std::uint32_t k, std::uint32_t j,
                                      const Block& left, const Block& right) const {
        std::vector<Flowing> flows;
        for (const Crossing& crossing : crossings) {
            if (crossing.from < i || crossing.from > k || crossing.to <= k || crossing.to > j)
                continue;
            flows.push_back(
                {crossing.items / left.trips, crossing.items / right.trips, crossing.slack});
        }
        return flows;
    }

    Order order;
    std::vector<Block> blocks;
    std::vector<Crossing> crossings;
    std::vector<std::int64_t> common;  ///< of the blocks i…j, at(i, j)
    std::vector<double> cost;
    std::vector<std::uint32_t> split;
};

}  // namespace

Block scheduleChain(std::vector<Block> blocks, std::vector<Crossing> crossings, Order order) {
    return Chain(std::move(blocks), std::move(crossings), order).schedule();
}

Block besides(std::vector<Block> blocks) {
    std::int64_t trips = 0;
    for (const Block& block : blocks) trips = std::gcd(trips, block.trips);
    Block all{{}, trips, 0, 0};
    for (Block& block : blocks) {
        appendTimes(all.body, std::move(block.body), block.trips / trips);
        all.leaves += block.leaves;
        all.nodes += block.nodes;
    }
    return all;
}

}  // namespace strc::sched
