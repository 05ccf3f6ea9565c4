#pragma once
/// Static schedules as loop trees, with exact buffer bounds.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/context.h"
#include "graph/graph.h"

namespace strc::sched {

/// A tree: a leaf fires `node` `count` times; an inner node runs its children in order `count` times.
/// Never a list of single firings: one steady state may have 200 million.
struct Loop {
    std::int64_t count = 1;
    graph::NodeId node = graph::kNone;  ///< leaf
    std::vector<Loop> children;
    bool isLeaf() const { return node != graph::kNone; }
};

struct Schedule {
    Loop init;
    Loop steady;
    std::vector<std::int64_t> capacity;  ///< items each edge must hold, by EdgeId: exact maximum
};

/// Buffers: small buffers (default). SingleAppearance: every node appears once where feedback
/// permits. Latency: an output item leaves as early as it can.
enum class Order : std::uint8_t { Buffers, SingleAppearance, Latency };

/// Of a graph whose edges are all static; `quota` from balance. Empty after reporting.
std::optional<Schedule> schedule(base::Context&, const graph::Graph&, const graph::Quota&, Order);

/// "(4 Source) (2 Fir (3 Add))" with node paths; init first.
std::string print(const graph::Graph&, const Schedule&);

}  // namespace strc::sched
