#include "plan/place.h"

#include <iterator>
#include <utility>

#include "base/assert.h"
#include "plan/uses.h"

namespace strc::plan {
namespace {

using graph::kNone;
using sched::Loop;

__extension__ using Wide = __int128;

/// So much memory may be taken to save moves: a part of the second level cache.
constexpr std::int64_t kFreeBytes = 1 << 20;
/// Blocks of a loop are up to so many times longer than they must be if the loop then divides evenly.
constexpr std::int64_t kLongerBlock = 4;
constexpr std::int64_t kMostDivisors = 4096;  ///< tried

/// The two ends of an edge, as items of its channel in the first round of all loops around.
struct Cursor {
    std::int64_t read = 0;
    std::int64_t write = 0;
    std::int64_t readBegin = 0;  ///< where they were when the round of the innermost loop began
    std::int64_t writeBegin = 0;
    std::int64_t swing = 0;  ///< so many more items are there in other rounds
};

/// An edge in a loop.
struct Touch {
    EdgeId edge = kNone;
    std::int64_t reads = 0;  ///< in one round
    std::int64_t writes = 0;
    std::int64_t readBegin = 0;  ///< of the loop around
    std::int64_t writeBegin = 0;
    std::int64_t readAdvance = 0;  ///< how positions differ from round to round
    std::int64_t writeAdvance = 0;
    std::int64_t growth() const { return writes - reads; }
    /// The greatest change that rounds after the first bring.
    std::int64_t swing(std::int64_t rounds) const {
        return std::max<std::int64_t>(growth(), 0) * (rounds - 1);
    }
};
using Touches = std::vector<Touch>;

/// Rounds that no block holds.
struct Rest {
    std::vector<Step> body;
    std::int64_t rounds = 0;
    Touches touches;
};

class Placement {
public:
    Placement(const graph::Graph& program, Begin begin)
        : graph(program),
          held(std::move(begin.held)),
          reads(begin.reads),
          cursors(held.size()),
          touchOf(held.size(), kNone),
          capacity(held.size()),
          started(graph.nodes.size(), !begin.fresh) {}

    Placed run(const Loop& phase) {
        for (EdgeId id = 0; id < held.size(); ++id) cursors[id].write = held[id];
        std::vector<Step> steps;
        if (reads > 0) transfer(StepKind::Read, graph.input, reads, steps);
        if (phase.count == 1) {
            placeList(phase.children, steps);
        } else {
            placeLoop(phase, steps);
        }
        if (graph.output != kNone && present(graph.output) > 0)
            transfer(StepKind::Write, graph.output, present(graph.output), steps);
        for (EdgeId id = 0; id < cursors.size(); ++id) {
            held[id] = present(id);
            reset(id, steps);
        }
        std::vector<std::int64_t> rounds;
        finish(steps, rounds);
        return {std::move(steps), std::move(held), std::move(capacity)};
    }

private:
    // ---- edges

    std::int64_t present(EdgeId id) const { return cursors[id].write - cursors[id].read; }
    /// In the round of all loops around in which it is most.
    std::int64_t most(EdgeId id) const { return present(id) + cursors[id].swing; }

    /// What is left begins again where the round began.
    void reset(EdgeId id, std::vector<Step>& steps) {
        Cursor& at = cursors[id];
        const std::int64_t back = at.read - at.readBegin;
        if (back == 0) return;
        if (most(id) > 0) {
            Step move;
            move.kind = StepKind::Move;
            move.count = most(id);
            move.channel = id;
            move.inputs = {{at.read, {}}};
            move.outputs = {{at.readBegin, {}}};
            steps.push_back(std::move(move));
        }
        at.read -= back;
        at.write -= back;
    }

    /// Between two steps of a list.
    void resetIfCheap(EdgeId id, std::vector<Step>& steps) {
        const std::int64_t passed = cursors[id].read - cursors[id].readBegin;
        const std::int64_t left = most(id);
        const bool isLong = Wide{passed} * itemSize(graph, id) > kFreeBytes;
        if (left == 0 || (isLong && left <= passed)) reset(id, steps);
    }

    // ---- steps

    void transfer(StepKind kind, EdgeId id, std::int64_t count, std::vector<Step>& steps) {
        Step step;
        step.kind = kind;
        step.count = count;
        step.channel = id;
        Cursor& at = cursors[id];
        if (kind == StepKind::Read) {
            step.outputs = {{at.write, {}}};
            at.write += count;
        } else {
            step.inputs = {{at.read, {}}};
            at.read += count;
        }
        steps.push_back(std::move(step));
    }

