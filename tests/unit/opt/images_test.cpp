#include "base/pass.h"
#include "unit/opt/compared.h"

namespace strc::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// What becomes of images between filters, and of batches of them (`fuse-padding`, `image-blocking`): what is printed, and that results stay. All
/// numbers are such that no sum has rounding errors.
class Images : public ComparedTest {
protected:
    /// Batches of `images` with `channels` of `size` x `size` through `middle`.
    void compileImages(const std::string& images, const std::string& channels,
                       const std::string& size, const std::string& middle) {
        const std::string dims = images + ", " + channels + ", " + size + ", " + size;
        compile(
            "void->void pipeline Main { add Count; " + middle +
            " add Show; }\n"
            "void->tensor filter Count { int n; work push 1 { tensor<float> x = 1.0 * arange(" +
            images + " * " + channels + " * " + size + " * " + size +
            ");\n n++; push(reshape(x - (n + 4) * floor(x / (n + 4)) - 2, " + dims +
            ")); } }\n"
            "tensor->void filter Show { work pop 1 { tensor x = pop(); println(sum(sum(x, -1), "
            "-1)); "
            "println(amax(amax(x, -1), -1)); } }\n"
            "tensor->tensor filter Conv(int in, int out, int k = 1, int edge = 0, int groups = 1, "
            "int step = 1) {\n"
            "  tensor<float>[out, in / groups, k, k] w; tensor<float>[out, 1, 1] b;\n"
            "  init { tensor<float> a = 1.0 * arange(out * (in / groups) * k * k);\n"
            "    w = reshape(a - 7 * floor(a / 7) - 3, out, in / groups, k, k);\n"
            "    b = reshape(1.0 * arange(out), out, 1, 1); }\n"
            "  work pop 1 push 1 { tensor x = pop();\n"
            "    if (edge > 0) x = pad(pad(x, -2, edge, edge), -1, edge, edge);\n"
            "    push(conv(x, w, step, step, 1, 1, groups) + b); } }\n"
            "tensor->tensor filter Mix { work pop 1 push 1 { tensor x = pop();\n"
            "  push(x + 0.5 * slice(concat(x, x, 0), 0, 1, size(x, 0) + 1)); } }\n"
            "tensor->tensor filter Beside(int dim) { work pop 1 push 1 { tensor x = pop();\n"
            "  push(concat(x, cumsum(x, dim), amax(x, 1, 1), 1)); } }\n"
            "tensor->tensor filter Less { work pop 1 push 1 { push(pop() - 0.5); } }\n");
    }

    /// Compiled with and without the pass; the text that it has shown.
    std::string compare(base::Pass pass, const std::string& images, const std::string& channels,
                        const std::string& size, const std::string& middle) {
        disabled = {pass};
        compileImages(images, channels, size, middle);
        const std::string expected = outputs();
        disabled = {};
        shown = pass;
        compileImages(images, channels, size, middle);
        EXPECT_EQ(outputs(), expected);
        return program.context.passes.emitted();
    }

    std::string padded(const std::string& middle) {
        return compare(base::Pass::FusePadding, "1", "8", "6", middle);
    }
    std::string blocked(const std::string& middle, const std::string& images = "3") {
        return compare(base::Pass::ImageBlocking, images, "32", "60", middle);
    }
};

TEST_F(Images, SumsAreWrittenIntoPaddedImages) {
    const std::string chain = "add Conv(8, 16); add relu6; add Conv(16, 8, 3, 1, 8);";
    EXPECT_EQ(padded(chain), "; fuse-padding: Main.Conv[1]\nConv\n");
    disabled = {};
    shown = base::Pass::FuseEpilogues;
    compileImages("1", "8", "6", chain);
    EXPECT_THAT(program.context.passes.emitted(),
                AllOf(HasSubstr("fuse-epilogues: Main.Conv+relu6+Conv\n"), HasSubstr("float[1024]"),
                      Not(HasSubstr("float[576]"))))
        << "no image but the padded one";
}

