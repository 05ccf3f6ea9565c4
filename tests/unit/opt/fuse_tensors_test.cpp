#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// The pass `fuse-tensors`: what is made of the program, and that it prints the same.
class FuseTensors : public CompiledTest {
protected:
    /// Tensors of 2 x 3 floats through `middle`.
    void compileChain(const std::string& middle, const std::string& filters = "") {
        compile("void->void pipeline Main { add Count; " + middle +
                " add Show; }\n"
                "void->tensor filter Count { int n; work push 1 {"
                " push(reshape(arange(6), 2, 3) / 4.0 - 0.5 * n); n++; } }\n"
                "tensor->void filter Show { work pop 1 { println(pop()); } }\n" +
                filters);
    }
    std::vector<std::string> filters() {
        std::vector<std::string> names;
        for (const graph::Node& node : program.plan->program->graph.nodes)
            if (node.kind == graph::NodeKind::Filter) names.push_back(node.name);
        return names;
    }
    void expectSame() {
        for (int count : {1, 5}) {
            const auto compiled = run(iterations(count));
            const std::string fused = std::exchange(printed, "");
            EXPECT_EQ(compiled.end, interpret(iterations(count)).end);
            EXPECT_EQ(fused, printed);
            EXPECT_THAT(fused, HasSubstr("["));
            printed.clear();
        }
    }

    const std::string scale =
        "tensor->tensor filter Scale(float by) { work pop 1 push 1 { push(pop() * by); } }\n";
    const std::string product =
        "tensor->tensor filter Product { tensor<float>[3, 4] m; init { for (int k = 0; k < 4; k++)"
        " m = update(m, reshape(arange(3) + 0.5 * k, 3, 1), 1, k); }"
        " work pop 1 push 1 { push(matmul(pop(), m)); } }\n";

    void SetUp() override { request.optimise = pass::Options{}; }
};

TEST_F(FuseTensors, ElementByElementBehindAProduct) {
    compileChain("add Product; add Scale(2); add relu; add Scale(0.5);", scale + product);
    EXPECT_THAT(filters(), ElementsAre("Count", "Product+Scale+relu+Scale", "Show"));
    expectSame();
}

TEST_F(FuseTensors, TextOfTheBody) {
    shown = base::Pass::FuseTensors;
    compileChain("add relu; add Scale(0.5);", scale);
    EXPECT_EQ(program.context.passes.emitted(),
              R"(; fuse-tensors: Main.relu+Scale
work {
    local #0: tensor<float>[2, 3]
    local #1: tensor<float>[2, 3]
    local #2: tensor<float>[2, 3]
    %0: tensor<float>[2, 3] = pop
    %2: tensor = tensor relu %0
    %4: float = const 0.5
    %5: tensor = tensor scalar %4
    %6: tensor = tensor mul %2, %5
    push<tensor<float>[2, 3]> %6
}
)");
}

TEST_F(FuseTensors, CanBeLeftOut) {
    disabled = {base::Pass::FuseTensors};
    compileChain("add Product; add relu; add Scale(0.5);", scale + product);
    EXPECT_THAT(filters(), ElementsAre("Count", "Product", "relu", "Scale", "Show"));
    expectSame();
}

TEST_F(FuseTensors, NotWithoutTheOptimiser) {
    request.optimise.reset();
    compileChain("add relu; add Scale(0.5);", scale);
    EXPECT_THAT(filters(), ElementsAre("Count", "relu", "Scale", "Show"));
}

TEST_F(FuseTensors, OneProductAlone) {
    compileChain(
        "add relu; add Product; add relu; add transpose(0, 1); add Narrow; add Product; add "
        "Scale(3);",
        scale + product +
            "tensor->tensor filter Narrow { work pop 1 push 1 { push(reshape(slice("
            "pop(), 0, 0, 3), 2, 3)); } }\n");
    EXPECT_THAT(filters(), ElementsAre("Count", "relu+Product+…+Narrow", "Product+Scale", "Show"));
    expectSame();
}

TEST_F(FuseTensors, BranchesThatMeetAgain) {
    compileChain(
        "add relu; add Both; add add(); add Scale(0.5);",
        scale +
            "tensor->tensor splitjoin Both { split duplicate; add pipeline { add Scale(2); "
            "add tanh; }; add Identity<tensor>; join roundrobin; }\n");
    EXPECT_THAT(filters(), ElementsAre("Count", "relu+Both+add+Scale", "Show"));
    expectSame();
}

TEST_F(FuseTensors, PartsInTurn) {
    compileChain("add Parts; add Swap; add Each; add Scale(0.5);",
                 scale +
                     "tensor->tensor filter Parts { work pop 1 push 3 { tensor x = pop(); push(x); "
                     "push(sum(x)); push(x + 1); } }\n"
                     "tensor->tensor splitjoin Swap { split roundrobin(1, 2); add Scale(3); "
                     "add Last; join roundrobin(1, 1); }\n"
                     "tensor->tensor filter Last { work pop 2 push 1 { tensor a = pop(); "
                     "push(pop() - a); } }\n"
                     "tensor->tensor filter Each { work pop 2 push 1 { tensor a = pop(); push(a / "
                     "pop()); } }\n");
    EXPECT_THAT(filters(), ElementsAre("Count", "Parts+Swap+Each+Scale", "Show"));
    expectSame();
}

/// A splitter of one branch stands where another one has a filter.
TEST_F(FuseTensors, PartsOfAsManyNodes) {
    compileChain(
        "add splitjoin { split roundrobin; add splitjoin { split duplicate; add relu; add "
        "Scale(0.5);"
        " join roundrobin; } add pipeline { add relu; add Scale(0.5); add relu; add Scale(0.5); }"
        " join roundrobin(2, 1); }",
        scale);
    expectSame();
}

