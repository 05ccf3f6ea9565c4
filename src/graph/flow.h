#pragma once
/// One static edge as arithmetic: how the firings of its two ends hang together (language.md 12.1,
/// 12.7). Exact; what exceeds kMaxCount becomes kMaxCount.

#include <cstdint>

#include "graph/graph.h"

namespace strc::graph {

/// Firings and items are counted up to here, so that sums of two stay exact. A program that needs
/// more is refused (RepetitionOverflow).
constexpr std::int64_t kMaxCount = std::int64_t{1} << 60;

struct Flow {
    NodeId from = kNone;
    NodeId to = kNone;
    EdgeId edge = kNone;
    std::int64_t initial = 0;
    bool fromHasFirst = false;  ///< the source has a prework
    bool toHasFirst = false;    ///< the consumer has a prework
    FlowRate push, pop, look;   ///< look: items that have to be there, at least pop

    /// Items that come onto the edge in `firings` firings of the source, initial ones not counted.
    std::int64_t produced(std::int64_t firings) const;
    /// Items that `firings` firings of the consumer take.
    std::int64_t consumed(std::int64_t firings) const;
    /// Items, initial ones included, that have to come before `firings` firings of the consumer are
    /// complete: peeks count.
    std::int64_t needed(std::int64_t firings) const;
    /// Least number of source firings for `firings` firings of the consumer; kMaxCount: never.
    std::int64_t sourceFirings(std::int64_t firings) const;
    /// Least number of source firings that brings `items` items, initial ones included.
    std::int64_t sourceFiringsForItems(std::int64_t items) const;
    /// Most firings that the consumer can complete after `firings` firings of the source.
    std::int64_t enabled(std::int64_t firings) const;
    /// Items that stay on the edge between steady states (language.md 12.3).
    std::int64_t extra() const { return look.then - pop.then; }
    /// Beyond preworks and initial items: sourceFirings(k + r) - sourceFirings(k) is periodic from
    /// this `firings` on.
    bool isPeriodicAt(std::int64_t firings) const;
};

/// The flow of an edge both of whose rates are static (STRC_ASSERT).
Flow flowOf(const Graph&, EdgeId);

/// a * b, a + b of counts >= 0, at most kMaxCount.
std::int64_t multiplyCounts(std::int64_t a, std::int64_t b);
std::int64_t addCounts(std::int64_t a, std::int64_t b);

}  // namespace strc::graph
