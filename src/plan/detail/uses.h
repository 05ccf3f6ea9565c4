#pragma once
/// What a step touches: one walk for all who have to know. Private to plan.

#include <algorithm>
#include <cstdint>

#include "plan/detail/share.h"
#include "plan/plan.h"

namespace strc::plan {

/// `items` items of `edge` from a position on. `read`: the position moves with the reading end, as
/// both ends of a Move do (`isMove`), whose edge is a tape.
struct Use {
    EdgeId edge = graph::kNone;
    bool read = false;
    std::int64_t items = 0;
    bool isMove = false;
};

/// take(Use, Position&) for each position of the step itself, not of its body.
template <typename AnyStep, typename Take>
void forEachUse(const graph::Graph& graph, const Sharing& sharing, AnyStep& step, Take&& take) {
    if (step.kind != StepKind::Fire) {
        const bool moves = step.kind == StepKind::Move;
        for (auto& position : step.inputs)
            take(Use{step.channel, true, step.count, moves}, position);
        for (auto& position : step.outputs)
            take(Use{step.channel, moves, step.count, moves}, position);
        return;
    }
    const std::vector<EdgeId>& inputs = sharing.inputsOf(step.node);
    const std::vector<EdgeId>& outputs = sharing.outputsOf(step.node);
    for (std::size_t port = 0; port < step.inputs.size(); ++port) {
        const EdgeId id = inputs[port];
        const std::int64_t pop = popRate(graph, id, step.first);
        const std::int64_t last = std::max(pop, peekRate(graph, id, step.first));
        take(Use{id, true, (step.count - 1) * pop + last}, step.inputs[port]);
    }
    for (std::size_t port = 0; port < step.outputs.size(); ++port) {
        const EdgeId id = outputs[port];
        const std::int64_t push = pushRate(graph, id, step.first);
        take(Use{id, false, step.count * push}, step.outputs[port]);
    }
}

}  // namespace strc::plan
