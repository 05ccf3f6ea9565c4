#pragma once
/// Judges in which order a replay fires those who send and receive messages. Private to plan.

#include <map>
#include <set>
#include <vector>

#include "graph/sdep.h"
#include "plan/detail/verify_faults.h"
#include "plan/plan.h"

namespace strc::plan {

class MessageCheck {
public:
    MessageCheck(const Plan&, const graph::Repetitions&, VerifyFaults&);

    /// What fires from now on is the steady state whose order the others have to keep.
    void beginPattern();
    void endPattern() { learns = false; }
    /// One firing, in the order of the replay.
    void fires(NodeId);

private:
    /// Receivers for which the order of their senders and themselves can be seen.
    struct Order {
        NodeId receiver = graph::kNone;
        std::set<NodeId> nodes;
        std::vector<NodeId> pattern;
        std::size_t at = 0;
    };
    void findOrders();
    void checkGuards(NodeId);
    void checkOrder(Order&, NodeId);

    const Plan& plan;
    VerifyFaults& faults;
    std::vector<graph::Guard> guards;
    std::vector<Order> orders;
    std::vector<std::int64_t> fired;  ///< by NodeId, since the start of the program
    bool learns = false;
};

}  // namespace strc::plan
