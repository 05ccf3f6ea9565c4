#include "plan/detail/place.h"

#include <iterator>
#include <utility>

#include "base/assert.h"
#include "plan/detail/uses.h"

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

/// Where an edge is read, as an item of its tape in the first iteration of all loops around.
struct Reader {
    std::int64_t at = 0;
    std::int64_t begin = 0;  ///< where it was when the iteration of the innermost loop began
};

/// Memory that one node writes and some read.
struct PlacedTape {
    std::int64_t write = 0;
    std::int64_t writeBegin = 0;  ///< when the iteration of the innermost loop began
    std::int64_t lowBegin = 0;  ///< where the slowest reader was then
    std::int64_t swing = 0;  ///< so many more items are there in other iterations
    std::size_t behind = 0;  ///< readers that have not read all
    int uneven = 0;  ///< loops around in which its readers move differently: no resets
};

/// An edge that is read in a loop.
struct Reading {
    EdgeId edge = kNone;
    std::int64_t items = 0;  ///< in one iteration
    std::int64_t begin = 0;  ///< of the loop around
    std::int64_t advance = 0;  ///< how positions differ from iteration to iteration
};

/// A tape in a loop.
struct Touch {
    EdgeId tape = kNone;
    std::vector<Reading> readings;
    bool isEven = false;  ///< all readers of the tape are here, and take as much
    std::int64_t writes = 0;
    std::int64_t writeBegin = 0;  ///< of the loop around, as the next one
    std::int64_t lowBegin = 0;
    std::int64_t writeAdvance = 0;
    std::int64_t reads() const { return isEven ? readings[0].items : 0; }
    std::int64_t growth() const { return writes - reads(); }
    /// The greatest change that iterations after the first bring.
    std::int64_t swing(std::int64_t trips) const {
        return std::max<std::int64_t>(growth(), 0) * (trips - 1);
    }
};
using Touches = std::vector<Touch>;

/// Rounds that no block holds.
struct Rest {
    std::vector<Step> body;
    std::int64_t trips = 0;
    Touches touches;
};

class Placement {
public:
    Placement(const graph::Graph& program, const Sharing& shared, Begin begin)
        : graph(program),
          sharing(shared),
          held(std::move(begin.held)),
          reads(begin.reads),
          readers(held.size()),
          tapes(held.size()),
          touchOf(held.size(), kNone),
          readingOf(held.size(), kNone),
          capacity(held.size()),
          started(graph.nodes.size(), !begin.fresh) {
        for (EdgeId id = 0; id < held.size(); ++id) {
            const EdgeId tape = sharing.tapeOf(id);
            if (tape == id) tapes[id].write = held[id] + (begin.fresh ? sharing.startOf(id) : 0);
            if (begin.fresh) held[id] = held[tape] + sharing.lagOf(id);
        }
        for (EdgeId id = 0; id < held.size(); ++id) {
            if (!sharing.isRead(id)) continue;
            PlacedTape& tape = tapes[sharing.tapeOf(id)];
            readers[id].at = tape.write - held[id];
            if (held[id] != 0) ++tape.behind;
        }
    }

    Placed run(const Loop& phase) {
        std::vector<Step> steps;
        beginDelays(steps);
        if (reads > 0) transfer(StepKind::Read, graph.input, reads, steps);
        if (phase.count == 1) {
            placeList(phase.children, steps);
        } else {
            placeLoop(phase, steps);
        }
        if (graph.output != kNone && waiting(graph.output) > 0)
            transfer(StepKind::Write, graph.output, waiting(graph.output), steps);
        for (EdgeId id = 0; id < held.size(); ++id) held[id] = 0;
        for (EdgeId id = 0; id < held.size(); ++id) {
            const EdgeId tape = sharing.tapeOf(id);
            if (!sharing.isRead(id)) continue;
            held[id] = waiting(id);
            held[tape] = std::max(held[tape], held[id]);
        }
        for (EdgeId id = 0; id < held.size(); ++id)
            if (sharing.tapeOf(id) == id) reset(id, steps);
        std::vector<std::int64_t> trips;
        finish(steps, trips);
        return {std::move(steps), std::move(held), std::move(capacity)};
    }

private:
    // ---- tapes