    void fire(NodeId id, std::int64_t count, bool first, std::vector<Step>& steps) {
        const graph::Node& node = graph.nodes[id];
        Step step;
        step.node = id;
        step.count = count;
        step.first = first;
        for (EdgeId edge : node.inputs) {
            step.inputs.push_back({cursors[edge].read, {}});
            cursors[edge].read += count * popRate(graph, edge, first);
        }
        for (EdgeId edge : node.outputs) {
            step.outputs.push_back({cursors[edge].write, {}});
            cursors[edge].write += count * pushRate(graph, edge, first);
        }
        steps.push_back(std::move(step));
    }

    void placeLeaf(const Loop& leaf, std::vector<Step>& steps) {
        std::int64_t count = leaf.count;
        const graph::Node& node = graph.nodes[leaf.node];
        if (!started[leaf.node] && node.prework) {
            STRC_ASSERT(depth == 0, "a first firing in a loop");
            fire(leaf.node, 1, true, steps);
            --count;
        }
        started[leaf.node] = true;
        if (count > 0) fire(leaf.node, count, false, steps);
        for (EdgeId edge : node.inputs) resetIfCheap(edge, steps);
    }

    void placeList(const std::vector<Loop>& list, std::vector<Step>& steps) {
        for (const Loop& loop : list) {
            if (loop.isLeaf()) {
                placeLeaf(loop, steps);
            } else {
                placeLoop(loop, steps);
            }
        }
    }

    // ---- loops

    void placeLoop(const Loop& loop, std::vector<Step>& steps) {
        Touches touches = touchesOf(loop.children);
        for (Touch& touch : touches) {
            Cursor& at = cursors[touch.edge];
            touch.readBegin = std::exchange(at.readBegin, at.read);
            touch.writeBegin = std::exchange(at.writeBegin, at.write);
            at.swing += touch.swing(loop.count);
        }
        ++depth;
        std::vector<Step> body;
        placeList(loop.children, body);
        --depth;
        for (const Touch& touch : touches) cursors[touch.edge].swing -= touch.swing(loop.count);
        closeLoop(std::move(body), loop.count, touches, steps);
        for (const Touch& touch : touches) {
            Cursor& at = cursors[touch.edge];
            at.readBegin = touch.readBegin;
            at.writeBegin = touch.writeBegin;
            if (touch.reads > 0) resetIfCheap(touch.edge, steps);
        }
    }

    Touches touchesOf(const std::vector<Loop>& list) {
        Touches touches;
        count(list, 1, touches);
        for (const Touch& touch : touches) touchOf[touch.edge] = kNone;
        return touches;
    }

    void count(const std::vector<Loop>& list, std::int64_t times, Touches& touches) {
        auto touch = [&](EdgeId edge) -> Touch& {
            if (touchOf[edge] == kNone) {
                touchOf[edge] = static_cast<std::uint32_t>(touches.size());
                touches.emplace_back().edge = edge;
            }
            return touches[touchOf[edge]];
        };
        for (const Loop& loop : list) {
            const std::int64_t all = times * loop.count;
            count(loop.children, all, touches);
            if (!loop.isLeaf()) continue;
            const graph::Node& node = graph.nodes[loop.node];
            for (EdgeId edge : node.inputs) touch(edge).reads += all * popRate(graph, edge);
            for (EdgeId edge : node.outputs) touch(edge).writes += all * pushRate(graph, edge);
        }
    }

    /// `body` has been placed as the first round. Cuts the rounds into blocks as long as an edge asks
    /// for it.
    void closeLoop(std::vector<Step> body, std::int64_t rounds, Touches& touches,
                   std::vector<Step>& steps) {
        std::vector<Rest> rests;
        for (std::int64_t block; (block = blockLength(touches, rounds)) != 0; rounds /= block) {
            endRound(touches, rounds, body);
            if (rounds % block != 0) rests.push_back({body, rounds % block, touches});
            std::vector<Step> outer;
            repeat(std::move(body), block, touches, outer);
            body = std::move(outer);
            for (Touch& touch : touches) {
                touch.reads *= block;
                touch.writes *= block;
            }
        }
        endRound(touches, rounds, body);
        repeat(std::move(body), rounds, touches, steps);
        while (!rests.empty()) {
            Rest rest = std::move(rests.back());
            rests.pop_back();
            shift(rest.body, rest.touches);
            repeat(std::move(rest.body), rest.rounds, rest.touches, steps);
        }
    }

    /// 0: there is no need of blocks. Otherwise the least that suffices for an edge; the loop of the
    /// blocks is looked at again for those that need longer ones.
    std::int64_t blockLength(const Touches& touches, std::int64_t rounds) const {
        std::int64_t least = 0;
        for (const Touch& touch : touches) {
            const Cursor& at = cursors[touch.edge];
            const std::int64_t passed = at.read - at.readBegin;
            const std::int64_t left = most(touch.edge) + touch.swing(rounds);
            if (touch.writes == 0 || passed == 0 || left <= passed) continue;
            const std::int64_t size = itemSize(graph, touch.edge);
            const Wide allowed = std::max<Wide>(kFreeBytes, Wide{left} * size * kLongerBlock);
            if (Wide{passed} * rounds * size <= allowed) continue;
            const std::int64_t needed = (left - 1) / passed + 1;
            if (needed > rounds / 2) continue;
            if (least == 0 || needed < least) least = needed;
        }
        return least == 0 ? 0 : divisor(rounds, least);
    }

