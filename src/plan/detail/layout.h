#pragma once
/// Where everything lies in the state. Private to plan.

#include <string>

#include "base/context.h"
#include "plan/plan.h"
#include "strc/demand.h"

namespace strc::plan {

constexpr std::int64_t kFieldAlignment = 16;    ///< of the widest scalar that fields hold
constexpr std::int64_t kCounterSize = 8;        ///< of Plan::counters
constexpr std::int64_t kMailboxSize = sizeof(strc_mailbox);
constexpr std::int64_t kQueueSize = sizeof(strc_queue);
constexpr std::int64_t kActorSize = sizeof(strc_actor);
constexpr std::int64_t kChannelAlignment = 64;  ///< a cache line

/// Fills fields, counters, offsets, stateSize and image from the capacities. False after reporting.
bool layOut(base::Context&, Plan&);

/// What the ring of an edge begins with.
std::string ringBytes(const Plan&, EdgeId);

/// Does the code of a filter ask iter()? Then its firings are counted (Plan::counters).
bool countsFirings(const elab::Kernel&);

/// Bytes of a filter's fields.
std::int64_t fieldsSize(const elab::Elaboration&, NodeId);

}  // namespace strc::plan
