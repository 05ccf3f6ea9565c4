#include "sched/detail/loops.h"

#include <iterator>
#include <utility>

namespace strc::sched {

Loop leaf(graph::NodeId node, std::int64_t count) { return {count, node, {}}; }

void appendTimes(Body& to, Body body, std::int64_t count) {
    if (count == 0 || body.empty()) return;
    if (count == 1) {
        if (to.empty()) {
            to = std::move(body);
        } else {
            to.insert(to.end(), std::make_move_iterator(body.begin()),
                      std::make_move_iterator(body.end()));
        }
    } else if (body.size() == 1) {
        body[0].count *= count;
        to.push_back(std::move(body[0]));
    } else {
        to.push_back({count, graph::kNone, std::move(body)});
    }
}

std::int64_t leaves(const Body& body) {
    std::int64_t sum = 0;
    for (const Loop& loop : body) sum += loop.isLeaf() ? 1 : leaves(loop.children);
    return sum;
}

Body substitute(const Body& shape, const std::vector<const Body*>& bodies) {
    Body result;
    for (const Loop& loop : shape) {
        Body inner = loop.isLeaf() ? *bodies[loop.node] : substitute(loop.children, bodies);
        appendTimes(result, std::move(inner), loop.count);
    }
    return result;
}

}  // namespace strc::sched
