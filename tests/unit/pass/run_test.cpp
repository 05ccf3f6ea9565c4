// The pass manager on passes made for that, and what holds between passes.
#include "pass/run.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/text.h"
#include "pass/verify.h"

namespace strc::pass {
namespace {

using base::Pass;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two filters behind each other, whose work pops and pushes one item.
elab::Elaboration twoFilters(types::TypeTable& types, base::NameTable& names) {
    auto read = ir::parse(
        "filter A int->int { setup { } work { %0: int = pop push<int> %0 } }\n"
        "filter B int->int { setup { } work { %0: int = pop push<int> %0 } }\n",
        types, names);
    EXPECT_TRUE(read) << read.error();
    elab::Elaboration made;
    const auto nothing = std::make_shared<const std::string>();
    const graph::Rate one{1, 1, false, -1};
    made.graph.edges.resize(3);
    for (graph::EdgeId id = 0; id < 3; ++id) {
        graph::Edge& edge = made.graph.edges[id];
        edge.type = types.intType();
        edge.from = id == 0 ? graph::kNone : id - 1;
        edge.to = id == 2 ? graph::kNone : id;
    }
    made.graph.input = 0;
    made.graph.output = 2;
    for (graph::NodeId id = 0; id < 2; ++id) {
        graph::Node node;
        node.name = std::string(1, id == 0 ? 'A' : 'B');
        node.kernel = id;
        node.order = id;
        node.work = {one, one, one};
        node.inputs = {id};
        node.outputs = {id + 1};
        made.graph.nodes.push_back(std::move(node));
        elab::Kernel kernel;
        kernel.code = read->streams[id];
        kernel.work = {one, one, one};
        made.kernels.push_back(std::move(kernel));
        made.states.push_back(nothing);
    }
    return made;
}

/// Marks a kernel by a field.
bool mark(const Context&, elab::Kernel& kernel) {
    kernel.code.fields.push_back({"mark", nullptr, {}});
    return true;
}
bool findNothing(const Context&, elab::Kernel&) { return false; }
bool isA(const elab::Kernel& kernel) { return kernel.code.name == "A"; }
std::optional<Program> fireTwice(const Context&, const Program& program) {
    Program made = program;
    for (std::int64_t& firings : made.repetitions.steady) firings *= 2;
    return made;
}

class PassRunTest : public testing::Test {
protected:
    PassRunTest()
        : elaboration(twoFilters(types, base.names)),
          program(borrow(elaboration, {{0, 0}, {1, 1}, {0, 0}, 1})) {}

    /// Fields of both kernels after the passes; none: nothing has changed.
    std::vector<std::size_t> marks(Table table) {
        const auto made = runPasses(context, program, table);
        if (!made) return {};
        return {made->elaboration->kernels[0].code.fields.size(),
                made->elaboration->kernels[1].code.fields.size()};
    }

