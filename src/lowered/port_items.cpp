#include "lowered/detail/port_items.h"

#include <algorithm>

namespace strc::lowered {
namespace {

using graph::EdgeId;
using plan::Position;
using plan::Step;
using plan::StepKind;

bool isAt(const Step& step, EdgeId edge) {
    return (step.kind == StepKind::Read || step.kind == StepKind::Write) && step.channel == edge;
}

/// That steps read from, or write to, a port.
std::int64_t itemsAt(const std::vector<Step>& steps, EdgeId edge) {
    std::int64_t items = 0;
    for (const Step& step : steps) {
        if (step.kind == StepKind::Loop) items += step.count * itemsAt(step.body, edge);
        if (isAt(step, edge)) items += step.count;
    }
    return items;
}

}  // namespace

PortItems::PortItems(const plan::Plan& plan) : plan(plan), all(findPorts(plan)) {
    for (const std::vector<Port>* side : {&all.inputs, &all.outputs}) {
        if (side->size() == 1) continue;
        for (const Port& port : *side) {
            for (const plan::Phase* phase : {&plan.init, &plan.steady, &plan.scaled})
                number(phase->steps, port.edge, {});
            if (!plan.drain) continue;
            number(plan.drain->init.steps, port.edge, {});
            number(plan.drain->steady.steps, port.edge, {});
        }
    }
}

/// `at`: of the first item of the list. How many items there are.
std::int64_t PortItems::number(const std::vector<Step>& list, EdgeId edge, const Position& at) {
    std::int64_t items = 0;
    for (const Step& step : list) {
        Position here = at;
        here.base += items;
        if (step.kind == StepKind::Loop) {
            here.perIteration.push_back(itemsAt(step.body, edge));
            items += step.count * number(step.body, edge, here);
        } else if (isAt(step, edge)) {
            places[&step] = here;
            items += step.count;
        }
    }
    return items;
}

const Position* PortItems::find(const Step& step) const {
    const auto found = places.find(&step);
    return found == places.end() ? nullptr : &found->second;
}

graph::FlowRate PortItems::rateOf(EdgeId edge) const {
    return {itemsAt(plan.init.steps, edge), itemsAt(plan.steady.steps, edge)};
}

std::int64_t PortItems::mostOf(EdgeId edge) const {
    const graph::FlowRate rate = rateOf(edge);
    return std::max({rate.first, rate.then, itemsAt(plan.scaled.steps, edge), std::int64_t{1}});
}

}  // namespace strc::lowered