TEST_F(FuseTensors, FieldsSideBySide) {
    compileChain("add Sum(1); add Product; add Sum(2);",
                 product +
                     "tensor->tensor stateful filter Sum(int k) { tensor<float>[2, 2 + k + k % 2 * "
                     "1 - (k == 1 ? 1 : 0)] "
                     "total; int n = k; work pop 1 push 1 { total = 0.5 * total + n * pop(); n++; "
                     "push(total); } }\n");
    EXPECT_THAT(filters(), ElementsAre("Count", "Sum+Product+Sum", "Show"));
    expectSame();
}

TEST_F(FuseTensors, FromAndToScalars) {
    compile(
        "void->void pipeline Main { add Count; add frame({2, 3}); add relu; add transpose(0, 1);"
        " add unframe({3, 2}); add Show; }\n"
        "void->float filter Count { int n; work push 1 { push((n * 37 % 11 - 5) / 4.0); n++; } }\n"
        "float->void filter Show { work pop 1 { print(\"[\"); println(pop()); } }\n");
    EXPECT_THAT(filters(), ElementsAre("Count", "frame+relu+transpose+unframe", "Show"));
    expectSame();
}

TEST_F(FuseTensors, WhatIsSeenStays) {
    compileChain("add relu; add Look; add relu;",
                 "tensor->tensor filter Look { work pop 1 push 1 { tensor x = pop(); println(x); "
                 "push(x); } }\n");
    EXPECT_EQ(filters().size(), 5u);
}

TEST_F(FuseTensors, OtherRatesStay) {
    compileChain("add relu; add Pair; add relu;",
                 "tensor->tensor filter Pair { work pop 2 push 1 { push(pop() + pop()); } }\n");
    EXPECT_THAT(filters(), ElementsAre("Count", "relu[0]", "Pair+relu", "Show"));
    expectSame();
}

TEST_F(FuseTensors, WhatChangesNothingGoes) {
    const std::string none =
        "tensor->tensor filter None(int k) { work pop 1 push 1 { tensor x = pop(); x = 1 * x / k - "
        "0.0; push(reshape(x, 2, 3)); } }\n";
    shown = base::Pass::AlgebraicSimplification;
    compileChain("add None(1); add transpose(0, 1); add transpose(0, 1); add relu; add relu;",
                 none);
    EXPECT_THAT(program.context.passes.emitted(), HasSubstr("tensor relu %0\n"));
    for (const char* gone : {" mul ", " div ", " sub ", "reshape", "transpose"})
        EXPECT_THAT(program.context.passes.emitted(), Not(HasSubstr(gone + std::string("%"))));
    expectSame();
    disabled = {base::Pass::AlgebraicSimplification};
    compileChain("add None(1); add transpose(0, 1); add transpose(0, 1); add relu; add relu;",
                 none);
    EXPECT_EQ(program.context.passes.emitted(), "");
    expectSame();
}

TEST_F(FuseTensors, WhatChangesSomethingStays) {
    shown = base::Pass::AlgebraicSimplification;
    compileChain("add More; add transpose(0, 1); add Sums;",
                 "tensor->tensor filter More { work pop 1 push 1 { tensor x = pop(); push(-0.0 - "
                 "(x + 0.0) / 1.5 * full(2.0, 3)); } }\n"
                 "tensor->tensor filter Sums { work pop 1 push 1 { tensor x = pop(); push(1 - x + "
                 "2 / x); } }\n");
    EXPECT_EQ(program.context.passes.emitted(), "");
    expectSame();
}

TEST_F(FuseTensors, EqualOperationsOnce) {
    shown = base::Pass::TensorCse;
    const std::string twice =
        "tensor->tensor filter Twice { tensor<float>[3] m = 2 * ones(3); work pop 1 push 1 { "
        "tensor x = pop(); push(exp(x * m) + sigmoid(x) / exp(x * m)); } }\n";
    compileChain("add relu; add Twice; add Scale(3);", scale + twice);
    const std::string text = program.context.passes.emitted();
    EXPECT_THAT(text, HasSubstr("exp"));
    EXPECT_EQ(text.find("exp"), text.rfind("exp"));
    expectSame();
    disabled = {base::Pass::TensorCse};
    compileChain("add relu; add Twice; add Scale(3);", scale + twice);
    EXPECT_EQ(program.context.passes.emitted(), "");
    expectSame();
}

TEST_F(FuseTensors, FieldsThatChangeAreNotEqual) {
    shown = base::Pass::TensorCse;
    compileChain("add relu; add Step; add relu;",
                 "tensor->tensor stateful filter Step { tensor<float>[2, 3] m; work pop 1 push 1 { "
                 "tensor x = pop(); tensor a = x + m; m = 0.5 * x; push(a * (x + m)); } }\n");
    EXPECT_EQ(program.context.passes.emitted(), "");
    expectSame();
}

TEST_F(FuseTensors, FaultsNameTheirFilter) {
    compileChain("add relu; add Pick; add relu;",
                 "tensor->tensor filter Pick { int n; work pop 1 push 1 { tensor x = pop(); "
                 "push(full(x[0, n], 2)); n++; } }\n");
    EXPECT_THAT(filters(), ElementsAre("Count", "relu", "Pick", "relu", "Show"));
    const auto compiled = run(iterations(9));
    EXPECT_EQ(compiled.end, interp::End::Failed);
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("Main.Pick: ")));
}

}  // namespace
}  // namespace strc::testing
