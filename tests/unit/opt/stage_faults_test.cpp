// Wrong versions of the stages up to the schedule (unit/opt/faults.h): a verifier refuses what they make, or the program prints
// something else than it has to.
#include <functional>

#include <gmock/gmock.h>

#include "elab/elaborate.h"
#include "interp/machine.h"
#include "ir/verify.h"
#include "lower/lower.h"
#include "parser/parse.h"
#include "pass/verify.h"
#include "sched/balance.h"
#include "sched/detail/verify.h"
#include "sched/schedule.h"
#include "sema/check.h"
#include "unit/opt/faults.h"

namespace strc::faults {
namespace {

using base::Pass;

constexpr const char* kProgram =
    "void->void pipeline Main { add Count; add Less(3, 7); add Show; }\n"
    "void->int filter Count { int n; work push 1 { push(n); n++; } }\n"
    "int->int filter Less(int a, int b) { work pop 1 push 1 { push(a * pop() - b - 1); } }\n"
    "int->void filter Show { work pop 1 { println(pop()); } }\n";
constexpr const char* kPrinted = "-8\n-5\n-2\n";

/// What the stages make of the text, one after the other.
struct Made {
    base::Context context;
    const ast::Unit* unit = nullptr;
    sema::Program program;
    ir::Module module;
    elab::Elaboration elaboration;
    graph::Repetitions repetitions;
    std::optional<sched::Schedule> schedule;
};

struct StageFault {
    Pass pass;
    std::function<void(Made&)> wrong;
};
void PrintTo(const StageFault& fault, std::ostream* out) { *out << base::info(fault.pass).name; }

const ast::Unit& parsed(base::Context& context, const std::string& text) {
    return parser::parse(context, context.sources.add("test.str", text));
}
sema::Symbol& symbolNamed(sema::Program& program, std::string_view name) {
    const auto found =
        std::find_if(program.symbols.begin(), program.symbols.end(),
                     [&](const sema::Symbol& each) { return each.name.text() == name; });
    EXPECT_NE(found, program.symbols.end());
    return *found;
}
ir::Instr& firstOf(ir::Body& body, ir::Op op) {
    for (ir::Block& block : body.blocks)
        for (ir::Instr& instr : block.instrs)
            if (instr.op == op) return instr;
    ADD_FAILURE() << "there is no such instruction";
    return body.blocks[0].instrs[0];
}

/// Differences are grouped from the right.
void parseWrongly(Made& made) {
    made.unit = &parsed(made.context,
                        brokenText(kProgram, "a \\* pop\\(\\) - b - 1", "a * pop() - (b - 1)"));
}
/// Names mean each other's parameters.
void checkWrongly(Made& made) {
    std::swap(symbolNamed(made.program, "a").index, symbolNamed(made.program, "b").index);
}
/// A difference has its operands in the wrong order.
void lowerWrongly(Made& made) {
    ir::Instr& instr = firstOf(*made.module.streams[made.module.find("Less")].work, ir::Op::Sub);
    std::swap(instr.operands[0], instr.operands[1]);
}
/// An edge leads to a port that the filter does not have.
void elaborateWrongly(Made& made) { made.elaboration.graph.edges[0].toPort = 1; }
/// A parameter is bound to another value.
void specializeWrongly(Made& made) {
    const graph::Node& node = made.elaboration.graph.nodes[1];
    firstOf(*made.elaboration.kernels[node.kernel].code.work, ir::Op::Const).value.bytes[0] = 4;
}
/// A node fires twice as often as its neighbours.
void balanceWrongly(Made& made) { made.repetitions.steady[1] *= 2; }
/// The last node fires first.
void scheduleWrongly(Made& made) {
    std::vector<sched::Loop>& children = made.schedule->steady.children;
    ASSERT_EQ(children.size(), 3u);
    std::swap(children.front(), children.back());
}

std::vector<StageFault> stageFaults() {
    return {{Pass::Parse, parseWrongly},           {Pass::Check, checkWrongly},
            {Pass::Lower, lowerWrongly},           {Pass::Elaborate, elaborateWrongly},
            {Pass::Specialize, specializeWrongly}, {Pass::Balance, balanceWrongly},
            {Pass::Schedule, scheduleWrongly}};
}

class StageFaults : public ::testing::TestWithParam<StageFault> {
protected:
    /// What the program prints, or the first fault that a verifier finds. `broken`: the stage that is the wrong one; none: all
    /// are right.
    static std::string outputOf(std::optional<Pass> broken) {
        Made made;
        const auto breakAfter = [&](Pass stage) {
            if (broken == stage) GetParam().wrong(made);
        };
        made.unit = &parsed(made.context, kProgram);
        breakAfter(Pass::Parse);
        made.program = sema::check(made.context, std::vector{made.unit});
        breakAfter(Pass::Check);
        made.module = lower::lower(made.context, made.program,
                                   [](ir::Module&, const ir::Body&) { return true; });
        breakAfter(Pass::Lower);
        if (const auto found = ir::verify(made.module); !found.empty()) return found.front();
        const sema::StreamInfo* main = sema::findMain(made.context, made.program, "");
        EXPECT_TRUE(main);
        made.elaboration =
            elab::elaborate(made.context, made.module, *made.program.types, {main->index, {}}, {});
        breakAfter(Pass::Elaborate);
        breakAfter(Pass::Specialize);
        return outputOfGraph(made, breakAfter);
    }
    static std::string outputOfGraph(Made& made, const std::function<void(Pass)>& breakAfter) {
        made.repetitions = sched::balance(made.context, made.elaboration.graph).value();
        breakAfter(Pass::Balance);
        const auto found =
            pass::verify(made.module, pass::borrow(made.elaboration, made.repetitions));
        if (!found.empty()) return found.front();
        const graph::Graph& graph = made.elaboration.graph;
        made.schedule =
            sched::schedule(made.context, graph, made.repetitions, sched::Order::Buffers);
        breakAfter(Pass::Schedule);
        const auto wrong = sched::verify(graph, made.repetitions, *made.schedule);
        if (!wrong.empty()) return wrong.front();
        std::string printed;
        interp::Options how;
        how.iterations = 3;
        how.print = [&](std::string_view text) { printed += text; };
        interp::run(made.context, made.module, made.elaboration, made.repetitions,
                    *made.program.types, how);
        return printed;
    }
};

TEST_P(StageFaults, AreFound) {
    EXPECT_EQ(outputOf(std::nullopt), kPrinted);
    EXPECT_NE(outputOf(GetParam().pass), kPrinted);
}

INSTANTIATE_TEST_SUITE_P(Rows, StageFaults, ::testing::ValuesIn(stageFaults()),
                         [](const auto& each) { return testName(each); });

}  // namespace

std::vector<Pass> ofStages() { return passesOf(stageFaults()); }

}  // namespace strc::faults