    base::Context base;
    types::TypeTable types;
    const elab::Elaboration elaboration;
    const Program program;
    const ir::Module module;
    const Options options;
    const target::Model target;
    const Context context{base, module, types, options, target};
};

TEST_F(PassRunTest, KernelsAreChangedInAProgramOfTheirOwn) {
    const std::array table{Row{Pass::Inline, nullptr, mark}};
    EXPECT_THAT(marks(table), ElementsAre(1, 1));
    EXPECT_THAT(elaboration.kernels[0].code.fields, IsEmpty());
}

TEST_F(PassRunTest, NothingIsMadeOfNothing) {
    const std::array table{Row{Pass::Inline, nullptr, findNothing}, Row{Pass::Plan}};
    EXPECT_FALSE(runPasses(context, program, table));
}

TEST_F(PassRunTest, DisabledPassesAndStagesDoNotRun) {
    base.passes.disable(Pass::Inline);
    const std::array table{Row{Pass::Inline, nullptr, mark}, Row{Pass::Fold, nullptr, mark}};
    EXPECT_FALSE(runPasses(context, program, table));
}

TEST_F(PassRunTest, PassesAreAskedBeforeTheyBegin) {
    std::vector<std::string> said;
    base.passes.bisect(1, [&](std::string_view line) { said.emplace_back(line); });
    const std::array table{Row{Pass::Inline, nullptr, mark}};
    EXPECT_THAT(marks(table), ElementsAre(1, 0));
    EXPECT_THAT(said, ElementsAre("BISECT: running pass (1) inline on A\n",
                                  "BISECT: NOT running pass (2) inline on B\n"));
}

TEST_F(PassRunTest, WhatDoesNotConcernAPassIsNotCounted) {
    std::vector<std::string> said;
    base.passes.bisect(-1, [&](std::string_view line) { said.emplace_back(line); });
    const std::array table{Row{Pass::Inline, nullptr, mark, isA}};
    EXPECT_THAT(marks(table), ElementsAre(1, 0));
    EXPECT_THAT(said, ElementsAre("BISECT: running pass (1) inline on A\n"));
}

TEST_F(PassRunTest, WhatHasChangedIsShown) {
    base.passes.emitAfter(Pass::Inline);
    const std::array table{Row{Pass::Inline, nullptr, mark, isA}};
    marks(table);
    EXPECT_THAT(base.passes.emitted(), HasSubstr("; inline: A\nwork {"));
}

TEST_F(PassRunTest, APassSeesWhatTheOneBeforeHasMade) {
    const std::array table{Row{Pass::LinearCombination, fireTwice},
                           Row{Pass::Frequency, fireTwice}};
    EXPECT_THAT(runPasses(context, program, table)->repetitions.steady, ElementsAre(4, 4));
    EXPECT_THAT(program.repetitions.steady, ElementsAre(1, 1));
}

TEST_F(PassRunTest, OnOneKernelOnlyItsLevelRuns) {
    elab::Kernel kernel = elaboration.kernels[0];
    const std::array table{Row{Pass::TensorCse, nullptr, mark}, Row{Pass::Inline, nullptr, mark}};
    EXPECT_TRUE(runPasses(context, kernel, base::PassLevel::Tensors, table, "it"));
    EXPECT_EQ(kernel.code.fields.size(), 1u);
    EXPECT_FALSE(runPasses(context, kernel, base::PassLevel::Loops, table, "it"));
}

TEST_F(PassRunTest, VerifyLeavesKernelsThatNoNodeHas) {
    elab::Elaboration made = elaboration;
    made.kernels.push_back(made.kernels[0]);
    made.kernels[2].code.work->blocks[0].instrs[0].result = 5;
    EXPECT_THAT(verify(module, borrow(made, program.repetitions)), IsEmpty());
    made.graph.nodes[1].kernel = 2;
    EXPECT_THAT(verify(module, borrow(made, program.repetitions)), ::testing::Not(IsEmpty()));
}

TEST_F(PassRunTest, VerifyLooksAtEdgesStatesQuotasAndBodies) {
    EXPECT_THAT(verify(module, program), IsEmpty());
    auto faultsOf = [&](auto change) {
        elab::Elaboration made = elaboration;
        graph::Repetitions repetitions = program.repetitions;
        change(made, repetitions);
        return verify(module, with(program, std::move(made), std::move(repetitions)));
    };
    EXPECT_THAT(faultsOf([](auto&, auto& repetitions) { repetitions.steady[1] = 2; }),
                ElementsAre("A: a steady state gives more or fewer items than it takes"));
    EXPECT_THAT(faultsOf([](auto& made, auto&) { made.states[0] = nullptr; }),
                ElementsAre("A: there is no state"));
    EXPECT_THAT(faultsOf([](auto& made, auto&) { made.graph.nodes[1].kernel = 7; }),
                ElementsAre("B: there is no such kernel"));
    EXPECT_THAT(faultsOf([](auto& made, auto&) { made.graph.nodes[1].inputs = {0}; }),
                ElementsAre("B: an input has another edge"));
    EXPECT_THAT(faultsOf([](auto&, auto& repetitions) { repetitions.steady.pop_back(); }),
                ElementsAre("states or quotas are not those of the nodes"));
    EXPECT_THAT(faultsOf([](auto& made, auto&) {
                    made.kernels[0].code.work->blocks[0].instrs.pop_back();
                    made.kernels[0].code.work->blocks[0].instrs[0].result = 5;
                }),
                ElementsAre(HasSubstr("no such register")));
}

}  // namespace
}  // namespace strc::pass