    /// For the reader of an edge.
    std::int64_t waiting(EdgeId id) const {
        return tapes[sharing.tapeOf(id)].write - readers[id].at;
    }
    /// Where the slowest reader is.
    std::int64_t low(EdgeId tape) const {
        const PlacedTape& at = tapes[tape];
        std::int64_t least = at.write;
        if (at.behind == 0) return least;
        for (EdgeId id : sharing.readersOf(tape)) least = std::min(least, readers[id].at);
        return least;
    }
    /// What nobody needs any more since the iteration began.
    std::int64_t passed(EdgeId tape) const {
        const PlacedTape& at = tapes[tape];
        return at.uneven > 0 ? 0 : low(tape) - at.lowBegin;
    }
    /// In the iteration of all loops around in which it is most.
    std::int64_t most(EdgeId tape) const {
        return tapes[tape].write - tapes[tape].lowBegin - passed(tape) + tapes[tape].swing;
    }

    void advanceReader(EdgeId id, std::int64_t items) {
        PlacedTape& tape = tapes[sharing.tapeOf(id)];
        const bool before = readers[id].at != tape.write;
        readers[id].at += items;
        const bool after = readers[id].at != tape.write;
        if (!before && after) ++tape.behind;
        if (before && !after) --tape.behind;
    }
    void advanceWriter(EdgeId id, std::int64_t items) {
        if (items == 0) return;
        tapes[id].write += items;
        tapes[id].behind = 0;
        for (EdgeId reader : sharing.readersOf(id))
            if (readers[reader].at != tapes[id].write) ++tapes[id].behind;
    }

    /// What is left begins again where the iteration began.
    void reset(EdgeId tape, std::vector<Step>& steps) {
        const std::int64_t back = passed(tape);
        if (back == 0) return;
        PlacedTape& at = tapes[tape];
        if (most(tape) > 0) {
            Step move;
            move.kind = StepKind::Move;
            move.count = most(tape);
            move.channel = tape;
            move.inputs = {{at.lowBegin + back, {}}};
            move.outputs = {{at.lowBegin, {}}};
            steps.push_back(std::move(move));
        }
        for (EdgeId reader : sharing.readersOf(tape)) readers[reader].at -= back;
        at.write -= back;
    }

    /// Between two steps of a list. Of many readers the last one looks.
    void resetIfCheap(EdgeId id, std::vector<Step>& steps) {
        const EdgeId tape = sharing.tapeOf(id);
        if (tapes[tape].behind > 0 && id != sharing.readersOf(tape).back()) return;
        const std::int64_t gone = passed(tape);
        const std::int64_t left = most(tape);
        const bool isLong = Wide{gone} * itemSize(graph, tape) > kFreeBytes;
        if (left == 0 || (isLong && left <= gone)) reset(tape, steps);
    }

    // ---- steps

    void transfer(StepKind kind, EdgeId id, std::int64_t count, std::vector<Step>& steps) {
        Step step;
        step.kind = kind;
        step.count = count;
        step.channel = id;
        if (kind == StepKind::Read) {
            step.outputs = {{tapes[id].write, {}}};
            advanceWriter(id, count);
        } else {
            step.inputs = {{readers[id].at, {}}};
            advanceReader(id, count);
        }
        steps.push_back(std::move(step));
    }

    void fire(NodeId id, std::int64_t count, bool first, std::vector<Step>& steps) {
        Step step;
        step.node = id;
        step.count = count;
        step.first = first;
        for (EdgeId edge : sharing.inputsOf(id)) {
            step.inputs.push_back({readers[edge].at, {}});
            advanceReader(edge, count * popRate(graph, edge, first));
        }
        for (EdgeId edge : sharing.outputsOf(id)) {
            step.outputs.push_back({tapes[edge].write, {}});
            advanceWriter(edge, count * pushRate(graph, edge, first));
        }
        steps.push_back(std::move(step));
    }

