// Wrong versions of the steps of planning (unit/opt/faults.h): the plan's verifier refuses what they make.
#include <functional>

#include <gmock/gmock.h>

#include "unit/opt/compared_runs.h"
#include "unit/opt/faults.h"

namespace strc::faults {
namespace {

using base::Pass;
using plan::Step;
using ::testing::IsEmpty;
using ::testing::Not;

struct PlanFault {
    Pass pass;
    std::string text;  ///< a program on which the pass has something to do
    std::function<void(plan::Plan&)> wrong;
};
void PrintTo(const PlanFault& fault, std::ostream* out) { *out << base::info(fault.pass).name; }

/// The first step, from the outermost inwards, for which `is` holds; null: there is none.
Step* findStep(std::vector<Step>& steps, const std::function<bool(const Step&)>& is) {
    for (Step& step : steps) {
        if (is(step)) return &step;
        if (Step* found = findStep(step.body, is)) return found;
    }
    return nullptr;
}
Step& firingIn(plan::Plan& plan, plan::Phase& phase, const std::string& name) {
    Step* found = findStep(phase.steps, [&](const Step& step) {
        return step.kind == plan::StepKind::Fire &&
               plan.program->graph.nodes[step.node].name == name;
    });
    EXPECT_TRUE(found) << name << " in\n" << plan::print(plan);
    static Step none;
    return found ? *found : none;
}

/// The node reads its items one place further on.
std::function<void(plan::Plan&)> otherInput(const std::string& name, std::size_t port = 0) {
    return [=](plan::Plan& plan) {
        Step& step = firingIn(plan, plan.steady, name);
        ASSERT_LT(port, step.inputs.size());
        ++step.inputs[port].base;
    };
}
/// Two channels lie in the same memory.
void shareMemory(plan::Plan& plan) {
    for (plan::Channel& channel : plan.channels) channel.offset = plan.channels[0].offset;
}
/// A block of a feedback loop has one firing more than items that it can take.
void lengthenBlock(plan::Plan& plan) { ++firingIn(plan, plan.scaled, "filter").count; }
/// Threads take the items that stay on a tape behind the filter that wants them.
void takeLate(plan::Plan& plan) {
    ASSERT_TRUE(plan.chunk) << plan::print(plan);
    for (plan::Carry& carry : plan.chunk->carries)
        if (carry.kind == plan::CarryKind::Items) ++carry.taken;
}
/// A partition waits for no other.
void hurry(plan::Plan& plan) {
    ASSERT_TRUE(plan.partitioning) << plan::print(plan);
    plan.partitioning->channels.clear();
}
/// Of neighbours that fire in turn the second one comes first.
void turnNeighbours(plan::Plan& plan) {
    Step* loop = findStep(plan.scaled.steps,
                          [](const Step& step) { return step.kind == plan::StepKind::Loop; });
    ASSERT_TRUE(loop && loop->body.size() == 3) << plan::print(plan);
    std::swap(loop->body[0], loop->body[1]);
}

const std::string kEnds =
    "void->int filter Count { int n; work push 1 { push(n * n % 1009 + n); n++; } }\n"
    "int->void filter Show { int sum; work pop 1 { sum = sum * 31 + pop(); println(sum); } }\n"
    "int->int filter Sum { int s; work pop 1 push 1 { s += pop(); push(s); } }\n"
    "int->int filter Scale(int k) { work pop 1 push 1 { push(pop() * k); } }\n"
    "int->int filter Pair { work pop 2 push 1 { push(pop() - 3 * pop()); } }\n"
    "int->int filter Twice { work pop 1 push 2 { int x = pop(); push(x); push(-x); } }\n";
std::string planned(const std::string& middle) {
    return "void->void pipeline Main { add Count; " + middle + " add Show; }\n" + kEnds;
}
std::string rows(const std::string& middle) {
    return "void->void pipeline Main { add Rows; " + middle +
           " add Sums; }\n"
           "void->float[512] filter Rows { int n; work push 1 { float[512] row; for (int k = 0; k "
           "< 512; k++) row[k] = k * 0.25 + n; n++; push(row); } }\n"
           "float[512]->float[512] filter Half { work pop 1 push 1 { float[512] row = pop(); for "
           "(int k = 0; k < 512; k++) row[k] = row[k] / 2; push(row); } }\n"
           "float[512]->void filter Sums { work pop 1 { float[512] row = pop(); float sum = 0; for "
           "(int k = 0; k < 512; k++) sum += row[k]; println(sum); } }\n";
}

std::vector<PlanFault> planFaults() {
    return {
        {Pass::Plan, planned("add Pair;"), otherInput("Pair")},
        {Pass::RemoveIdentities, planned("add Identity<int>;"), otherInput("Show")},
        {Pass::ShareDuplicates,
         planned("add splitjoin { split duplicate; add Scale(3); add Sum; join roundrobin; };"),
         otherInput("Sum")},
        {Pass::RemoveRoundRobins,
         planned("add Twice; add splitjoin { split roundrobin; add Scale(3); add Sum; join "
                 "roundrobin; }; add Pair;"),
         otherInput("Pair", 1)},
        {Pass::RemoveDelays,
         planned("add splitjoin { split duplicate; add int->int filter { prework push 1 { "
                 "push(-1); } work pop 1 push 1 { push(pop()); } }; add Sum; join roundrobin; }; "
                 "add Pair;"),
         otherInput("Pair")},
        {Pass::Scaling, planned("add Scale(3);"),
         [](plan::Plan& plan) { ++plan.scaled.iterations; }},
        {Pass::FeedbackBlocks,
         planned("add feedbackloop { join roundrobin(1, 1); body int->int filter { work pop 2 "
                 "push 1 { push((pop() + pop()) % 9973); } }; loop Identity<int>; split duplicate; "
                 "for (int i = 0; i < 700; i++) enqueue 1; };"),
         lengthenBlock},
        {Pass::Fusion, planned("add Sum; add Sum;"), turnNeighbours},
        {Pass::Chunks,
         planned("add int->int filter { work pop 1 push 1 { int x = pop(); for (int k = 0; k < "
                 "2000; k++) x = x * 31 + (x >> 3); push(x); } }; add int->int filter { work peek "
                 "9 pop 1 "
                 "push 1 { push(peek(8) - pop()); } };"),
         takeLate},
        {Pass::Partitions,
         planned("add int->int filter { work pop 1 push 1 { int x = pop(); for (int k = 0; k < "
                 "2000; k++) x = x * 31 + (x >> 3); push(x); } }; add int->int filter { int s; "
                 "work pop 1 push 1 { for (int k = 0; k < 500; k++) s = s * 17 + k; push(s ^ "
                 "pop()); } };"),
         hurry},
        {Pass::Arena, rows("add Half; add Half;"), shareMemory},
        {Pass::Regions,
         planned("add Scale(2); add int->int filter { work pop 1 push [0, 1] { int x = pop(); if "
                 "(x % 3 != 0) push(x); } }; add Twice; add Pair;"),
         [](plan::Plan& plan) {
             ASSERT_TRUE(plan.demand && !plan.demand->regions.empty());
             ++plan.demand->regions[0].steady.steps.at(0).count;
         }},
    };
}

class PlanFaults : public FaultTest, public ::testing::WithParamInterface<PlanFault> {};

TEST_P(PlanFaults, AreFound) {
    request.chunks = GetParam().pass == Pass::Chunks;
    request.threads = GetParam().pass == Pass::Partitions ? 2 : 1;
    compileTo(session::Stage::Planned, GetParam().text);
    stopNoting();
    const bool isStage = base::info(GetParam().pass).kind == base::PassKind::Stage;
    EXPECT_TRUE(isStage || isApplied(GetParam().pass)) << "it has something to do";
    EXPECT_THAT(plan::verify(*program.plan, program.plannedQuota()), IsEmpty());
    const std::string before = interpreted(3000);
    EXPECT_FALSE(before.empty());
    EXPECT_EQ(compiled(3000), before);
    plan::Plan broken = *program.plan;
    GetParam().wrong(broken);
    EXPECT_THAT(plan::verify(broken, program.plannedQuota()), Not(IsEmpty()))
        << plan::print(broken);
}

INSTANTIATE_TEST_SUITE_P(Rows, PlanFaults, ::testing::ValuesIn(planFaults()),
                         [](const auto& each) { return testName(each); });

}  // namespace

std::vector<Pass> ofPlans() { return passesOf(planFaults()); }

}  // namespace strc::faults
