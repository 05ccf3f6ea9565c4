#pragma once
/// Which nodes keep their order among each other because of messages, if several steady states are done at once. Private to plan.
///
/// A message is due before a firing of its receiver whose number the sender computes (language.md 14.4, after Thies, Karczmarek,
/// Sermulins, Rabbah, Amarasinghe, "Teleport messaging for distributed stream programs", PPoPP 2005, section 4). So a sender may do all its
/// firings before the receiver does its own, if that number does not depend on how far the receiver is, and no other filter sends to it
/// (messages that are due at the same time come in the order of sending).
/// Else both, and all that is on ways between them, fire in the order of the schedule, steady state by steady state.

#include <vector>

#include "graph/components.h"
#include "plan/plan.h"
#include "sched/schedule.h"

namespace strc::plan {

/// Messages that bind their receiver alone, which comes later: their sender does not wait for it.
struct Post {
    NodeId sender = graph::kNone, receiver = graph::kNone;
};

/// The posts of a plan with mailboxes and routes; of all other messages sender and receiver take turns.
std::vector<Post> postsOf(const Plan&);

struct MessageOrder {
    std::vector<graph::Arrow> arrows;  ///< who comes after whom, besides what edges say
    std::vector<bool> hasMail;  ///< by node: it sends or receives

    bool isEmpty() const { return arrows.empty() && hasMail.empty(); }
};

/// Of a plan with mailboxes and routes. Empty: there are no messages.
MessageOrder messageOrder(const Plan&);

/// Nodes that wait for each other, because of edges or messages.
graph::Components componentsOf(const graph::Graph&, const MessageOrder&);

/// A steady state in which each node has its firings at a stretch, but for nodes of one component, which fire in the order of
/// `steady`.
sched::Loop inStretches(const graph::Graph&, const MessageOrder&, const sched::Loop& steady);

/// Can what is on its way be copied? Texts live no longer than the firing that made them.
bool hasTextMessages(const elab::Elaboration&);

}  // namespace strc::plan
