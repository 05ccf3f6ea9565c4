// What threads would do when, by the estimate: list scheduling by the longest way to the end (HEFT: Topcuoglu, Hariri, Wu,
// "Performance-effective and low-complexity task scheduling", IEEE TPDS 13 (3), 2002), without distances.
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "plan/detail/partition.h"

namespace strc::plan {
namespace {

constexpr double kNotYet = std::numeric_limits<double>::infinity();

class Spreading {
public:
    Spreading(const std::vector<Partition>& all, const std::vector<PartitionChannel>& channels,
              unsigned threads)
        : partitions(all), needs(all.size()), ends(all.size()), free(threads) {
        for (const PartitionChannel& channel : channels)
            if (channel.from != channel.to) needs[channel.to].push_back(channel.from);
        for (std::size_t k = 0; k < all.size(); ++k)
            ends[k].assign(static_cast<std::size_t>(all[k].slices), kNotYet);
        loads.assign(threads, 0);
    }

    /// Those from which the way to the end is longest come first.
    std::vector<std::size_t> order() const {
        std::vector<double> ways(partitions.size());
        // Partitions stand in the order of their first steps, but joined ones may need later ones.
        for (std::size_t round = 0; round < partitions.size(); ++round) {
            bool isSame = true;
            for (std::size_t k = partitions.size(); k-- > 0;) {
                const double own = std::max(ways[k], partitions[k].work);
                isSame = isSame && own == ways[k];
                ways[k] = own;
                for (std::size_t from : needs[k])
                    if (const double way = own + partitions[from].work; way > ways[from]) {
                        ways[from] = way;
                        isSame = false;
                    }
            }
            if (isSame) break;
        }
        std::vector<std::size_t> made(partitions.size());
        std::iota(made.begin(), made.end(), 0);
        std::stable_sort(made.begin(), made.end(),
                         [&](std::size_t a, std::size_t b) { return ways[a] > ways[b]; });
        return made;
    }

    /// The time at which all is done.
    double run(const std::vector<std::size_t>& order) {
        double last = 0;
        while (const std::optional<Task> task = next(order)) {
            const Partition& partition = partitions[task->partition];
            const double takes = partition.work / static_cast<double>(partition.slices) + kHandOver;
            free[task->thread] = task->begin + takes;
            ends[task->partition][task->slice] = free[task->thread];
            last = std::max(last, free[task->thread]);
        }
        return last;
    }

    /// Each thread has as much of the work as the others, as far as whole partitions allow.
    std::uint32_t homeOf(std::size_t k) {
        const auto least = std::min_element(loads.begin(), loads.end());
        *least += partitions[k].work;
        return static_cast<std::uint32_t>(least - loads.begin());
    }

private:
    struct Task {
        std::size_t partition = 0, slice = 0;
        std::size_t thread = 0;
        double begin = kNotYet;
    };

    /// The task that can begin first, of several the one that stands first.
    std::optional<Task> next(const std::vector<std::size_t>& order) const {
        const auto thread =
            static_cast<std::size_t>(std::min_element(free.begin(), free.end()) - free.begin());
        Task best;
        for (std::size_t k : order) {
            const auto slice = static_cast<std::size_t>(
                std::find(ends[k].begin(), ends[k].end(), kNotYet) - ends[k].begin());
            if (slice == ends[k].size()) continue;
            const double begin = std::max(free[thread], isReady(k, slice));
            if (begin < best.begin) best = {k, slice, thread, begin};
        }
        return best.begin == kNotYet ? std::nullopt : std::optional(best);
    }

    double isReady(std::size_t k, std::size_t slice) const {
        double at = 0;
        if (partitions[k].isInOrder && slice > 0) at = ends[k][slice - 1];
        for (std::size_t from : needs[k]) {
            const bool bySlice = ends[from].size() == ends[k].size();
            const std::size_t last = bySlice ? slice : ends[from].size() - 1;
            for (std::size_t s = 0; s <= last; ++s) at = std::max(at, ends[from][s]);
        }
        return at;
    }

    const std::vector<Partition>& partitions;
    std::vector<std::vector<std::size_t>> needs;
    std::vector<std::vector<double>> ends;  ///< by partition and slice
    std::vector<double> free;  ///< by thread: when it has done what it has begun
    std::vector<double> loads;  ///< by thread: work of the partitions that are at home there
};

}  // namespace

double spread(std::vector<Partition>& partitions, std::vector<PartitionChannel>& channels,
              unsigned threads) {
    Spreading spreading(partitions, channels, threads);
    const std::vector<std::size_t> order = spreading.order();
    const double span = spreading.run(order);
    std::vector<Partition> sorted;
    std::vector<std::size_t> places(partitions.size());
    for (std::size_t k : order) {
        places[k] = sorted.size();
        partitions[k].home = spreading.homeOf(k);
        sorted.push_back(std::move(partitions[k]));
    }
    partitions = std::move(sorted);
    for (PartitionChannel& channel : channels) {
        channel.from = places[channel.from];
        channel.to = places[channel.to];
    }
    return span;
}

}  // namespace strc::plan
