#include "base/pass.h"
#include "device/offload.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// The pass `remove-reinterpret-casts`: which filters between scalars and tensors have no steps, and that all prints the same.
class RemoveReinterpretCasts : public CompiledTest {
protected:
    /// Floats through `middle`.
    void compileChain(const std::string& middle, const std::string& filters = "") {
        compile("void->void pipeline Main { add Count; " + middle +
                " add Show; }\n"
                "void->float filter Count { float x; work push 1 { push(x); x += 0.5; } }\n"
                "float->void filter Show { work pop 1 { println(pop()); } }\n" +
                filters);
    }
    /// Nodes that fire in the steady state.
    std::vector<std::string> firing() {
        std::vector<std::string> names;
        collect(program.plan->steady.steps, names);
        return names;
    }
    void collect(const std::vector<plan::Step>& steps, std::vector<std::string>& names) {
        for (const plan::Step& step : steps) {
            if (step.kind == plan::StepKind::Fire)
                names.push_back(program.plan->program->graph.nodes[step.node].name);
            collect(step.body, names);
        }
    }
    void expectSame() {
        EXPECT_THAT(plan::verify(*program.plan, program.plannedQuota()), IsEmpty());
        for (int count : {1, 70}) {
            run(iterations(count));
            const std::string compiled = std::exchange(printed, "");
            interpret(iterations(count));
            EXPECT_EQ(compiled, printed);
            EXPECT_THAT(compiled, Not(IsEmpty()));
            printed.clear();
        }
    }

    const std::string twice =
        "tensor->tensor filter Twice { work pop 1 push 1 { push(pop() * 2); } }\n";

    void SetUp() override { request.optimise = pass::Options{}; }
};

TEST_F(RemoveReinterpretCasts, BothEnds) {
    compileChain("add frame({4, 8}); add Twice; add unframe({4, 8});", twice);
    EXPECT_THAT(firing(), ElementsAre("Count", "Twice", "Show"));
    EXPECT_EQ(plan::print(*program.plan),
              R"(state: 262208 bytes, 4 in the image
filter          what  bytes  offset
  Main.Count  fields      4       0
tape                                  kept    room   bytes  offset
  Main.Count -> Main.frame.Frame         0   32768  131072      64
  Main.frame.Frame -> Main.Twice         0  shared  shared      64
  Main.Twice -> Main.unframe.Unframe     0   32768  131072  131136
  Main.unframe.Unframe -> Main.Show      0  shared  shared  131136
init:
steady:
  32 Main.Count to 0
  Main.Twice from 0 to 0
  32 Main.Show from 0
1024 steady states:
  32768 Main.Count to 0
  1024 Main.Twice from 0 to 0
  32768 Main.Show from 0
)");
    expectSame();
}

TEST_F(RemoveReinterpretCasts, Text) {
    shown = base::Pass::RemoveReinterpretCasts;
    compileChain("add frame({4, 8}); add Twice; add unframe({4, 8});", twice);
    EXPECT_EQ(program.context.passes.emitted(),
              "; remove-reinterpret-casts: Main.frame.Frame\n"
              "tensor<float>[4, 8] on a tape of float\n"
              "; remove-reinterpret-casts: Main.unframe.Unframe\n"
              "tensor<float>[4, 8] on a tape of float\n");
}

TEST_F(RemoveReinterpretCasts, CanBeLeftOut) {
    disabled = {base::Pass::RemoveReinterpretCasts, base::Pass::FuseTensors};
    compileChain("add frame({4, 8}); add Twice; add unframe({4, 8});", twice);
    EXPECT_THAT(firing(), ElementsAre("Count", "Frame", "Twice", "Unframe", "Show"));
    expectSame();
}

TEST_F(RemoveReinterpretCasts, IdentitiesThatStayCopy) {
    disabled = {base::Pass::RemoveIdentities, base::Pass::RemoveDelays, base::Pass::FuseTensors};
    compileChain("add frame({4, 8}); add Identity<tensor>(); add Twice; add unframe({4, 8});",
                 twice);
    EXPECT_THAT(firing(), ElementsAre("Count", "Frame", "Identity", "Twice", "Unframe", "Show"));
    expectSame();
}

TEST_F(RemoveReinterpretCasts, NotWithoutTheOptimiser) {
    request.optimise.reset();
    compileChain("add frame({4, 8}); add Twice; add unframe({4, 8});", twice);
    EXPECT_THAT(firing(), ElementsAre("Count", "Frame", "Twice", "Unframe", "Show"));
}

