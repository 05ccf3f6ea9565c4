// What becomes of firings on a device: which loops go to threads, and which must not.

#include "device/split.h"

#include <algorithm>

#include "base/pass.h"
#include "device/offload.h"
#include "ir/text.h"
#include "unit/codegen/compiled.h"

namespace strc::device {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class DeviceTest : public testing::CompiledTest {
protected:
    /// A program whose filter between two others is `filter F`, over tensors of such a type.
    void compileFilter(const std::string& filter, const std::string& type = "tensor<float>[4, 6]",
                       const std::string& given = "tensor<float>[_]") {
        compile("void->void pipeline Main { add FileReader<" + type +
                ">(\"in.npy\"); add F; add FileWriter<" + given +
                ">(\"out.npy\"); } tensor->tensor filter F { " + filter + " }");
    }

    const elab::Kernel& kernel(const std::string& name) {
        const elab::Elaboration& all =
            program.optimised ? *program.optimised->elaboration : program.elaboration;
        for (const graph::Node& node : all.graph.nodes) {
            if (node.kernel == graph::kNone) continue;
            const elab::Kernel& each = all.kernels[node.kernel];
            if (each.code.name == name) return each;
        }
        ADD_FAILURE() << "no filter " << name;
        return program.elaboration.kernels[0];
    }

    base::Result<Firing> splitOf(const std::string& name = "F") {
        return split(program.context.passes, program.module, kernel(name), *program.program.types);
    }

    /// "kernel x threads", "contract", "attend", "copy", "zero", "n times (...)", "at once n times (...)".
    std::string actionsOf(const std::string& name = "F") {
        auto made = splitOf(name);
        return made ? textOf(made->actions, *made) : "not: " + made.error();
    }

    /// Arrays of each stage, with * behind those that no stage writes; ";" where all wait.
    static std::string stagesOf(const Persist& all) {
        std::string text;
        for (const Stage& stage : all.stages) {
            for (std::size_t k = 0; k < stage.arrays.size(); ++k)
                text += (k > 0 ? " " : "") + std::to_string(stage.arrays[k]) +
                        (stage.isConstant[k] ? "*" : "");
            text += stage.waits ? ";" : ",";
        }
        return text;
    }

