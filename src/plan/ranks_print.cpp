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
        out = summariseRanks(ranks, network, count) + '\n';
        out += fmt::format("a chunk is {} steady states\n\n",
                           plan.chunk->iterations * plan.chunk->usual);
        for (std::size_t k = 0; k + 1 < first.size(); ++k) printRank(first, k);
        printScaling();
        return std::move(out);
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
                               speed.alone / speed.chunk, limitOf(first, speed));
        }
    }

    std::string limitOf(const std::vector<std::uint32_t>& first, const strc_cut_speed& speed) {
        if (first.size() == 2) return "one rank does all";
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
        const bool isWhole =
            std::none_of(ranks.mayBegin.begin() + begin + 1, ranks.mayBegin.begin() + end,
                         [](std::uint32_t may) { return may != 0; });
        if (nodes.size() == 1) return names[*nodes.begin()] + ", which cannot be cut";
        const std::vector<double>& work = plan.chunk->nodeWork;
        const NodeId most = *std::max_element(
            nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) { return work[a] < work[b]; });
        return fmt::format("{} filters{}, the heaviest is {}", nodes.size(),
                           isWhole ? ", which cannot be cut" : "", names[most]);
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

std::string summariseRanks(const Ranks& ranks, const Network& network, unsigned count) {
    const strc_ranks view = viewOf(ranks, network);
    const std::vector<std::uint32_t> first = cut(ranks, network, count);
    const auto used = static_cast<std::uint32_t>(first.size() - 1);
    const strc_cut_speed speed = strc_cut_predict(&view, used, first.data());
    return fmt::format(
        "{} of {} ranks, {} us from one to another, {} bytes in a us: {:.2f} times as "
        "fast as one rank by the model",
        used, count, number(network.latency / kMicrosecond), number(network.pace * kMicrosecond),
        speed.alone / speed.chunk);
}

}  // namespace strc::plan
