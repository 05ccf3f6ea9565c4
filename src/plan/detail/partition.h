#pragma once
/// Divides a phase among the threads of a library, within one call (plan.h, Partitioning). Private to plan.
///
/// The phase is flat: each node has all its firings at a stretch, on tapes that have room for all of them. So a slice of it, some of
/// its steady states, needs nothing but the slices before it of those who make its items, and threads may be at different
/// slices of different partitions: filters with state are pipelined over the slices, those without are also done several slices
/// at a time (Gordon, Thies, Amarasinghe, "Exploiting coarse-grained task, data, and pipeline parallelism in stream
/// programs", ASPLOS 2006). At the end of the phase all is done, so nothing is delayed.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan/detail/place.h"
#include "plan/detail/scale.h"
#include "plan/plan.h"

namespace strc::plan {

/// Steps that are done together, and what they wait for, while it is not yet decided who is with whom.
struct PartitionDraft {
    std::vector<std::size_t> steps;  ///< of the phase, in ascending order
    std::set<NodeId> nodes;  ///< that fire in them
    double work = 0;
    bool isInOrder = false, drawsRandom = false;
    bool isSliced = true;
    std::set<std::size_t> from,
        to;  ///< drafts that make what they read, and that read what they make
    std::set<std::size_t>
        before;  ///< of `from`: those of which a slice reads items of slices before it
};

/// Joins drafts that have nodes in common, which then have one slice, and those whose work is too little to be handed over. What is joined is left empty, without steps.
void joinDrafts(std::vector<PartitionDraft>&, double least);

/// How long threads take for partitions, each of which is looked for first by the thread that is its home, which is chosen here; puts them into
/// the order in which all look for them. Unit: as of work.
double spread(std::vector<Partition>&, std::vector<PartitionChannel>&, unsigned threads);

using Measured = std::map<std::string, double>;

/// The phase `placed` of so many steady states for so many threads. `made` has channels, but need not be laid out; `reads` is left
/// out; `measured` is Options::measured. None: threads cannot gain by it.
std::optional<Partitioning> divide(const Plan& made, const Placed& placed, std::int64_t iterations,
                                   unsigned threads, const Measured* measured);

/// Work of a hand-over, and the least that is worth one: 5 µs of filters whose operations wait for each other. Vectors take a
/// fifth of that, so blocks that take too little are found out when they run (runtime/src/helpers.c).
constexpr double kHandOver = 1'500, kLeastPartition = 15'000;
/// Where the work is what has been measured.
constexpr double kLeastMeasured = 50'000;

}  // namespace strc::plan