    static std::string textOf(const Actions& actions, const Firing& firing) {
        std::string text;
        for (const Action& action : actions) {
            if (!text.empty()) text += ", ";
            if (const auto* launch = std::get_if<Launch>(&action.what))
                text += "x" + std::to_string(firing.kernels[launch->kernel].threads);
            else if (const auto* loop = std::get_if<Repeat>(&action.what))
                text += std::to_string(loop->count) + " times (" + textOf(loop->body, firing) + ")";
            else if (const auto* all = std::get_if<Persist>(&action.what))
                text += "at once " + std::to_string(all->count) + " times (" + stagesOf(*all) + ")";
            else if (std::holds_alternative<Contract>(action.what))
                text += "contract";
            else if (std::holds_alternative<Attend>(action.what))
                text += "attend";
            else
                text += std::holds_alternative<Copy>(action.what) ? "copy" : "zero";
        }
        return text;
    }
};

TEST_F(DeviceTest, ElementsAreThreads) {
    compileFilter("work pop 1 push 1 { tensor x = pop(); push(flatten(x * sigmoid(x), 0, -1)); }");
    EXPECT_EQ(actionsOf(), "x24");
    auto made = splitOf();
    ASSERT_TRUE(made);
    EXPECT_THAT(made->kernels[0].arrays,
                ElementsAre(Array{Home::Input, 0, 0}, Array{Home::Output, 0, 0}));
    EXPECT_EQ(made->scratchSize, 0);
    EXPECT_FALSE(made->isStateful);
}

TEST_F(DeviceTest, SumsStayInTheirThread) {
    compileFilter("work pop 1 push 1 { push(sum(pop(), 1)); }");
    EXPECT_EQ(actionsOf(), "x4");
    compileFilter("work pop 1 push 1 { push(reshape(sum(pop()), 1)); }");
    EXPECT_EQ(actionsOf(), "x1") << "there is one sum";
}

TEST_F(DeviceTest, ViewsAreWrittenApart) {
    compileFilter("work pop 1 push 1 { push(flatten(transpose(pop(), 0, 1) + 1.0, 0, -1)); }");
    EXPECT_EQ(actionsOf(), "x24, x24");
    compileFilter("work pop 1 push 1 { push(flatten(concat(pop(), ones(4, 1), 1), 0, -1)); }");
    EXPECT_EQ(actionsOf(), "x24, x4, x28");
}

TEST_F(DeviceTest, RunningSumsFollowEachOther) {
    compileFilter("work pop 1 push 1 { push(flatten(cumsum(pop(), 1), 0, -1)); }");
    EXPECT_THAT(actionsOf(), HasSubstr("x4, ")) << "a thread for each of the other dimension";
}

TEST_F(DeviceTest, RoundsThatReadOthersAreNoThreads) {
    const std::string begin = "work pop 1 push 1 { tensor x = pop(); float[24] y; ";
    const std::string end = " tensor z = y; push(z); }";
    auto actions = [&](const std::string& loop) {
        compileFilter(begin + loop + end, "tensor<float>[24]");
        return actionsOf();
    };
    EXPECT_EQ(actions("for (int i = 0; i < 24; i++) y[i] = x[i] * 2;"), "zero, x24");
    EXPECT_EQ(actions("for (int i = 1; i < 24; i++) y[i] = y[i - 1] + x[i];"), "zero, x1, x24");
    EXPECT_EQ(actions("for (int i = 0; i < 24; i++) y[i / 2] = x[i];"), "zero, x1, x24");
    EXPECT_EQ(actions("for (int i = 0; i < 12; i++) for (int j = 0; j < 2; j++) y[i + j] = x[i];"),
              "zero, x1, x24");
    EXPECT_EQ(actions("for (int i = 0; i < 12; i++) for (int j = 0; j < 2; j++) "
                      "y[2 * i + j] = x[i];"),
              "zero, x24, x24");
    EXPECT_EQ(actions("float last = 0; for (int i = 0; i < 24; i++) { y[i] = last; last = x[i]; }"),
              "zero, x1, x24");
    EXPECT_EQ(actions("for (int i = 0; i < 24; i++) { float t = x[i]; y[23 - i] = t * t; }"),
              "zero, x24, x24");
    EXPECT_EQ(actions("for (int i = 0; i < 24; i++) { if (x[i] < 0) break; y[i] = 1; }"),
              "zero, x1, x24");
}

TEST_F(DeviceTest, StepsOfARecurrenceGoOnBetweenLaunches) {
    const std::string recurrence = R"(
        tensor<float>[6, 6] w = ones(6, 6);
        work pop 1 push 1 {
            tensor x = pop();
            tensor h = zeros(1, 6);
            for (int t = 0; t < 4; t++) h = tanh(matmul(h, w) + narrow(x, 0, t, 1));
            push(flatten(h, 0, -1));
        })";
    compileFilter(recurrence);
    EXPECT_THAT(actionsOf(), HasSubstr("at once 4 times (0 1 2*;"));
    auto made = splitOf();
    ASSERT_TRUE(made);
    const auto found = std::find_if(
        made->actions.begin(), made->actions.end(),
        [](const Action& action) { return std::holds_alternative<Persist>(action.what); });
    ASSERT_NE(found, made->actions.end());
    EXPECT_EQ(textOf(std::get<Persist>(found->what).otherwise, *made).substr(0, 18),
              "4 times (contract,");
    disabled = {base::Pass::DevicePersistent};
    compileFilter(recurrence);
    EXPECT_THAT(actionsOf(), HasSubstr(" 4 times (contract, x6"));
    EXPECT_THAT(actionsOf(), Not(HasSubstr("at once")));
}

TEST_F(DeviceTest, StepsThatUseAWholeDeviceGoOnBetweenLaunches) {
    const auto actions = [&](const std::string& size) {
        compileFilter(
            "work pop 1 push 1 { tensor h = pop(); for (int t = 0; t < 8; t++) h = 0.5 * "
            "(h + transpose(h, 0, 1)); push(h); }",
            "tensor<float>[" + size + ", " + size + "]", "tensor<float>[_, _]");
        return actionsOf();
    };
    EXPECT_THAT(actions("64"), HasSubstr("at once 8 times"));
    EXPECT_THAT(actions("1024"), AllOf(HasSubstr("8 times"), Not(HasSubstr("at once"))));
}

