#pragma once
/// Several steady states as one, each node with all its firings at a stretch. Private to plan.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/context.h"
#include "plan/detail/message_order.h"
#include "plan/detail/place.h"
#include "sched/schedule.h"

namespace strc::plan {

struct ScaleOptions {
    /// Loops of nodes without feedback are taken apart: each node has all its firings at a stretch.
    bool flat = false;
    bool feedbackBlocks = true;
    bool gathers = false;  ///< readers of one tape stand beside each other (gather.h)
};

/// `steady` with the counts of all leaves times `factor`; feedback loops are done in blocks (feedback.h)
/// if `how` says so and they can, else repeated as they are. `held`: items on each edge between steady
/// states. Empty where that cannot be: several nodes have an ordered effect of one kind (language.md
/// 12.6), one calls natives, or sends messages of which `messages` does not tell, or a node, feedback
/// loop, or component that messages make does not stand in one place, after all that come before it.
std::optional<sched::Loop> scaledSteady(const graph::Graph&, const sched::Loop& steady,
                                        std::span<const std::int64_t> held, std::int64_t factor,
                                        ScaleOptions how, const MessageOrder& messages);

/// What there is to scale.
struct Scalable {
    const sched::Loop* steady = nullptr;
    Begin begin;  ///< with sharing
    /// Items on each edge between steady states, as if it had its own memory.
    std::vector<std::int64_t> between;
    std::vector<bool> sequential;  ///< findSequential
    std::int64_t factor = 0;  ///< Options::factor
    bool forDevice = false;  ///< Options::forDevice
    /// If sent messages can be undone; then `steady` has its nodes as inStretches makes them. Empty: they cannot, or there are none.
    MessageOrder messages = {};
};

struct Scaled {
    std::int64_t factor = 0;  ///< 0: the program is not scaled
    Placed placed;
};

/// So many steady states as one, with neighbours that are `sequential` fused. factor 0: that cannot be, or needs more than so many
/// bytes beyond what waits on tapes anyway.
Scaled scaledBy(const graph::Graph&, const Scalable&, ScaleOptions, std::int64_t factor,
                std::int64_t mostBytes);

/// The passes `scaling` and `feedback-blocks`: as many steady states as fast memory holds, `most` at most. For a device, as
/// many as it may copy while it computes.
Scaled scale(base::Context&, const graph::Graph&, std::int64_t most, Scalable);

}  // namespace strc::plan
