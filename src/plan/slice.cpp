#include "plan/detail/slice.h"

#include <utility>

#include "plan/drain.h"

namespace strc::plan {
namespace {

/// The loop that was the outermost one does `count` iterations in each slice.
void moveAlong(Step& step, std::int64_t count) {
    for (auto* places : {&step.inputs, &step.outputs})
        for (Position& place : *places) {
            const std::int64_t once = place.perIteration.empty() ? 0 : place.perIteration.front();
            place.perIteration.insert(place.perIteration.begin(), once * count);
        }
    for (Step& inner : step.body) moveAlong(inner, count);
}

}  // namespace

Step sliceOf(const Plan& plan, Step step, std::int64_t slices) {
    step.count /= slices;
    if (step.kind == StepKind::Loop) {
        for (Step& inner : step.body) moveAlong(inner, step.count);
        return step;
    }
    const bool fires = step.kind == StepKind::Fire;
    auto once = [&](std::size_t port, bool isInput) {
        return fires ? itemsAt(plan, step.node, port, isInput, step.first) : 1;
    };
    for (std::size_t port = 0; port < step.inputs.size(); ++port)
        step.inputs[port].perIteration = {step.count * once(port, true)};
    for (std::size_t port = 0; port < step.outputs.size(); ++port)
        step.outputs[port].perIteration = {step.count * once(port, false)};
    return step;
}

}  // namespace strc::plan