/// A field of three numbers of two bytes before it.
TEST_F(DeviceTest, WhatLiesAtHalfAWordIsCopiedBetweenLaunches) {
    const auto actions = [&](const std::string& type) {
        disabled = {base::Pass::FuseTensors};
        compileFilter("tensor<" + type + ">[3] a; tensor<" + type +
                          ">[64, 64] h; work pop 1 push 1 { tensor x = pop(); for (int i = 0; i < "
                          "10; i++) h = tanh(transpose(h, 0, 1) + x); a = a + a; push(h); }",
                      "tensor<" + type + ">[64, 64]", "tensor<" + type + ">[_, _]");
        return actionsOf();
    };
    EXPECT_THAT(actions("float"), HasSubstr("at once 10 times"));
    EXPECT_THAT(actions("bfloat16"), AllOf(HasSubstr("10 times"), Not(HasSubstr("at once"))));
}

TEST_F(DeviceTest, StepsThatMayFailGoOnBetweenLaunches) {
    compileFilter(R"(
        tensor<float>[6, 6] w = ones(6, 6);
        work pop 1 push 1 {
            tensor x = pop();
            tensor h = zeros(1, 6);
            int d = (int) x[0, 0];
            for (int t = 0; t < 4; t++) h = tanh(matmul(h, w) + narrow(x, 0, t, 1)) * (t / d);
            push(flatten(h, 0, -1));
        })");
    EXPECT_THAT(actionsOf(), HasSubstr("4 times (contract"));
    EXPECT_THAT(actionsOf(), Not(HasSubstr("at once")));
}

TEST_F(DeviceTest, FewStepsGoOnBetweenLaunches) {
    compileFilter(
        "work pop 1 push 1 { tensor h = pop(); for (int r = 0; r < 3; r++) "
        "h = matmul(h, transpose(h, 0, 1)) * 0.1 + matmul(h, h); push(flatten(h, 0, -1)); }",
        "tensor<float>[6, 6]");
    EXPECT_THAT(actionsOf(), Not(HasSubstr("at once")));
}

TEST_F(DeviceTest, AttentionIsOneLaunch) {
    request.optimise = pass::Options{.forDevice = true};
    const std::string whole =
        "void->void pipeline Main { add FileReader<tensor<float>[2, 9, 6]>(\"in.npy\"); add F; "
        "add FileWriter<tensor<float>[2, 9, 6]>(\"out.npy\"); } tensor->tensor filter F { "
        "work pop 3 push 1 { tensor q = pop(); tensor k = pop(); tensor v = pop(); "
        "push(attention(q, k, v, 1)); } }";
    compile(whole);
    EXPECT_EQ(actionsOf(), "attend");
    auto made = splitOf();
    ASSERT_TRUE(made);
    EXPECT_EQ(made->scratchSize, 0) << "no scores";
    const auto& attend = std::get<Attend>(made->actions.at(0).what);
    EXPECT_THAT(attend.arrays, ElementsAre(Array{Home::Output, 0, 0}, Array{Home::Input, 0, 0},
                                           Array{Home::Input, 1, 0}, Array{Home::Input, 2, 0}));
    ASSERT_EQ(attend.how.outer.size(), 1u);
    EXPECT_EQ(attend.how.outer[0], (ir::AttentionLoop{2, 54, 54, 54, 54, 0}));
    EXPECT_TRUE(attend.how.isCausal);
    disabled = {base::Pass::DeviceAttention};
    compile(whole);
    EXPECT_THAT(actionsOf(), AllOf(HasSubstr("contract, x18, contract"), Not(HasSubstr("attend"))));
}

