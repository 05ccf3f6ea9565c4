// What a cut over ranks looks like, and how fast it should be.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "graph/hierarchy.h"
#include "plan/detail/names.h"
#include "plan/marks.h"
#include "plan/ranks.h"

namespace strc::plan {
namespace {

constexpr unsigned kMostSimulated = 1024;
constexpr double kMicrosecond = 1'000;

std::string number(double value) {
    return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

class RanksPrinter {
public:
    RanksPrinter(const Plan& plan, const Ranks& ranks, const Network& network)
        : plan(plan),
          ranks(ranks),
          network(network),
          view(viewOf(ranks, network)),
          names(graph::allPaths(plan.program->graph).nodes),
          states(static_cast<double>(plan.chunk->iterations * plan.chunk->usual)) {}

    std::string print(unsigned count) {
        const std::vector<std::uint32_t> first = cut(ranks, network, count);
        out = summary(count) + '\n';
        out += fmt::format("a chunk is {} steady states\n\n",
                           plan.chunk->iterations * plan.chunk->usual);
        for (std::size_t k = 0; k + 1 < first.size(); ++k) printRank(first, k);
        printScaling();
        return std::move(out);
    }

    std::string summary(unsigned count) const {
        const std::vector<std::uint32_t> first = cut(ranks, network, count);
        const auto used = static_cast<std::uint32_t>(first.size() - 1);
        const strc_cut_speed speed = strc_cut_predict(&view, used, first.data());
        return fmt::format(
            "{} of {} ranks, {} us from one to another, {} bytes in a us: {:.2f} times as fast as "
            "one rank by the model{}",
            used, count, number(network.latency / kMicrosecond),
            number(network.pace * kMicrosecond), speed.alone / speed.chunk,
            used == 1 && count > 1 ? "; " + whyOneRank() : "");
    }

private:
    double workOf(std::uint32_t begin, std::uint32_t end) const {
        double sum = 0;
        for (std::uint32_t k = begin; k < end; ++k) sum += ranks.work[k];
        return sum;
    }

    void printRank(const std::vector<std::uint32_t>& first, std::size_t rank) {
        if (rank != 0) printCrossing(first[rank]);
        const double all = workOf(0, view.segments), own = workOf(first[rank], first[rank + 1]);
        out += fmt::format("rank {}: {:.1f}% of the work\n", rank, 100 * own / all);
        std::set<NodeId> done;
        for (std::uint32_t k = first[rank]; k < first[rank + 1]; ++k)
            for (const auto& [node, firings] : firingsOf(plan.chunk->segments[k].steps))
                done.insert(node);
        for (NodeId id : done)
            out += fmt::format("  {}  {:.1f}%\n", names[id],
                               100 * plan.chunk->nodeWork[id] / plan.chunk->work);
    }

    void printCrossing(std::uint32_t segment) {
        out += fmt::format("  | {} bytes a steady state\n",
                           number(static_cast<double>(strc_cut_bytes(&view, segment)) / states));
        for (std::size_t k = 0; k < ranks.tapes.size(); ++k) {
            std::uint64_t begin = 0;
            const std::uint64_t bytes = strc_cut_piece(&view, &ranks.tapes[k], segment, &begin);
            if (bytes != 0)
                out += fmt::format("  |   {} of {}\n", number(static_cast<double>(bytes) / states),
                                   edgeName(plan.program->graph, ranks.edges[k]));
        }
    }

    /// The same model with more and more ranks.
    void printScaling() {
        out += "\nranks  used  times as fast  what sets the pace\n";
        for (unsigned count = 1; count <= kMostSimulated; count *= 2) {
            const std::vector<std::uint32_t> first = cut(ranks, network, count);
            const auto used = static_cast<std::uint32_t>(first.size() - 1);
            const strc_cut_speed speed = strc_cut_predict(&view, used, first.data());
            out += fmt::format("{:>5}  {:>4}  {:>13.2f}  {}\n", count, used,
                               speed.alone / speed.chunk, limitOf(count, first, speed));
        }
    }

    std::string limitOf(unsigned count, const std::vector<std::uint32_t>& first,
                        const strc_cut_speed& speed) const {
        if (count == 1) return "one rank does all";
        if (first.size() == 2) return whyOneRank();
        if (speed.link >= speed.slowest) return "the network: " + slowestLink(first);
        std::size_t worst = 0;
        for (std::size_t k = 1; k + 1 < first.size(); ++k)
            if (workOf(first[k], first[k + 1]) > workOf(first[worst], first[worst + 1])) worst = k;
        const std::string work =
            fmt::format("rank {}, {}", worst, heaviest(first[worst], first[worst + 1]));
        if (speed.chunk > 1.25 * speed.slowest)
            return "waits at the end of transactions, then " + work;
        return work;
    }

    /// Although there are more.
    std::string whyOneRank() const {
        constexpr double kNearlyAll = 0.9, kMuch = 0.5;
        std::uint32_t begin = 0, most = 0, mostEnd = 0;
        for (std::uint32_t end = 1; end <= view.segments; ++end) {
            if (end < view.segments && ranks.mayBegin[end] == 0) continue;
            if (workOf(begin, end) >= workOf(most, mostEnd)) {
                most = begin;
                mostEnd = end;
            }
            begin = end;
        }
        const double share = workOf(most, mostEnd) / workOf(0, view.segments);
        const std::string whole =
            fmt::format("one rank does all: {:.0f}% of the work is that of {}", 100 * share,
                        heaviest(most, mostEnd));
        if (share > kNearlyAll) return whole;
        return (share > kMuch ? whole + ", and" : "one rank does all:") +
               " to hand items on takes longer than others would save";
    }

    std::string slowestLink(const std::vector<std::uint32_t>& first) const {
        std::size_t worst = 1;
        for (std::size_t k = 2; k + 1 < first.size(); ++k)
            if (strc_cut_bytes(&view, first[k]) > strc_cut_bytes(&view, first[worst])) worst = k;
        return fmt::format(
            "{} bytes a steady state to rank {}",
            number(static_cast<double>(strc_cut_bytes(&view, first[worst])) / states), worst);
    }

    /// One filter, or so many; and whether more ranks could divide them.
    std::string heaviest(std::uint32_t begin, std::uint32_t end) const {
        std::set<NodeId> nodes;
        for (std::uint32_t k = begin; k < end; ++k)
            for (const auto& [node, firings] : firingsOf(plan.chunk->segments[k].steps))
                nodes.insert(node);
        const std::string whole = whyWhole(nodes, begin, end);
        if (nodes.empty()) return "reading or writing a file" + whole;
        if (nodes.size() == 1) return names[*nodes.begin()] + whole;
        const std::vector<double>& work = plan.chunk->nodeWork;
        const NodeId most = *std::max_element(
            nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) { return work[a] < work[b]; });
        return fmt::format("{} filters{}, the heaviest is {}", nodes.size(), whole, names[most]);
    }

    /// Empty: more ranks could divide them.
    std::string whyWhole(const std::set<NodeId>& nodes, std::uint32_t begin,
                         std::uint32_t end) const {
        const char* why = nullptr;
        for (std::uint32_t k = begin + 1; k < end; ++k) {
            if (ranks.mayBegin[k] != 0) return "";
            if (!why) why = ranks.whyNot[k];
        }
        const graph::Graph& graph = plan.program->graph;
        if (std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) {
                return graph::isInFeedbackLoop(graph, graph.nodes[id].parent);
            }))
            why = "a feedback loop";
        return why ? fmt::format(", which cannot be cut ({})", why) : ", which cannot be cut";
    }

    const Plan& plan;
    const Ranks& ranks;
    const Network& network;
    strc_ranks view;
    std::vector<std::string> names;
    double states;  ///< of a chunk
    std::string out;
};

}  // namespace

std::string printRanks(const Plan& plan, const Ranks& ranks, const Network& network,
                       unsigned count) {
    return RanksPrinter(plan, ranks, network).print(count);
}

std::string summariseRanks(const Plan& plan, const Ranks& ranks, const Network& network,
                           unsigned count) {
    return RanksPrinter(plan, ranks, network).summary(count);
}

}  // namespace strc::plan