TEST_F(Images, PaddedConvolutionsFollowEachOther) {
    EXPECT_EQ(padded("add Conv(8, 8, 3, 1); add Conv(8, 4, 3, 1); add relu; add Conv(4, 8, 3, 1);"),
              "; fuse-padding: Main.Conv[1]\nConv\n; fuse-padding: Main.Conv[2]\nConv\n");
}

TEST_F(Images, PoolingGoesStraightIntoThePaddedImage) {
    const std::string pooled = "add Conv(8, 8); add relu6; add maxpool2d({3}, {2}, {1});";
    disabled = {base::Pass::FuseTensors};
    compileImages("1", "8", "6", pooled);
    const std::string expected = outputs();
    disabled = {};
    shown = base::Pass::FuseTensors;
    compileImages("1", "8", "6", pooled);
    EXPECT_EQ(outputs(), expected);
    EXPECT_THAT(program.context.passes.emitted(),
                AllOf(HasSubstr("; fuse-tensors: Main.Conv+relu6+maxpool2d\n"),
                      HasSubstr(" = tensor amax "), Not(HasSubstr("loop {"))))
        << "its loop over the dimensions is written out";
}

TEST_F(Images, OthersStayApart) {
    EXPECT_EQ(padded("add Conv(8, 8, 3, 1); add Conv(8, 8, 3);"), "") << "not padded";
    EXPECT_EQ(padded("add Conv(8, 8); add maxpool2d(2); add Conv(8, 8, 3, 1);"), "")
        << "no sum of products is padded";
    EXPECT_EQ(padded("add Conv(8, 8); add Less; add Conv(8, 8, 3, 1);"), "")
        << "nor what is part of one";
}

TEST_F(Images, ImagesOfABatchGoInTurn) {
    const std::string text =
        blocked("add Conv(32, 32); add relu6; add Conv(32, 32, 3, 1, 32, 2); add relu6;");
    EXPECT_THAT(text, AllOf(HasSubstr("; image-blocking: Main.Conv+relu6+Conv+relu6\n"),
                            HasSubstr("pop.into<float[3][115200]>"),
                            HasSubstr("push.from<float[3][28800]>")));
}

TEST_F(Images, ImagesOfABatchWithTheirChannelsLast) {
    const std::string text = blocked(
        "add Conv(32, 48); add relu6; add Conv(48, 48, 3, 1, 48); add relu6; add Conv(48, 32, 3, "
        "1, "
        "16); add relu6;",
        "2");
    EXPECT_THAT(text, HasSubstr("; image-blocking: "));
}

TEST_F(Images, AnyOperationMayDealWithEachImageAlone) {
    EXPECT_THAT(blocked("add Conv(32, 32); add Beside(1); add relu;"),
                AllOf(HasSubstr("; image-blocking: Main.Conv+Beside+relu\n"),
                      HasSubstr("push.from<float[3][234000]>")));
    EXPECT_EQ(blocked("add Conv(32, 32); add Beside(0); add relu;"), "") << "sums over images";
}

TEST_F(Images, BatchesStayWhole) {
    const std::string depthwise = "add Conv(32, 32, 3, 1, 32);";
    EXPECT_THAT(blocked(depthwise), HasSubstr("image-blocking")) << "it has a padded image";
    EXPECT_EQ(blocked(depthwise + "add Mix;"), "") << "images depend on each other";
    EXPECT_EQ(blocked(depthwise, "1"), "") << "one image";
    EXPECT_EQ(blocked("add Conv(32, 32);"), "") << "nothing is in between";
    EXPECT_EQ(compare(base::Pass::ImageBlocking, "2", "8", "6", "add Conv(8, 8, 3, 1);"), "")
        << "the cache keeps all of it";
}

}  // namespace
}  // namespace strc::testing
