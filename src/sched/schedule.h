#pragma once
/// Static schedules as loop trees, with exact buffer bounds. docs/schedule.md tells how they come
/// about and which papers stand behind them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "graph/graph.h"

namespace strc::sched {

/// A tree: a leaf fires `node` `count` times; an inner node runs its children in order `count` times.
/// Never a list of single firings: one steady state may have 200 million. Inner nodes below the root
/// have a count of at least 2, so a tree is never deep.
struct Loop {
    std::int64_t count = 1;
    graph::NodeId node = graph::kNone;  ///< leaf
    std::vector<Loop> children;
    bool isLeaf() const { return node != graph::kNone; }
    bool operator==(const Loop&) const = default;
};

/// The schedule of one static island, which is the whole program if it has no dynamic rates.
struct Schedule {
    Loop init;
    Loop steady;
    std::vector<std::int64_t> capacity;  ///< items each edge must hold, by EdgeId: exact maximum;
        ///< 0 for edges of other islands and dynamic ones
    std::uint32_t island = 0;
    std::string remark;  ///< why it is not in the order asked for, or empty
};

/// Buffers: small buffers (default). SingleAppearance: every node appears once where feedback
/// permits. Latency: an output item leaves as early as it can.
enum class Order : std::uint8_t { Buffers, SingleAppearance, Latency };

/// `repetitions` from balance. Programs with messages or with ordered effects of several nodes (language.md
/// 12.6) are always in the order that the language prescribes. Empty after reporting. Checked builds
/// verify every schedule.
std::optional<Schedule> schedule(base::Context&, const graph::Graph&, const graph::Repetitions&,
                                 Order, std::uint32_t island = 0);

/// The two schedules, e.g. "(4 Source) (2 Fir (3 Add))" with node paths, the buffers, and the items
/// per steady state, as `strc schedule` shows them.
std::string print(const graph::Graph&, const graph::Repetitions&, const Schedule&);

}  // namespace strc::sched
