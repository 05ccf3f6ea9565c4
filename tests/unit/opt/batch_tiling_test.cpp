#include "base/pass.h"
#include "unit/opt/compared.h"

namespace strc::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Loops over steps that deal with the items of a batch alone (`batch-tiling`): what is printed, and that results stay. All numbers
/// are such that no sum has rounding errors.
class Batches : public ComparedTest {
protected:
    struct Sizes {
        std::string items = "8", steps = "64", width = "64";
    };

    /// A state of items x width that goes through `round`, which knows h, its product with the weights, and the step t.
    void compileSteps(const std::string& round, const Sizes& sizes) {
        const std::string dims = sizes.items + ", " + sizes.width;
        compile(
            "void->void pipeline Main { add Count; add Steps; add Show; }\n"
            "void->tensor filter Count { int n; work push 1 { n++;\n"
            "  tensor<float> x = 1.0 * arange(" +
            sizes.items + " * " + sizes.width +
            ");\n  push(reshape(x - (n + 4) * floor(x / (n + 4)), " + dims +
            ")); } }\n"
            "tensor->tensor filter Steps {\n"
            "  tensor<float>[" +
            sizes.width + ", " + sizes.width +
            "] w;\n"
            "  init { tensor<float> a = 1.0 * arange(" +
            sizes.width + " * " + sizes.width + "); w = reshape(a - 7 * floor(a / 7) - 3, " +
            sizes.width + ", " + sizes.width +
            "); }\n"
            "  work pop 1 push 1 { tensor h = pop(); tensor kept = h;\n"
            "    for (int t = 0; t < " +
            sizes.steps + "; t++) { tensor p = matmul(h, w); " + round +
            " }\n    push(h + kept); } }\n"
            "tensor->void filter Show { work pop 1 { tensor x = pop(); println(sum(x, -1));\n"
            "  println(amax(x, -1)); println(sum(x, 0)); } }\n");
    }

    /// Compiled with and without the pass; the text that it has shown.
    std::string tiled(const std::string& round, const Sizes& sizes) {
        disabled = {base::Pass::BatchTiling};
        compileSteps(round, sizes);
        const std::string expected = outputs();
        disabled = {};
        shown = base::Pass::BatchTiling;
        compileSteps(round, sizes);
        EXPECT_EQ(outputs(), expected);
        return program.context.passes.emitted();
    }
    std::string tiled(const std::string& round) { return tiled(round, {}); }
};

/// What keeps numbers small: between -8 and 8.
const std::string kSmall = " h = h - 16 * floor(h / 16) - 8;";

TEST_F(Batches, PartsGoThroughAllSteps) {
    EXPECT_THAT(tiled("h = p + t; kept = max(kept, p);" + kSmall),
                AllOf(HasSubstr("; batch-tiling: Main.Steps\n"), HasSubstr("ref float[256] = elem"),
                      HasSubstr("contract<int[4][4]> {{0, 0, 0, 0}, {4, 64, 64, 0}, ")));
}

TEST_F(Batches, ThreadsShareTheParts) {
    shown = base::Pass::ParallelLoops;
    compileSteps("h = p + t;" + kSmall, {.items = "16"});
    outputs();
    EXPECT_THAT(program.context.passes.emitted(), HasSubstr("4 parts of 1 rounds of"));
}

TEST_F(Batches, PartsAreEqualAndHaveSeveralItems) {
    const std::string round = "h = p + t;" + kSmall;
    EXPECT_THAT(tiled(round, {.items = "15"}), HasSubstr("{5, ")) << "three of five";
    EXPECT_EQ(tiled(round, {.items = "7"}), "");
    EXPECT_EQ(tiled(round, {.items = "4"}), "") << "one part";
}

TEST_F(Batches, ItemsThatDependOnEachOtherStayTogether) {
    EXPECT_EQ(tiled("h = p + slice(concat(h, h, 0), 0, 1, 9) - h;" + kSmall), "")
        << "each on the next one";
    EXPECT_EQ(tiled("h = p + amax(p, 0);" + kSmall), "") << "all on all";
    EXPECT_EQ(tiled("tensor q = p + 1; h = q + amax(q, 0);" + kSmall), "")
        << "through what a round has for itself";
    EXPECT_EQ(tiled("h = concat(slice(p, 0, 4, 8), slice(p, 0, 0, 4), 0);" + kSmall), "")
        << "halves change places";
}

TEST_F(Batches, WhatAllOfABatchMakesIsWhole) {
    for (const std::string round :
         {"h = p + sum(p) - 1024 * floor(sum(p) / 1024);", "float s = item(sum(p)); h = p + s;",
          "h = p + argmax(kept);", "int s = 0; for (int k = 0; k < 4; k++) s = s + k; h = p + s;",
          "tensor q; for (int k = 0; k < 4; k++) { q = kept + k; } h = p + q;",
          "tensor a = reshape(h, size(h, 0) * size(h, 1)); h = p + matmul(a, a);"})
        EXPECT_EQ(tiled(round + kSmall), "") << round;
}

TEST_F(Batches, WhatAllPartsMakeIsTheirOwn) {
    EXPECT_THAT(tiled("float s = 0; if (t % 2 == 0) { s = 3; } h = p + s;" + kSmall),
                HasSubstr("batch-tiling"));
}

TEST_F(Batches, OnlyWhatIsWorthIt) {
    EXPECT_EQ(tiled("h = p + t;" + kSmall, {.steps = "2"}), "");
    EXPECT_EQ(tiled("kept = update(kept, slice(p, -1, 0, 1), -1, t);"), "")
        << "steps that threads can do at once";
}

TEST_F(Batches, LargeWeightsAreReadOnce) {
    EXPECT_EQ(tiled("h = p;" + kSmall, {.steps = "4", .width = "640"}), "");
}

}  // namespace
}  // namespace strc::testing
