#include "base/pass.h"
#include "unit/opt/compared.h"

namespace strc::testing {
namespace {

using ::testing::HasSubstr;

/// `layout-propagation`: what it prints, and that results stay. All numbers are such that no sum has rounding errors.
class Layouts : public ComparedTest {
protected:
    /// An image of `channels` x `size` x `size` through `middle`.
    void compileImages(int channels, int size, const std::string& middle,
                       const std::string& filters) {
        const std::string c = std::to_string(channels), s = std::to_string(size);
        compile(
            "void->void pipeline Main { add Count; " + middle +
            " add Show; }\n"
            "void->tensor filter Count { int n; work push 1 { tensor<float> x = 1.0 * arange(" +
            c + " * " + s + " * " + s +
            ");\n n++; push(reshape(x - (n + 4) * floor(x / (n + 4)) - 2, 1, " + c + ", " + s +
            ", " + s +
            ")); } }\n"
            "tensor->void filter Show { work pop 1 { println(pop()); } }\n"
            "tensor->tensor filter Conv(int in, int out, int k = 1, int edge = 0, int groups = 1) "
            "{\n"
            "  tensor<float>[out, in / groups, k, k] w; tensor<float>[out, 1, 1] b;\n"
            "  init { tensor<float> a = 1.0 * arange(out * (in / groups) * k * k);\n"
            "    w = reshape(a - 7 * floor(a / 7) - 3, out, in / groups, k, k);\n"
            "    b = reshape(1.0 * arange(out), out, 1, 1); }\n"
            "  work pop 1 push 1 { tensor x = pop();\n"
            "    if (edge > 0) x = pad(pad(x, -2, edge, edge), -1, edge, edge);\n"
            "    push(conv(x, w, 1, 1, 1, 1, groups) + b); } }\n"
            "tensor->tensor pipeline Block(int in, int out, int k = 1, int edge = 0, int groups = "
            "1) {\n"
            "  add Conv(in, out, k, edge, groups); add relu6; }\n"
            "tensor->tensor filter Look { work pop 1 push 1 peek 2 { tensor next = peek(1); "
            "push(pop() + 0 * next); } }\n"
            "tensor->tensor filter Stack { work pop 2 push 1 { tensor a = pop(); tensor b = pop(); "
            "push(concat(a, b, 1)); } }\n" +
            filters);
    }

    /// Compiled with and without the pass; the text that it has shown.
    std::string compare(int channels, int size, const std::string& middle,
                        const std::string& filters = "") {
        disabled = {base::Pass::LayoutPropagation, base::Pass::FusePadding};
        compileImages(channels, size, middle, filters);
        const std::string expected = outputs();
        disabled = {base::Pass::FusePadding};  // which would make one filter of several
        shown = base::Pass::LayoutPropagation;
        compileImages(channels, size, middle, filters);
        EXPECT_EQ(outputs(), expected);
        return program.context.passes.emitted();
    }

