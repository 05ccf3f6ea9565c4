#include "lowered/detail/ends.h"

#include <algorithm>

namespace strc::lowered {
namespace {

using graph::EdgeId;
using plan::Step;
using plan::StepKind;

class EndFinder {
public:
    EndFinder(const plan::Plan& plan, std::span<const Step> all) : plan(plan), steps(all) {}

    End find(StepKind kind) const {
        const bool isIn = kind == StepKind::Read;
        if ((isIn ? plan.inputs : plan.outputs).size() > 1) return {};  // which have fields
        const Step* end = nullptr;
        for (const Step& step : steps) {
            if (step.kind != kind) continue;
            if (end) return {};
            end = &step;
        }
        if (!end) return {};
        const plan::Position& place = isIn ? end->outputs[0] : end->inputs[0];
        const EdgeId tape = plan.channels[end->channel].tape;
        const bool isFine =
            place.perIteration.empty() && isEmptyBetween(tape) && isOneWay(steps, tape, isIn);
        return isFine ? End{tape, place.base, end->count} : End{};
    }

private:
    bool isEmptyBetween(EdgeId tape) const {
        return std::all_of(plan.channels.begin(), plan.channels.end(),
                           [&](const plan::Channel& channel) {
                               return channel.tape != tape || channel.retained == 0;
                           });
    }

    bool isAmong(const std::vector<EdgeId>& edges, EdgeId tape) const {
        return std::any_of(edges.begin(), edges.end(),
                           [&](EdgeId edge) { return plan.channels[edge].tape == tape; });
    }

    /// Is what has been read only looked at, or what is written not looked at? And does nothing else stand in the way?
    bool isOneWay(std::span<const Step> list, EdgeId tape, bool isIn) const {
        return std::all_of(list.begin(), list.end(), [&](const Step& step) {
            switch (step.kind) {
                case StepKind::Loop: return isOneWay(step.body, tape, isIn) && !hasEnd(step, tape);
                case StepKind::Move: return plan.channels[step.channel].tape != tape;
                case StepKind::Fire:
                    return !isAmong(isIn ? plan.outputsOf(step.node) : plan.inputsOf(step.node),
                                    tape);
                case StepKind::Read: return isIn || plan.channels[step.channel].tape != tape;
                case StepKind::Write: return !isIn || plan.channels[step.channel].tape != tape;
                default: return true;
            }
        });
    }

    bool hasEnd(const Step& loop, EdgeId tape) const {
        return std::any_of(loop.body.begin(), loop.body.end(), [&](const Step& step) {
            const bool isEnd = step.kind == StepKind::Read || step.kind == StepKind::Write;
            return isEnd && plan.channels[step.channel].tape == tape;
        });
    }

    const plan::Plan& plan;
    const std::span<const Step> steps;
};

}  // namespace

Ends findEnds(const plan::Plan& plan, std::span<const Step> steps) {
    const EndFinder finder(plan, steps);
    return {finder.find(StepKind::Read), finder.find(StepKind::Write)};
}

bool touches(const plan::Plan& plan, std::span<const Step> steps, EdgeId tape) {
    auto isOn = [&](EdgeId edge) { return plan.channels[edge].tape == tape; };
    return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
        if (step.kind == StepKind::Loop) return touches(plan, step.body, tape);
        if (step.kind != StepKind::Fire) return step.kind == StepKind::Move && isOn(step.channel);
        const std::vector<EdgeId>&in = plan.inputsOf(step.node), &out = plan.outputsOf(step.node);
        return std::any_of(in.begin(), in.end(), isOn) || std::any_of(out.begin(), out.end(), isOn);
    });
}

}  // namespace strc::lowered