TEST_F(DeviceTest, HeadsAreReadWhereTheyLie) {
    request.optimise = pass::Options{.forDevice = true};
    compileFilter(
        "work pop 1 push 1 { tensor x = transpose(reshape(pop(), 9, 2, 4), 0, 1); "
        "push(attention(x, x, x, 0)); }",
        "tensor<float>[9, 8]", "tensor<float>[2, 9, 4]");
    EXPECT_EQ(actionsOf(), "attend");
    auto made = splitOf();
    ASSERT_TRUE(made);
    const auto& attend = std::get<Attend>(made->actions.at(0).what);
    EXPECT_EQ(attend.how.queries, (ir::AttentionLoop{9, 4, 8, 0, 0, 0}));
    EXPECT_EQ(attend.how.outer[0], (ir::AttentionLoop{2, 36, 4, 4, 4, 0})) << "parts of rows";
}

TEST_F(DeviceTest, AttentionThatTheLibraryCannotDo) {
    request.optimise = pass::Options{.forDevice = true};
    auto actions = [&](const std::string& type, const std::string& program) {
        compileFilter(
            "work pop 1 push 1 { tensor x = pop(); push(flatten(" + program + ", 0, -1)); }", type);
        return actionsOf();
    };
    EXPECT_THAT(actions("tensor<float>[9, 128]", "attention(x, x, x, 0)"), HasSubstr("attend"));
    EXPECT_THAT(actions("tensor<float>[9, 129]", "attention(x, x, x, 0)"),
                Not(HasSubstr("attend")));
    EXPECT_THAT(actions("tensor<float>[7, 12]", "attention(x, x, x, 0)"), Not(HasSubstr("attend")));
    EXPECT_THAT(actions("tensor<double>[9, 12]", "(float) attention(x, x, x, 0)"),
                Not(HasSubstr("attend")));
    EXPECT_THAT(actions("tensor<float>[9, 12]", "attention(x, x, x, 0, x[0, 0])"),
                Not(HasSubstr("attend")))
        << "only the run knows the scale";
}

TEST_F(DeviceTest, PlacesAreLookedUpAgain) {
    compileFilter(
        "work pop 1 push 1 { tensor x = pop(); float[4] y; int k = (int) x[0]; "
        "y[k] = item(sum(x * 2)); tensor z = y; push(z); }",
        "tensor<float>[24]");
    EXPECT_THAT(actionsOf(), HasSubstr("x1"));
}

TEST_F(DeviceTest, NestsOfTheSameRoundsAreOne) {
    compileFilter(
        "work pop 1 push 2 { tensor x = pop(); tensor a = x * 2; push(flatten(a, 0, -1)); "
        "push(flatten(exp(a) + a, 0, -1)); }");
    EXPECT_EQ(actionsOf(), "x24");
    compileFilter(
        "work pop 1 push 2 { tensor x = flatten(pop(), 0, -1); tensor a = x * 2; push(a); "
        "push(flip(a, 0) + 1.0); }");
    EXPECT_EQ(actionsOf(), "x24, x24") << "one reads what other rounds of the other write";
}

TEST_F(DeviceTest, IndependentIterationsAreDoneAtOnce) {
    const std::string heads =
        "void->void pipeline Main { add FileReader<tensor<float>[6, 36]>(\"in.npy\"); add F; "
        "add attention(); add FileWriter<tensor<float>[2, 9, 12]>(\"out.npy\"); } "
        "tensor->tensor filter F { work pop 1 push 3 { tensor x = reshape(pop(), 2, 9, 12); "
        "push(x); push(x * 0.5); push(x + 1); } }";
    compile(heads);
    EXPECT_EQ(actionsOf("attention"), "x216, contract, x18, contract, x18");
    disabled = {base::Pass::DeviceDistribution};
    compile(heads);
    EXPECT_EQ(actionsOf("attention"), "2 times (x108, contract, x9, contract, x9)");
}

TEST_F(DeviceTest, IterationsThatFollowEachOtherStayInTurn) {
    compileFilter(R"(work pop 1 push 1 {
        tensor h = pop();
        for (int r = 0; r < 5; r++) h = matmul(h, transpose(h, 0, 1)) * 0.1 + matmul(h, h);
        push(flatten(h, 0, -1));
    })",
                  "tensor<float>[36, 36]");
    EXPECT_THAT(actionsOf(), HasSubstr("5 times ("));
}