TEST_F(RemoveReinterpretCasts, FewScalarsAreValuesOfABody) {
    compileChain("add frame({2, 2}); add Twice; add unframe({2, 2});", twice);
    EXPECT_THAT(firing(), ElementsAre("Count", "frame+Twice+unframe", "Show"));
    expectSame();
}

/// Two readers, one of which looks ahead and one with state.
TEST_F(RemoveReinterpretCasts, ReadersOfOneTape) {
    compileChain(
        "add frame({5, 5}); add splitjoin { split duplicate; add Next; add Sum; join roundrobin; }"
        " add Reduce;",
        "tensor->tensor filter Next { work peek 3 pop 1 push 1 { push(peek(2) - pop()); } }\n"
        "tensor->tensor filter Sum { tensor<float>[5, 5] all; work pop 1 push 1 { all = all + "
        "pop();"
        " push(all); } }\n"
        "tensor->float filter Reduce { work pop 1 push 1 { push(item(sum(pop()))); } }\n");
    EXPECT_THAT(firing(), Not(::testing::Contains("Frame")));
    EXPECT_THAT(plan::print(*program.plan),
                HasSubstr("Main.Count -> Main.frame.Frame                 50 "));
    expectSame();
}

/// Several tensors of a firing, a first firing that takes more, and tensors of which some go back.
TEST_F(RemoveReinterpretCasts, RatesCountScalars) {
    compileChain("add frame({3, 6}); add Late; add unframe({6});",
                 "tensor->tensor filter Late { prework pop 3 push 2 { for (int k = 0; k < 2; k++) "
                 "push(sum(pop(), 0)); pop(); } work pop 2 peek 4 push 1 { push(sum(peek(3) * "
                 "pop(), 0)); pop(); } }\n");
    EXPECT_THAT(firing(), Not(::testing::Contains("Frame")));
    expectSame();
}

/// What a filter is called does not matter, only what it does.
TEST_F(RemoveReinterpretCasts, ByWhatTheyDo) {
    const std::string rows = "for (int i = 0; i < 4; i++) for (int j = 0; j < 5; j++) ";
    auto frame = [&](const std::string& body) {
        compileChain("add Make; add Twice; add unframe({4, 5});",
                     twice + "float->tensor filter Make { work pop 20 push 1 { float[4][5] a; " +
                         body + " push(a); } }\n");
        const std::vector<std::string> names = firing();
        expectSame();
        return std::none_of(names.begin(), names.end(), [](const std::string& name) {
            return name.find("Make") != std::string::npos;
        });
    };
    EXPECT_TRUE(frame(rows + "a[i][j] = pop();"));
    EXPECT_TRUE(frame("float[20] b; for (int k = 0; k < 20; k++) b[k] = pop(); " + rows +
                      "a[i][j] = b[5 * i + j];"));
    EXPECT_FALSE(frame("for (int j = 0; j < 5; j++) for (int i = 0; i < 4; i++) a[i][j] = pop();"))
        << "another order";
    EXPECT_FALSE(frame(rows + "a[i][j] = pop() + 0;")) << "it computes";
    EXPECT_FALSE(frame(rows + "a[i][j] = pop(); if (a[0][0] > 7) a[1][1] = 0;")) << "it looks";
    EXPECT_FALSE(frame(rows + "{ a[i][j] = pop(); if (i == 3) a[i][j] = 1; }")) << "constants";
}

TEST_F(RemoveReinterpretCasts, OnlyBetweenFilters) {
    disabled = {base::Pass::FuseTensors};
    compileChain(
        "add frame({4, 8}); add splitjoin { split roundrobin; add Twice; add Identity<tensor>(); "
        "join roundrobin; } add unframe({4, 8});",
        twice);
    EXPECT_THAT(firing(), ::testing::IsSupersetOf({"Frame", "Unframe"}));
    expectSame();
    compile(
        "void->void pipeline Main { add FileReader<float>(\"in.bin\"); add frame({4, 8}); "
        "add FileWriter<tensor<float>[_, _]>(\"out.npy\"); }");
    EXPECT_THAT(firing(), ElementsAre("FileReader", "Frame", "FileWriter"));
}

TEST_F(RemoveReinterpretCasts, TheTapeOfScalarsIsWhereADeviceBegins) {
    compileChain("add frame({4, 8}); add Twice; add unframe({4, 8});", twice);
    const device::Offloaded made = device::offload(program.context, program.module, *program.plan,
                                                   *program.program.types, false);
    EXPECT_EQ(made.why, "");
    EXPECT_THAT(made.stays, IsEmpty());
    ASSERT_FALSE(made.segments.empty());
    EXPECT_THAT(device::print(made), ::testing::AllOf(HasSubstr("upload"), HasSubstr("download")));
}

}  // namespace
}  // namespace strc::testing