    /// What a delay pushes first is not waited for by anybody, and stands before everything else on its tape.
    void beginDelays(std::vector<Step>& steps) {
        for (NodeId id = 0; id < graph.nodes.size(); ++id) {
            const graph::Node& node = graph.nodes[id];
            if (!sharing.isGone(id) || !node.prework || started[id]) continue;
            started[id] = true;
            Step step;
            step.node = id;
            step.first = true;
            step.inputs = {{}};
            step.outputs = {{sharing.startOf(node.outputs[0]), {}}};
            steps.push_back(std::move(step));
        }
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
        for (EdgeId edge : sharing.inputsOf(leaf.node)) resetIfCheap(edge, steps);
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
        for (Touch& touch : touches) enter(touch, loop.count);
        ++depth;
        std::vector<Step> body;
        placeList(loop.children, body);
        --depth;
        for (const Touch& touch : touches) tapes[touch.tape].swing -= touch.swing(loop.count);
        closeLoop(std::move(body), loop.count, touches, steps);
        for (const Touch& touch : touches) {
            leave(touch);
            if (touch.readings.empty()) continue;
            resetIfCheap(
                touch.isEven ? sharing.readersOf(touch.tape).back() : touch.readings.back().edge,
                steps);
        }
    }

    void enter(Touch& touch, std::int64_t trips) {
        PlacedTape& tape = tapes[touch.tape];
        if (!touch.isEven) ++tape.uneven;
        touch.writeBegin = std::exchange(tape.writeBegin, tape.write);
        touch.lowBegin = tape.lowBegin;
        if (touch.isEven) tape.lowBegin = low(touch.tape);
        tape.swing += touch.swing(trips);
        for (Reading& reading : touch.readings)
            reading.begin = std::exchange(readers[reading.edge].begin, readers[reading.edge].at);
    }

    void leave(const Touch& touch) {
        PlacedTape& tape = tapes[touch.tape];
        if (!touch.isEven) --tape.uneven;
        tape.writeBegin = touch.writeBegin;
        tape.lowBegin = touch.lowBegin;
        for (const Reading& reading : touch.readings) readers[reading.edge].begin = reading.begin;
    }

    Touches touchesOf(const std::vector<Loop>& list) {
        Touches touches;
        count(list, 1, touches);
        for (Touch& touch : touches) {
            const std::vector<Reading>& all = touch.readings;
            touch.isEven = !all.empty() && all.size() == sharing.readersOf(touch.tape).size() &&
                           std::all_of(all.begin(), all.end(), [&](const Reading& reading) {
                               return reading.items == all[0].items;
                           });
            unindex(touch);
        }
        return touches;
    }

    Touch& touchOn(EdgeId tape, Touches& touches) {
        if (touchOf[tape] == kNone) {
            touchOf[tape] = static_cast<std::uint32_t>(touches.size());
            touches.emplace_back().tape = tape;
        }
        return touches[touchOf[tape]];
    }

    Reading& readingOn(EdgeId edge, Touches& touches) {
        Touch& touch = touchOn(sharing.tapeOf(edge), touches);
        if (readingOf[edge] == kNone) {
            readingOf[edge] = static_cast<std::uint32_t>(touch.readings.size());
            touch.readings.emplace_back().edge = edge;
        }
        return touch.readings[readingOf[edge]];
    }

    void count(const std::vector<Loop>& list, std::int64_t times, Touches& touches) {
        for (const Loop& loop : list) {
            const std::int64_t all = times * loop.count;
            count(loop.children, all, touches);
            if (!loop.isLeaf()) continue;
            for (EdgeId edge : sharing.inputsOf(loop.node))
                readingOn(edge, touches).items += all * popRate(graph, edge);
            for (EdgeId edge : sharing.outputsOf(loop.node))
                touchOn(edge, touches).writes += all * pushRate(graph, edge);
        }
    }

