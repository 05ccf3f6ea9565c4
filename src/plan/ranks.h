#pragma once
/// How a program is cut over several processes (strc/ranks.h, docs/design/ranks.md): the segments of its chunk, between which of them a
/// rank may end, and what lies on tapes there. In: a plan that was made with Options::ranks.

#include <cstdint>
#include <string>
#include <vector>

#include "graph/picture.h"
#include "plan/plan.h"
#include "strc/ranks.h"

namespace strc::plan {

struct Network {
    double latency = 10'000;  ///< ns from one rank to another
    double pace = 1.25;  ///< bytes in a ns
};

/// strc_ranks as vectors.
struct Ranks {
    std::vector<double> work;
    std::vector<std::uint32_t> mayBegin;
    std::vector<const char*>
        whyNot;  ///< by segment: what a rank that began there would divide; null: nothing
    std::vector<strc_rank_tape> tapes;
    std::vector<EdgeId> edges;  ///< by tape
    std::vector<std::uint32_t> inputs, outputs;
    std::uint32_t prints = STRC_NO_SEGMENT;
    std::uint32_t slices = 1;
};

/// Why there is nothing to cut, as half a sentence ("it sends messages, which have an order"); empty: there is.
std::string whyNoRanks(const Plan&);

/// Of a plan that has something to cut.
Ranks findRanks(const Plan&);

/// A view of it, for functions of the runtime.
strc_ranks viewOf(const Ranks&, const Network&);

/// By rank the segment with which it begins, and one more at the end. No more than `count`.
std::vector<std::uint32_t> cut(const Ranks&, const Network&, unsigned count);

/// The cut as a table: what each rank does, what crosses in a steady state, how fast that is by the model; then how that goes on with more
/// ranks, up to 1,024, and what ends it.
std::string printRanks(const Plan&, const Ranks&, const Network&, unsigned count);
/// The same for pictures.
graph::Segmentation segmentationOf(const Plan&, const Ranks&, const Network&, unsigned count);
/// In one line; also why one rank does all, if others are left over then.
std::string summariseRanks(const Plan&, const Ranks&, const Network&, unsigned count);

}  // namespace strc::plan