    static std::string line(const std::string& in, const std::string& values,
                            const std::string& out) {
        return "input " + in + ", values " + values + ", output " + out + ";";
    }
    /// What is shown of filters that cost so much in either layout.
    static std::string transposed(const std::string& path, const std::vector<std::string>& lines,
                                  int lastCycles, int rowCycles) {
        std::string text;
        for (const std::string& each : lines)
            text += "; layout-propagation: " + path + "\n" + each + " " +
                    std::to_string(lastCycles) + " cycles for " + std::to_string(rowCycles) + "\n";
        return text;
    }
    const std::string rows = "row by row", last = "channels last";
    const std::string four =
        "add Block(64, 64); add Block(64, 64); add Block(64, 64); add Block(64, 64);";
};

TEST_F(Layouts, ChainsAreTurnedBetweenTheirEnds) {
    const std::string text = compare(64, 7, four);
    EXPECT_EQ(text, transposed("Main.Block",
                               {line(rows, last, last), line(last, last, last),
                                line(last, last, last), line(last, last, rows)},
                               6272, 8192));
}

TEST_F(Layouts, ASingleConvolutionIsNotWorthIt) {
    EXPECT_EQ(compare(64, 7, "add Block(64, 64);"), "");
}

TEST_F(Layouts, NorAreFewChannels) {
    EXPECT_EQ(compare(3, 12, "add Block(3, 5, 3, 1); add Block(5, 5, 3, 1); add Block(5, 3);"), "");
}

TEST_F(Layouts, WhatOthersSeeStays) {
    const std::string text = compare(64, 7, four + " add Look; " + four);
    EXPECT_EQ(text,
              transposed("Main.Block",
                         {line(rows, last, last), line(last, last, last), line(last, last, last),
                          line(last, last, rows), line(rows, last, last), line(last, last, last),
                          line(last, last, last), line(last, last, rows)},
                         6272, 8192));
}

TEST_F(Layouts, Residuals) {
    const std::string text = compare(
        32, 5,
        "add Block(32, 32, 3, 1); add splitjoin { split duplicate; add Identity<tensor>(); add "
        "pipeline { add Block(32, 32, 3, 1); add Conv(32, 32, 3, 1); } join roundrobin; } add "
        "add(); add relu6; add Block(32, 32);");
    EXPECT_THAT(text, HasSubstr("Main.splitjoin+add+relu6\n" + line(last, last, last)));
}

TEST_F(Layouts, DepthwiseConvolutions) {
    const std::string text =
        compare(48, 5,
                "add Block(48, 48, 3, 1, 48); add Block(48, 20); add Block(20, 20, 3, 1, 20); add "
                "Block(20, 40);");
    EXPECT_EQ(text, transposed("Main.Block", {line(rows, last, last)}, 371, 2160) +
                        transposed("Main.Block", {line(last, last, last)}, 1200, 960) +
                        transposed("Main.Block", {line(last, last, rows)}, 248, 900));
}

TEST_F(Layouts, AllBranchesOfATapeAgree) {
    const std::string text = compare(
        32, 5,
        "add Block(32, 32, 3, 1); add splitjoin { split duplicate; add Block(32, 32, 3, 1); add "
        "Block(32, 16); join roundrobin; } add Stack; add Block(48, 32, 3, 1);");
    EXPECT_THAT(text, HasSubstr("Main.Block\n" + line(rows, last, last)));
    EXPECT_THAT(text, HasSubstr("Main.splitjoin.Block[0].Conv+relu6\n" + line(last, last, last)));
    EXPECT_THAT(text, HasSubstr("Main.splitjoin.Block[1].Conv+relu6\n" + line(last, last, last)));
    EXPECT_THAT(text, HasSubstr("Main.Stack+Block\n" + line(last, last, rows)));
}

TEST_F(Layouts, PoolingAndWhatIsFlat) {
    const std::string text =
        compare(32, 9,
                "add Block(32, 32, 3, 1); add maxpool2d(3, 2, 1); add Block(32, 32, 3, 1); add "
                "avgpool2d(2, 1); add Block(32, 64, 3, 1); add adaptiveavgpool2d(1); add flatten;");
    EXPECT_THAT(text, HasSubstr("maxpool2d\n" + line(rows, last, last)));
    EXPECT_THAT(text, HasSubstr("flatten\n" + line(last, last, rows)));
}

TEST_F(Layouts, OtherViewsOfImages) {
    const std::string text = compare(
        32, 6,
        "add Block(32, 32, 3, 1); add F; add Block(32, 32, 3, 1); add G; add Block(32, 32, 3, 1);",
        "tensor->tensor filter F { work pop 1 push 1 { tensor x = pop();"
        " push(reshape(transpose(reshape(x, 1, 4, 8, 6, 6), 1, 2), 1, 32, 6, 6)); } }\n"
        "tensor->tensor filter G { work pop 1 push 1 { tensor x = pop(); tensor y = flip(x, 2);"
        " push(x * 0.5 + sum(y, 1, 1) - cumsum(slice(permute(permute(y, 0, 2, 3, 1), 0, 3, 1, 2), "
        "1, 0, 32), 1)); } }\n");
    EXPECT_THAT(text, HasSubstr("Main.Block+F\n" + line(rows, last, last)));
    EXPECT_THAT(text, HasSubstr("Main.Block+G\n" + line(last, last, last)));
}

TEST_F(Layouts, SeveralImages) {
    const std::string text = compare(
        32, 8, "add Halves; add Block(16, 48, 3, 1); add Block(48, 48, 3, 1); add Block(48, 16);",
        "tensor->tensor filter Halves { work pop 1 push 1 { "
        "push(reshape(pop(), 2, 16, 8, 8)); } }\n");
    EXPECT_THAT(text, HasSubstr(line(last, last, last)));
}

}  // namespace
}  // namespace strc::testing
