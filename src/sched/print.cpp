#include <algorithm>

#include <fmt/format.h>

#include "graph/flow.h"
#include "graph/hierarchy.h"
#include "sched/detail/flatten.h"
#include "sched/schedule.h"

namespace strc::sched {
namespace {

using graph::EdgeId;
using graph::kNone;
using graph::NodeId;

constexpr std::size_t kWidth = 96;

class Printer {
public:
    Printer(const graph::Graph& graph, const graph::Repetitions& repetitions,
            const Schedule& schedule)
        : graph(graph),
          repetitions(repetitions),
          schedule(schedule),
          names(allPaths(graph).nodes) {}

    std::string print() {
        if (!schedule.remark.empty()) out += fmt::format("# {}\n", schedule.remark);
        printPhase("init", schedule.init, repetitions.init, true);
        printPhase("steady", schedule.steady, repetitions.steady, false);
        printTapes();
        return std::move(out);
    }

private:
    void printPhase(const char* title, const Loop& phase, const std::vector<std::int64_t>& firings,
                    bool init) {
        std::int64_t sum = 0;
        for (NodeId node = 0; node < graph.nodes.size(); ++node) {
            if (repetitions.island[node] == schedule.island)
                sum = graph::addCounts(sum, firings[node]);
        }
        out += fmt::format("{}: {} firing{}\n", title, sum, sum == 1 ? "" : "s");
        std::vector<bool> started(graph.nodes.size(), !init);
        for (const Loop& loop : phase.children) {
            if (loop.isLeaf() && graph.nodes[loop.node].prework && !started[loop.node]) {
                started[loop.node] = true;
                out += fmt::format("  {}.prework\n", names[loop.node]);
                if (loop.count == 1) continue;
                Loop rest = loop;
                --rest.count;
                printLoop(rest, 2);
            } else {
                printLoop(loop, 2);
            }
        }
    }

    std::string inOneLine(const Loop& loop) const {
        if (loop.isLeaf() && loop.count == 1) return names[loop.node];
        std::string text = fmt::format("({}", loop.count);
        if (loop.isLeaf()) text += ' ' + names[loop.node];
        for (const Loop& child : loop.children) {
            text += ' ' + inOneLine(child);
            if (text.size() > kWidth) break;  // it will be broken into lines
        }
        return text + ')';
    }

    void printLoop(const Loop& loop, std::size_t indent) {
        const std::string line = inOneLine(loop);
        if (loop.isLeaf() || indent + line.size() <= kWidth) {
            out += std::string(indent, ' ') + line + '\n';
            return;
        }
        out += fmt::format("{}({}\n", std::string(indent, ' '), loop.count);
        for (const Loop& child : loop.children) printLoop(child, indent + 2);
        out += std::string(indent, ' ') + ")\n";
    }

    struct Row {
        std::string tape, items, kept, buffer;
    };

    /// Items per steady state, items that stay between two of them, and the room that it takes.
    void printTapes() {
        std::vector<Row> rows{{"tape", "items", "kept", "buffer"}};
        const State state = stateAfter(graph, repetitions.init);
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            const graph::Edge& edge = graph.edges[id];
            const NodeId inside = edge.from == kNone ? edge.to : edge.from;
            if (isDynamic(graph, id) || repetitions.island[inside] != schedule.island) continue;
            const std::int64_t rate = edge.from == kNone ? popRate(graph, id) : pushRate(graph, id);
            const bool open = edge.from == kNone || edge.to == kNone;
            rows.push_back({fmt::format("{} -> {}", edge.from == kNone ? "input" : names[edge.from],
                                        edge.to == kNone ? "output" : names[edge.to]),
                            std::to_string(graph::multiplyCounts(repetitions.steady[inside], rate)),
                            open ? "-" : std::to_string(state.items[id]),
                            open ? "-" : std::to_string(schedule.capacity[id])});
        }
        if (rows.size() == 1) return;
        std::size_t width[4] = {};
        for (const Row& row : rows) {
            const std::string* cells[4] = {&row.tape, &row.items, &row.kept, &row.buffer};
            for (int i = 0; i < 4; ++i) width[i] = std::max(width[i], cells[i]->size());
        }
        for (const Row& row : rows) {
            out += fmt::format("{}{:<{}}  {:>{}}  {:>{}}  {:>{}}\n", &row == &rows[0] ? "" : "  ",
                               row.tape, width[0] + (&row == &rows[0] ? 2 : 0), row.items, width[1],
                               row.kept, width[2], row.buffer, width[3]);
        }
    }

    const graph::Graph& graph;
    const graph::Repetitions& repetitions;
    const Schedule& schedule;
    std::vector<std::string> names;
    std::string out;
};

}  // namespace

std::string print(const graph::Graph& graph, const graph::Repetitions& repetitions,
                  const Schedule& schedule) {
    return Printer(graph, repetitions, schedule).print();
}

}  // namespace strc::sched