TEST_F(DeviceTest, TeamsShareLongIterations) {
    compileFilter("work pop 1 push 1 { push(flatten(softmax(pop(), 1), 0, -1)); }",
                  "tensor<float>[6, 40]");
    EXPECT_EQ(actionsOf(), "x192, x240, x192, x240, x240") << "32 threads a row";
    auto made = splitOf();
    ASSERT_TRUE(made);
    EXPECT_THAT(ir::print(made->kernels[0].body), HasSubstr("team.exchange"));
    EXPECT_EQ(made->kernels[0].team, kWarp);
    compileFilter("work pop 1 push 1 { push(reshape(sum(pop()), 1)); }", "tensor<float>[8, 8]");
    EXPECT_EQ(actionsOf(), "x32") << "both dimensions as one";
    compileFilter("work pop 1 push 1 { push(sum(pop(), 1)); }", "tensor<float>[3, 2048]");
    EXPECT_EQ(actionsOf(), "x768") << "a block a row";
    compileFilter("work pop 1 push 1 { push(sum(pop(), 1)); }", "tensor<float>[3, 2047]");
    EXPECT_EQ(actionsOf(), "x96") << "a warp is enough";
    compileFilter("work pop 1 push 1 { push(sum(pop(), 1)); }", "tensor<float>[1024, 2048]");
    EXPECT_EQ(actionsOf(), "x32768") << "many rows are warps enough";
    disabled = {base::Pass::DeviceTeams};
    compileFilter("work pop 1 push 1 { push(reshape(sum(pop()), 1)); }", "tensor<float>[8, 8]");
    EXPECT_EQ(actionsOf(), "x1");
}

TEST_F(DeviceTest, WhatNoTeamShares) {
    auto actions = [&](const std::string& code) {
        compileFilter("work pop 1 push 1 { tensor x = pop(); float[64] y; " + code +
                          " tensor z = y; push(z); }",
                      "tensor<float>[64]");
        return actionsOf();
    };
    EXPECT_EQ(actions("float s = 0; for (int i = 0; i < 64; i++) s += x[i]; y[0] = s;"),
              "zero, x1, x64")
        << "a sum that a user wrote has its order";
    EXPECT_EQ(actions("float m = 0; for (int i = 0; i < 64; i++) m = max(m, x[i]); y[0] = m;"),
              "zero, x32, x64");
    EXPECT_EQ(actions("float m = 0; for (int i = 0; i < 64; i++) { m = max(m, x[i]); y[i] = m; }"),
              "zero, x1, x64")
        << "somebody sees the maximum on the way";
    EXPECT_EQ(actions("float m = 0; for (int i = 0; i < 64; i++) m = max(m, x[i] * m); y[0] = m;"),
              "zero, x1, x64");
    EXPECT_EQ(
        actions("int k = 0; for (int i = 0; i < 64; i++) { k += i; if (k > 9) k = 0; } y[k] = 1;"),
        "zero, x1, x64");
}

TEST_F(DeviceTest, StateIsSeen) {
    compileFilter(
        "tensor<float>[4, 6] s = zeros(4, 6);"
        "work pop 1 push 1 { s = s + pop(); push(flatten(s, 0, -1)); }");
    auto made = splitOf();
    ASSERT_TRUE(made) << made.error();
    EXPECT_TRUE(made->isStateful);
}

TEST_F(DeviceTest, WhatIsNotForADevice) {
    compileFilter("work pop 1 push 1 { tensor x = pop(); println(x); push(flatten(x, 0, -1)); }");
    EXPECT_EQ(actionsOf(), "not: it prints");
    compileFilter("work pop 1 push 1 { push(flatten(pop() * random(), 0, -1)); }");
    EXPECT_EQ(actionsOf(), "not: it draws random numbers");
}

