#pragma once
/// Plans of graphs built by hand: their tapes hold floats, or arrays of them.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/pass.h"
#include "plan/plan.h"
#include "sched/balance.h"
#include "support/streams.h"

namespace strc::plan::test {

constexpr sched::Order kOrders[] = {sched::Order::Buffers, sched::Order::SingleAppearance,
                                    sched::Order::Latency};

struct Planned {
    explicit Planned(graph::Graph graph, std::int64_t floats = 1) {
        const types::Type* type = types.floatType();
        if (floats > 1) type = types.array(type, floats);
        for (graph::Edge& edge : graph.edges) {
            edge.type = type;
            for (std::size_t i = 0; i < edge.initial.size(); ++i) {
                edge.initial[i] = types::Value::zero(type);
                edge.initial[i].bytes[0] = static_cast<char>(i + 1);
            }
        }
        program.graph = std::move(graph);
    }
    explicit Planned(const testing::Stream& stream, std::int64_t floats = 1)
        : Planned(testing::build(stream), floats) {}

    /// The plan; `verify` must have nothing to say.
    Planned& make(sched::Order order = sched::Order::Buffers, bool scale = true) {
        plan.reset();
        repetitions = sched::balance(context, program.graph);
        if (repetitions) schedule = sched::schedule(context, program.graph, *repetitions, order);
        if (repetitions && scale)
            single = sched::schedule(context, program.graph, *repetitions,
                                     sched::Order::SingleAppearance);
        if (!scale) context.passes.disable(base::Pass::Scaling);
        if (schedule)
            plan = plan::plan(context, program, *repetitions, *schedule,
                              {single ? &*single : nullptr});
        for (const auto& fault : context.diags.all())
            ADD_FAILURE() << message(fault.id, fault.args);
        return *this;
    }
    Planned& verified() {
        if (plan)
            EXPECT_THAT(verify(*plan, *repetitions), ::testing::IsEmpty()) << print(*plan);
        else
            ADD_FAILURE() << "no plan";
        return *this;
    }
    const Channel& channel(const std::string& from, const std::string& to) const {
        return plan->channels[testing::edge(program.graph, from, to)];
    }

    types::TypeTable types;
    elab::Elaboration program;
    base::Context context;
    std::optional<graph::Repetitions> repetitions;
    std::optional<sched::Schedule> schedule, single;
    std::optional<Plan> plan;
};

/// Steps in all, those inside of loops included.
inline std::int64_t steps(const std::vector<Step>& list) {
    std::int64_t sum = 0;
    for (const Step& step : list) sum += 1 + steps(step.body);
    return sum;
}

/// Items that all Moves of a phase move.
inline std::int64_t moved(const std::vector<Step>& list) {
    std::int64_t sum = 0;
    for (const Step& step : list) {
        if (step.kind == StepKind::Move) sum += step.count;
        if (step.kind == StepKind::Loop) sum += step.count * moved(step.body);
    }
    return sum;
}

}  // namespace strc::plan::test