    /// `body` has been placed as the first iteration. Cuts the iterations into blocks as long as an edge asks
    /// for it.
    void closeLoop(std::vector<Step> body, std::int64_t trips, Touches& touches,
                   std::vector<Step>& steps) {
        std::vector<Rest> rests;
        for (std::int64_t block; (block = blockLength(touches, trips)) != 0; trips /= block) {
            endIteration(touches, trips, body);
            if (trips % block != 0) rests.push_back({body, trips % block, touches});
            std::vector<Step> outer;
            repeat(std::move(body), block, touches, outer);
            body = std::move(outer);
            for (Touch& touch : touches) {
                for (Reading& reading : touch.readings) reading.items *= block;
                touch.writes *= block;
            }
        }
        endIteration(touches, trips, body);
        repeat(std::move(body), trips, touches, steps);
        while (!rests.empty()) {
            Rest rest = std::move(rests.back());
            rests.pop_back();
            shift(rest.body, rest.touches);
            repeat(std::move(rest.body), rest.trips, rest.touches, steps);
        }
    }

    /// 0: there is no need of blocks. Otherwise the least that suffices for an edge; the loop of the
    /// blocks is looked at again for those that need longer ones.
    std::int64_t blockLength(const Touches& touches, std::int64_t trips) const {
        std::int64_t least = 0;
        for (const Touch& touch : touches) {
            const std::int64_t gone = passed(touch.tape);
            const std::int64_t left = most(touch.tape) + touch.swing(trips);
            if (touch.writes == 0 || gone == 0 || left <= gone) continue;
            const std::int64_t size = itemSize(graph, touch.tape);
            const Wide allowed = std::max<Wide>(kFreeBytes, Wide{left} * size * kLongerBlock);
            if (Wide{gone} * trips * size <= allowed) continue;
            const std::int64_t needed = (left - 1) / gone + 1;
            if (needed > trips / 2) continue;
            if (least == 0 || needed < least) least = needed;
        }
        return least == 0 ? 0 : divisor(trips, least);
    }

    static std::int64_t divisor(std::int64_t trips, std::int64_t least) {
        const std::int64_t last =
            std::min({trips / 2, least * kLongerBlock, least + kMostDivisors});
        for (std::int64_t length = least; length <= last; ++length) {
            if (trips % length == 0) return length;
        }
        return least;
    }

    /// Decides how every edge goes on from iteration to iteration.
    void endIteration(Touches& touches, std::int64_t trips, std::vector<Step>& body) {
        for (Touch& touch : touches) {
            PlacedTape& tape = tapes[touch.tape];
            const std::int64_t swing = touch.swing(trips);
            tape.swing += swing;
            const bool pays = most(touch.tape) <= passed(touch.tape);
            if (touch.writes > 0 && pays) reset(touch.tape, body);
            tape.swing -= swing;
            for (Reading& reading : touch.readings)
                reading.advance = readers[reading.edge].at - readers[reading.edge].begin;
            touch.writeAdvance = tape.write - tape.writeBegin;
        }
    }

    void repeat(std::vector<Step> body, std::int64_t trips, const Touches& touches,
                std::vector<Step>& steps) {
        advance(touches, trips - 1);
        if (trips == 1) {
            std::move(body.begin(), body.end(), std::back_inserter(steps));
            return;
        }
        index(touches);
        forAll(body, [&](const Use& use, Position& position) {
            const Touch& touch = touches[touchOf[sharing.tapeOf(use.edge)]];
            const std::size_t reading = use.isMove ? 0 : readingOf[use.edge];
            position.perIteration.push_back(use.read ? touch.readings[reading].advance
                                                     : touch.writeAdvance);
        });
        unindex(touches);
        Step loop;
        loop.kind = StepKind::Loop;
        loop.count = trips;
        loop.body = std::move(body);
        steps.push_back(std::move(loop));
    }