TEST_F(DeviceTest, TypesInTurnStay) {
    auto stays = [&](const std::string& second) {
        request.optimise.reset();
        compile(R"(void->void pipeline Main {
            add splitjoin { split duplicate; add A; add B; join roundrobin; };
            add F; add relu(); add FileWriter<tensor<float>[3]>("out.npy");
        }
        void->tensor filter A { work push 1 { push(ones(3)); } }
        void->tensor filter B { work push 1 { push()" +
                second + R"(); } }
        tensor->tensor filter F {
            work pop 2 push 1 { tensor a = pop(); push(a + sum((float) pop())); }
        })");
        const Offloaded made =
            offload(program.context, program.module, *program.plan, *program.program.types, false);
        return made.stays.empty() ? "" : made.stays[0].why;
    };
    EXPECT_EQ(stays("ones(5)"), "") << "items have the size of the largest";
    EXPECT_EQ(stays("arange(5)"), "its tensors are of different types in turn");
}

TEST_F(DeviceTest, CopiesAreAtTheBorders) {
    request.optimise.reset();
    compile(
        "void->void pipeline Main { add FileReader<tensor<float>[8]>(\"in.npy\"); add relu(); "
        "add sigmoid(); add FileWriter<tensor<float>[8]>(\"out.npy\"); }");
    const Offloaded made =
        offload(program.context, program.module, *program.plan, *program.program.types, false);
    EXPECT_EQ(made.why, "");
    EXPECT_THAT(made.stays, IsEmpty());
    ASSERT_FALSE(made.segments.empty());
    for (const Segment& segment : made.segments) {
        const auto count = [&](OperationKind kind) {
            return std::count_if(segment.operations.begin(), segment.operations.end(),
                                 [&](const Operation& each) { return each.kind == kind; });
        };
        EXPECT_EQ(count(OperationKind::Upload), 1);
        EXPECT_EQ(count(OperationKind::Download), 1);
        EXPECT_EQ(count(OperationKind::Launch), 2);
        EXPECT_EQ(segment.operations.front().kind, OperationKind::Upload);
        EXPECT_EQ(segment.operations.back().kind, OperationKind::Download);
    }
    EXPECT_THAT(print(made), HasSubstr("launch relu.0"));
}

TEST_F(DeviceTest, ShortFactorsAreForTensorCoresAndFloatsIfTheyMayBeRounded) {
    auto areFor = [&](const std::string& work, bool isFast) {
        compileFilter("work pop 1 push 1 { tensor x = pop(); " + work + " }",
                      "tensor<float>[6, 6]");
        std::vector<bool> found;
        for (const Contraction& sum :
             offload(program.context, program.module, *program.plan, *program.program.types, isFast)
                 .contractions)
            found.push_back(sum.isForTensorCores);
        return found;
    };
    const std::string floats = "push(flatten(matmul(x, x), 0, -1));";
    EXPECT_THAT(areFor(floats, false), ElementsAre(false));
    EXPECT_THAT(areFor(floats, true), ElementsAre(true));
    EXPECT_THAT(areFor("tensor y = half(x); push(flatten((float) matmul(y, y), 0, -1));", false),
                ElementsAre(true));
    EXPECT_THAT(areFor("tensor y = (double) x; push(flatten((float) matmul(y, y), 0, -1));", true),
                ElementsAre(false));
    EXPECT_THAT(
        areFor(
            "tensor h = x; for (int i = 0; i < 3; i++) h = matmul(h, x); push(flatten(h, 0, -1));",
            true),
        AllOf(Not(IsEmpty()), ::testing::Each(true)));
    // Where blocks do not fit, launches do what a kernel of all steps would have done.
    EXPECT_THAT(areFor("tensor h = x; for (int i = 0; i < 5; i++) h = tanh(matmul(h, x)); "
                       "push(flatten(h, 0, -1));",
                       true),
                AllOf(Not(IsEmpty()), ::testing::Each(true)));
    disabled.push_back(base::Pass::DeviceTensorCores);
    EXPECT_THAT(areFor(floats, true), ElementsAre(false));
}

TEST_F(DeviceTest, FactorsOfBytesStay) {
    compileFilter(
        "work pop 1 push 1 { tensor y = int8(pop()); "
        "push(flatten((float) matmul(y, transpose(y, 0, 1)), 0, -1)); }");
    EXPECT_EQ(actionsOf(), "not: its products are of int8, or of two types");
}

TEST_F(DeviceTest, WithoutTensorsNothingMoves) {
    compile(
        "void->void pipeline Main { add S; add T; } void->int filter S { int i; work push 1 { "
        "push(i++); } } int->void filter T { work pop 1 { println(pop()); } }");
    const Offloaded made =
        offload(program.context, program.module, *program.plan, *program.program.types, false);
    EXPECT_EQ(made.why, "no filter of it computes with tensors alone");
}

}  // namespace
}  // namespace strc::device
