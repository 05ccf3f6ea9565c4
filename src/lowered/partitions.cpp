#include "lowered/detail/partitions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lowered/detail/phases.h"

namespace strc::lowered {
namespace {

using plan::Step;
using plan::StepKind;

bool isOnce(const std::vector<Step>& steps, StepKind kind, std::size_t ports) {
    const auto count = std::count_if(steps.begin(), steps.end(),
                                     [&](const Step& step) { return step.kind == kind; });
    return ports <= 1 && static_cast<std::size_t>(count) == ports;
}

/// The step of an end, as the only one of its kind; none: there is none.
std::optional<Step> endStep(const std::vector<Step>& steps, StepKind kind) {
    const auto found = std::find_if(steps.begin(), steps.end(),
                                    [&](const Step& step) { return step.kind == kind; });
    if (found == steps.end()) return std::nullopt;
    Step made = *found;
    made.port = 0;
    for (std::vector<plan::Position>* places : {&made.inputs, &made.outputs})
        for (plan::Position& place : *places) place = {};
    return made;
}

class Partitions {
public:
    Partitions(Functions& all, base::Context* context, const plan::Plan& planned,
               base::SourceRange header)
        : functions(all), context(context), plan(planned), header(header) {}

    plan::Partitioning run() {
        plan::Partitioning made = *plan.partitioning;
        const std::optional<Step> read = endStep(made.begin, StepKind::Read),
                                  write = endStep(made.end, StepKind::Write);
        made.begin = part(made.begin, 0, "begin");
        made.end = part(made.end, 0, "end");
        if (read) {
            for (Step& step : made.begin) step.inputs = {plan::Position{}};
            made.begin.insert(made.begin.begin(), *read);
        }
        if (write) {
            for (Step& step : made.end) step.outputs = {plan::Position{}};
            made.end.push_back(*write);
        }
        for (std::size_t k = 0; k < made.partitions.size(); ++k) {
            plan::Partition& each = made.partitions[k];
            each.steps = part(each.steps, 1, "partition_" + std::to_string(k));
            each.nodes = {0};
        }
        made.nodeWork = {made.work};
        return made;
    }

private:
    /// A function with these steps, inside of so many loops; none if nothing is to be done.
    std::vector<Step> part(const std::vector<Step>& list, std::size_t depth,
                           const std::string& name) {
        ir::Body body = partBody(functions, context, plan, {list, depth, name, header});
        if (body.blocks[body.entry].instrs.empty()) return {};
        Step made;
        made.kind = StepKind::Part;
        made.node = 0;
        made.count = plan.partitioning->iterations;
        made.port = functions.add(std::move(body));
        return {made};
    }

    Functions& functions;
    base::Context* context;
    const plan::Plan& plan;
    const base::SourceRange header;
};

}  // namespace

bool hasPartitions(const plan::Plan& plan) {
    return plan.partitioning &&
           isOnce(plan.partitioning->begin, StepKind::Read, plan.inputs.size()) &&
           isOnce(plan.partitioning->end, StepKind::Write, plan.outputs.size());
}

plan::Partitioning partitionsOf(Functions& functions, base::Context* context,
                                const plan::Plan& plan, base::SourceRange header) {
    return Partitions(functions, context, plan, header).run();
}

void placeEnds(plan::Partitioning& partitioning, const graph::Graph& graph) {
    for (Step& step : partitioning.begin)
        if (step.kind == StepKind::Read) step.channel = graph.input;
    for (Step& step : partitioning.end)
        if (step.kind == StepKind::Write) step.channel = graph.output;
}

}  // namespace strc::lowered