    void advance(const Touches& touches, std::int64_t trips) {
        for (const Touch& touch : touches) {
            for (const Reading& reading : touch.readings)
                advanceReader(reading.edge, trips * reading.advance);
            advanceWriter(touch.tape, trips * touch.writeAdvance);
        }
    }

    /// A body that was placed where the loop began is executed here once more.
    void shift(std::vector<Step>& body, const Touches& touches) {
        index(touches);
        forAll(body, [&](const Use& use, Position& position) {
            const EdgeId tape = sharing.tapeOf(use.edge);
            const Reader& reader =
                readers[use.isMove ? touches[touchOf[tape]].readings[0].edge : use.edge];
            position.base +=
                use.read ? reader.at - reader.begin : tapes[tape].write - tapes[tape].writeBegin;
        });
        unindex(touches);
        advance(touches, 1);
    }

    void index(const Touches& touches) {
        for (std::size_t i = 0; i < touches.size(); ++i) {
            touchOf[touches[i].tape] = static_cast<std::uint32_t>(i);
            for (std::size_t k = 0; k < touches[i].readings.size(); ++k)
                readingOf[touches[i].readings[k].edge] = static_cast<std::uint32_t>(k);
        }
    }
    void unindex(const Touches& touches) {
        for (const Touch& touch : touches) unindex(touch);
    }
    void unindex(const Touch& touch) {
        touchOf[touch.tape] = kNone;
        for (const Reading& reading : touch.readings) readingOf[reading.edge] = kNone;
    }

    template <typename Take>
    void forAll(std::vector<Step>& steps, const Take& take) {
        for (Step& step : steps) {
            forEachUse(graph, sharing, step, take);
            forAll(step.body, take);
        }
    }

    /// Until here perIteration was gathered from the inside. `trips`: of the loops around.
    void finish(std::vector<Step>& steps, std::vector<std::int64_t>& trips) {
        for (Step& step : steps) {
            forEachUse(graph, sharing, step, [&](const Use& use, Position& position) {
                std::vector<std::int64_t>& each = position.perIteration;
                STRC_ASSERT(each.size() == trips.size(), "a position for each loop");
                std::reverse(each.begin(), each.end());
                std::int64_t end = position.base + use.items;
                for (std::size_t i = 0; i < each.size(); ++i)
                    end += std::max<std::int64_t>(each[i], 0) * (trips[i] - 1);
                std::int64_t& room = capacity[sharing.tapeOf(use.edge)];
                room = std::max(room, end);
                while (!each.empty() && each.back() == 0) each.pop_back();
            });
            if (step.kind != StepKind::Loop) continue;
            trips.push_back(step.count);
            finish(step.body, trips);
            trips.pop_back();
        }
    }

    const graph::Graph& graph;
    const Sharing& sharing;
    std::vector<std::int64_t> held;
    std::int64_t reads;
    std::vector<Reader> readers;  ///< by EdgeId
    std::vector<PlacedTape> tapes;  ///< by EdgeId
    std::vector<std::uint32_t> touchOf, readingOf;  ///< scratch, by EdgeId
    std::vector<std::int64_t> capacity;
    std::vector<bool> started;
    int depth = 0;
};

}  // namespace

Placed place(const graph::Graph& graph, const sched::Loop& phase, Begin begin) {
    const Sharing* sharing = begin.sharing;
    if (!sharing) return Placement(graph, Sharing(graph), std::move(begin)).run(phase);
    return Placement(graph, *sharing, std::move(begin)).run(sharing->withoutGone(phase));
}

std::int64_t itemSize(const graph::Graph& graph, EdgeId id) {
    const types::Type* type = graph.edges[id].type;
    return type ? std::max<std::int64_t>(types::sizeOf(type), 1) : 1;
}

}  // namespace strc::plan