    static std::int64_t divisor(std::int64_t rounds, std::int64_t least) {
        const std::int64_t last =
            std::min({rounds / 2, least * kLongerBlock, least + kMostDivisors});
        for (std::int64_t length = least; length <= last; ++length) {
            if (rounds % length == 0) return length;
        }
        return least;
    }

    /// Decides how every edge goes on from round to round.
    void endRound(Touches& touches, std::int64_t rounds, std::vector<Step>& body) {
        for (Touch& touch : touches) {
            Cursor& at = cursors[touch.edge];
            const std::int64_t swing = touch.swing(rounds);
            at.swing += swing;
            const bool pays = most(touch.edge) <= at.read - at.readBegin;
            if (touch.writes > 0 && pays) reset(touch.edge, body);
            at.swing -= swing;
            touch.readAdvance = at.read - at.readBegin;
            touch.writeAdvance = at.write - at.writeBegin;
        }
    }

    void repeat(std::vector<Step> body, std::int64_t rounds, const Touches& touches,
                std::vector<Step>& steps) {
        for (const Touch& touch : touches) {
            Cursor& at = cursors[touch.edge];
            at.read += (rounds - 1) * touch.readAdvance;
            at.write += (rounds - 1) * touch.writeAdvance;
        }
        if (rounds == 1) {
            std::move(body.begin(), body.end(), std::back_inserter(steps));
            return;
        }
        index(touches);
        forAll(body, [&](const Use& use, Position& position) {
            const Touch& touch = touches[touchOf[use.edge]];
            position.perRound.push_back(use.read ? touch.readAdvance : touch.writeAdvance);
        });
        unindex(touches);
        Step loop;
        loop.kind = StepKind::Loop;
        loop.count = rounds;
        loop.body = std::move(body);
        steps.push_back(std::move(loop));
    }

    /// A body that was placed where the loop began is executed here once more.
    void shift(std::vector<Step>& body, const Touches& touches) {
        index(touches);
        forAll(body, [&](const Use& use, Position& position) {
            const Cursor& at = cursors[use.edge];
            position.base += use.read ? at.read - at.readBegin : at.write - at.writeBegin;
        });
        unindex(touches);
        for (const Touch& touch : touches) {
            cursors[touch.edge].read += touch.readAdvance;
            cursors[touch.edge].write += touch.writeAdvance;
        }
    }

    void index(const Touches& touches) {
        for (std::size_t i = 0; i < touches.size(); ++i)
            touchOf[touches[i].edge] = static_cast<std::uint32_t>(i);
    }
    void unindex(const Touches& touches) {
        for (const Touch& touch : touches) touchOf[touch.edge] = kNone;
    }

    template <typename Take>
    void forAll(std::vector<Step>& steps, const Take& take) {
        for (Step& step : steps) {
            forEachUse(graph, step, take);
            forAll(step.body, take);
        }
    }

    /// Until here perRound was gathered from the inside. `rounds`: of the loops around.
    void finish(std::vector<Step>& steps, std::vector<std::int64_t>& rounds) {
        for (Step& step : steps) {
            forEachUse(graph, step, [&](const Use& use, Position& position) {
                std::vector<std::int64_t>& each = position.perRound;
                STRC_ASSERT(each.size() == rounds.size(), "a position for each loop");
                std::reverse(each.begin(), each.end());
                std::int64_t end = position.base + use.items;
                for (std::size_t i = 0; i < each.size(); ++i)
                    end += std::max<std::int64_t>(each[i], 0) * (rounds[i] - 1);
                capacity[use.edge] = std::max(capacity[use.edge], end);
                while (!each.empty() && each.back() == 0) each.pop_back();
            });
            if (step.kind != StepKind::Loop) continue;
            rounds.push_back(step.count);
            finish(step.body, rounds);
            rounds.pop_back();
        }
    }

    const graph::Graph& graph;
    std::vector<std::int64_t> held;
    std::int64_t reads;
    std::vector<Cursor> cursors;
    std::vector<std::uint32_t> touchOf;  ///< scratch, by EdgeId
    std::vector<std::int64_t> capacity;
    std::vector<bool> started;
    int depth = 0;
};

}  // namespace

Placed place(const graph::Graph& graph, const sched::Loop& phase, Begin begin) {
    return Placement(graph, std::move(begin)).run(phase);
}

std::int64_t itemSize(const graph::Graph& graph, EdgeId id) {
    const types::Type* type = graph.edges[id].type;
    return type ? std::max<std::int64_t>(types::sizeOf(type), 1) : 1;
}

}  // namespace strc::plan
