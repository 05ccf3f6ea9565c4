#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// `fuse-epilogues`, `fold-norms` and `fold-tensors`: what they print, and that results stay. All numbers are such that no sum
/// has rounding errors.
class TensorFolds : public CompiledTest {
protected:
    /// Tensors of `shape`, which has `count` elements, through `middle`.
    void compileChain(const std::string& shape, int count, const std::string& middle,
                      const std::string& filters = "", const std::string& element = "float") {
        const std::string n = std::to_string(count);
        compile(
            "void->void pipeline Main { add Count; " + middle +
            " add Show; }\n"
            "void->tensor filter Count { int n; work push 1 { tensor<" +
            element + "> x = (" + element + ") (1.0 * arange(" + n +
            ")); n++;\n push(reshape(x - (n + 4) * floor(x / (n + 4)) - 2, " + shape +
            ")); } }\n"
            "tensor->void filter Show { work pop 1 { println(pop()); } }\n"
            "tensor->tensor filter Scale(float by) { work pop 1 push 1 { push(pop() * by); } }\n" +
            filters);
    }
    std::string shownText() { return program.context.passes.emitted(); }
    void expectSame() {
        for (int count : {1, 3}) {
            EXPECT_EQ(run(iterations(count)).end, interpret(iterations(count)).end);
            const std::string both = std::exchange(printed, "");
            ASSERT_FALSE(both.empty());
            EXPECT_EQ(both.substr(0, both.size() / 2), both.substr(both.size() / 2));
        }
    }
    /// Compiled with and without the pass; the text that it has shown.
    std::string compare(base::Pass pass, const std::function<void()>& compileIt) {
        disabled = {pass};
        compileIt();
        EXPECT_EQ(shownText(), "");
        expectSame();
        disabled = {};
        shown = pass;
        compileIt();
        expectSame();
        return shownText();
    }

    void SetUp() override { request.optimise = pass::Options{}; }

    /// Of so many channels in and out, 3 x 3.
    static std::string convolution(int in, int out) {
        const std::string i = std::to_string(in), o = std::to_string(out),
                          n = std::to_string(9 * in * out);
        return "tensor->tensor filter Conv { tensor<float>[" + o + ", " + i +
               ", 3, 3] w; tensor<float>[" + o +
               ", 1, 1] b; init { tensor<float> k = 1.0 * arange(" + n +
               "); w = reshape(k - 7 * floor(k / 7) - 3, " + o + ", " + i +
               ", 3, 3); b = reshape(1.0 * arange(" + o + "), " + o +
               ", 1, 1); }\n work pop 1 push 1 { push(conv(pop(), w, 1, 1, 1, 1, 1) + b); } }\n";
    }
    static std::string norm(int channels) {
        const std::string c = std::to_string(channels);
        return "tensor->tensor filter Norm { tensor<float>[" + c + "] s; tensor<float>[" + c +
               "] t; init { s = 0.5 * (arange(" + c + ") + 1); t = 1.0 * arange(" + c +
               ") - 3; }\n work pop 1 push 1 { push(pop() * reshape(s, " + c +
               ", 1, 1) + reshape(t, " + c + ", 1, 1)); } }\n";
    }
    const std::string product =
        "tensor->tensor filter Product { tensor<float>[6, 40] m; tensor<float>[40] b; init { m = "
        "reshape(arange(240) - 100.0, 6, 40); b = arange(40) * 0.25; }\n"
        "  work pop 1 push 1 { push(matmul(pop(), m) + b); } }\n";
};

// ---- fuse-epilogues

TEST_F(TensorFolds, BiasAndReluAreDoneWithTheSum) {
    const std::string text = compare(base::Pass::FuseEpilogues, [&] {
        compileChain("1, 4, 9, 10", 360, "add Conv; add relu;", convolution(4, 20));
    });
    EXPECT_THAT(text, HasSubstr("fuse-epilogues: Main.Conv+relu\n"));
    EXPECT_THAT(text,
                HasSubstr("{{9, 0, 0, 0, 0}, {20, 56, 0, 36, 1}, {7, 8, 10, 0, 0}, {8, 1, 1, 0, "
                          "0}, {4, 0, 90, 9, 0}, {3, 0, 10, 3, 0}, {3, 0, 1, 1, 0}, "
                          "{1, 4, 10, 0, 0}, {2, 5, 1, 0, 0}, {0, 2139095040, 0, 0, 0}}"));
    EXPECT_THAT(text, Not(HasSubstr("loop"))) << "nothing is left to do";
}

TEST_F(TensorFolds, SingleFiltersHaveEpilogues) {
    const std::string text = compare(base::Pass::FuseEpilogues,
                                     [&] { compileChain("3, 6", 18, "add Product;", product); });
    EXPECT_THAT(
        text, HasSubstr("{{0, 0, 0, 0, 0}, {3, 40, 6, 0, 0}, {40, 1, 0, 1, 1}, {6, 0, 1, 40, 0}}"));
}

TEST_F(TensorFolds, BoundsOfAnyKind) {
    const std::string text = compare(base::Pass::FuseEpilogues, [&] {
        compileChain("3, 6", 18, "add Product; add hardtanh(-4.5, 100);", product);
    });
    EXPECT_THAT(text, HasSubstr(", {-1064304640, 1120403456, 0, 0, 0}}"));
    EXPECT_THAT(text, Not(HasSubstr("loop")));
}

TEST_F(TensorFolds, ResidualsAreAddedToTheSum) {
    const std::string text = compare(base::Pass::FuseEpilogues, [&] {
        compileChain(
            "5, 6", 30, "add Sum; add relu;",
            "tensor->tensor filter Sum { tensor<float>[6, 6] m; tensor<float>[6] b; init { m = "
            "reshape(arange(36) - 10.0, 6, 6); b = arange(6) * 0.25; }\n"
            "  work pop 1 push 1 { tensor x = pop(); push(matmul(x, m) + b + x); } }\n");
    });
    EXPECT_THAT(text,
                HasSubstr("{{1, 0, 0, 0, 0, 0}, {5, 6, 6, 0, 0, 6}, {6, 1, 0, 1, 1, 1}, {6, 0, 1, "
                          "6, 0, 0}, {0, 2139095040, 0, 0, 0, 0}}"));
}

TEST_F(TensorFolds, AddendsMayBeTurnedOrRepeated) {
    const std::string text = compare(base::Pass::FuseEpilogues, [&] {
        compileChain(
            "6, 6", 36, "add Sum;",
            "tensor->tensor filter Sum { tensor<float>[6, 6] m; init { m = "
            "reshape(arange(36) - 10.0, 6, 6); }\n work pop 1 push 1 { tensor x = pop(); "
            "push(matmul(x, m) + transpose(x, 0, 1) + broadcast(slice(x, 0, 1, 2), 6, 6)); } }\n");
    });
    EXPECT_THAT(text,
                HasSubstr("{{0, 0, 0, 0, 0, 6}, {6, 6, 6, 0, 1, 0}, {6, 1, 0, 1, 6, 1}, {6, 0, 1, "
                          "6, 0, 0}}"));
}

TEST_F(TensorFolds, TwoSumsMeet) {
    compare(base::Pass::FuseEpilogues, [&] {
        compileChain(
            "5, 6", 30, "add Sum; add relu;",
            "tensor->tensor filter Sum { tensor<float>[6, 40] m; init { m = "
            "reshape(arange(240) - 100.0, 6, 40); }\n work pop 1 push 1 { tensor x = pop(); "
            "push(matmul(x, m) + matmul(x - 1, m + 0.5)); } }\n");
    });
}

TEST_F(TensorFolds, WhatComesAfterBoundsStays) {
    compare(base::Pass::FuseEpilogues, [&] {
        compileChain("3, 6", 18, "add Product; add relu; add More; add relu6;",
                     product +
                         "tensor->tensor filter More { work pop 1 push 1 { tensor x = pop(); "
                         "push(x + 0.5 * x - full(700.0, 40)); } }\n");
    });
}

TEST_F(TensorFolds, DoublesAndInts) {
    for (const char* element : {"double", "int"}) {
        SCOPED_TRACE(element);
        const std::string type = element;
        compare(base::Pass::FuseEpilogues, [&] {
            compileChain("4, 6", 24, "add Sum; add relu;",
                         "tensor->tensor filter Sum { tensor<" + type + ">[6, 20] m; tensor<" +
                             type +
                             ">[20] b; init { for (int k = 0; k < 6; k++) m = update(m, "
                             "reshape(arange(20) - 10 - k, 1, 20), 0, k); b = update(b, "
                             "arange(20), 0, 0); }\n"
                             " work pop 1 push 1 { push(matmul(pop(), m) + b); } }\n",
                         type);
        });
    }
}

TEST_F(TensorFolds, SmallSumsInPlainLoops) {
    const std::string text = compare(base::Pass::FuseEpilogues, [&] {
        compileChain(
            "2, 3", 6, "add Sum; add relu;",
            "tensor->tensor filter Sum { tensor<float>[3, 4] m; tensor<float>[2, 1] b; init { m = "
            "reshape(arange(12) - 5.0, 3, 4); b = reshape(arange(2) * 0.5, 2, 1); }\n"
            " work pop 1 push 1 { push(matmul(pop(), m) + b); } }\n");
    });
    EXPECT_THAT(text, HasSubstr("{2, 4, 3, 0, 1}"));
}

TEST_F(TensorFolds, LargeSumsInPartsHaveTheirAddends) {
    const std::string text = compare(base::Pass::FuseEpilogues, [&] {
        compileChain(
            "200, 100", 20000, "add Sum; add relu; add Totals;",
            "tensor->tensor filter Sum { tensor<float>[100, 150] m; tensor<float>[150] b; init { m "
            "= "
            "reshape(arange(15000) - 128 * floor(arange(15000) / 128.0) - 60.0, 100, 150); b = "
            "1.0 * arange(150); }\n"
            " work pop 1 push 1 { tensor x = pop(); push(matmul(x, m) + b + slice(x, 1, 0, 1)); } "
            "}\n"
            "tensor->tensor filter Totals { work pop 1 push 1 { tensor x = pop(); x = x - 1024 * "
            "floor(x / 1024); push(concat(sum(x, 0), sum(x, 1), 0)); } }\n");
    });
    EXPECT_THAT(text, HasSubstr("{200, 150, 100, 0, 0, 100}, {150, 1, 0, 1, 1, 0}"));
}

// ---- fold-norms and fold-tensors

TEST_F(TensorFolds, NormsGoIntoWeights) {
    auto compileIt = [&] {
        compileChain("1, 4, 6, 6", 144, "add Conv; add dropout(); add Norm; add relu;",
                     convolution(4, 8) + norm(8));
    };
    const std::string norms = compare(base::Pass::FoldNorms, compileIt);
    EXPECT_THAT(norms, HasSubstr("fold-norms: Main.Conv+dropout+Norm+relu\n"));
    EXPECT_LT(norms.find(" mul "), norms.find(" conv ")) << "the weights are scaled";
    EXPECT_THAT(norms.substr(norms.find(" conv ")), HasSubstr("relu"));
    const std::string folded = compare(base::Pass::FoldTensors, compileIt);
    EXPECT_THAT(folded, Not(HasSubstr(" mul ")));
    EXPECT_EQ(folded.find(" add "), folded.rfind(" add "));
}

TEST_F(TensorFolds, ScalesGoIntoTheColumnsOfProducts) {
    auto compileIt = [&] {
        compileChain(
            "3, 6", 18, "add Product; add Scale(0.5); add Each;",
            product +
                "tensor->tensor filter Each { tensor<float>[40] s = 0.5 * (arange(40) + 1); work "
                "pop 1 push 1 { push(s * pop()); } }\n");
    };
    const std::string norms = compare(base::Pass::FoldNorms, compileIt);
    EXPECT_LT(norms.find(" mul "), norms.find(" matmul "));
    const std::string folded = compare(base::Pass::FoldTensors, compileIt);
    EXPECT_THAT(folded, HasSubstr(" matmul "));
    EXPECT_THAT(folded, Not(HasSubstr(" mul ")));
}

TEST_F(TensorFolds, ScalesOfOtherDimensionsStay) {
    shown = base::Pass::FoldNorms;
    compileChain("3, 6", 18, "add Product; add Each;",
                 product +
                     "tensor->tensor filter Each { tensor<float>[3, 1] s = 0.5 * ones(3, 1); work "
                     "pop 1 push 1 { push(s * pop()); } }\n");
    EXPECT_EQ(shownText(), "");
    expectSame();
    compileChain("1, 4, 6, 6", 144, "add Conv; add Twice; add Norm;",
                 convolution(4, 8) + norm(8) +
                     "tensor->tensor filter Twice { work pop 1 push 1 { tensor x = pop(); push(x + "
                     "relu(x)); } }\n");
    EXPECT_EQ(shownText(), "") << "there is no sum of products alone";
    expectSame();
}

TEST_F(TensorFolds, WhatIsKnownIsComputedOnce) {
    const std::string text = compare(base::Pass::FoldTensors, [&] {
        compileChain(
            "2, 3", 6, "add relu; add Known;",
            "tensor->tensor filter Known { tensor<float>[3] m = 2 * ones(3); work pop 1 push 1 { "
            "push(pop() * exp(m - m) + transpose(reshape(sum(m * m) + ones(6), 3, 2), 0, 1)); } "
            "}\n");
    });
    for (const char* gone : {" exp ", " sum ", " sub "}) EXPECT_THAT(text, Not(HasSubstr(gone)));
    EXPECT_THAT(text, HasSubstr(" transpose ")) << "where elements are costs nothing";
}

TEST_F(TensorFolds, FiltersWithSeveralSums) {
    auto filter = [](const std::string& body) {
        return "tensor->tensor filter Twice { tensor<float>[6, 6] w; init { tensor<float> k = 1.0 "
               "* arange(36); w = "
               "reshape(k - 7 * floor(k / 7) - 3, 6, 6); }\n work pop 1 push 1 { tensor x = "
               "pop(); " +
               body + " } }\n";
    };
    const std::string known = filter("push(relu(matmul(x, w * 2.0)) + matmul(x, matmul(w, w)));");
    EXPECT_THAT(
        compare(base::Pass::FoldTensors, [&] { compileChain("3, 6", 18, "add Twice;", known); }),
        HasSubstr("fold-tensors: Main.Twice\n"));
    disabled = {};
    const std::string equal =
        filter("tensor unused = matmul(x, x * w); push(matmul(x, w) * relu(matmul(x, w)));");
    EXPECT_THAT(
        compare(base::Pass::TensorCse, [&] { compileChain("6, 6", 36, "add Twice;", equal); }),
        HasSubstr("tensor-cse: Main.Twice\n"));
}
TEST_F(TensorFolds, WhatIsNotUsedIsNotComputed) {
    shown = base::Pass::FuseEpilogues;
    compileChain("6, 6", 36, "add Twice;",
                 "tensor->tensor filter Twice { work pop 1 push 1 { tensor x = pop(); tensor "
                 "unused = matmul(x, x); "
                 "push(relu(matmul(x, x + 1))); } }\n");
    const std::string text = shownText();
    EXPECT_THAT(text, HasSubstr("contract<"));
    EXPECT_EQ(text.find("contract<"), text.rfind("contract<"));
    expectSame();
}
TEST_F(TensorFolds, WhatChangesIsNotKnown) {
    shown = base::Pass::FoldTensors;
    compileChain("2, 3", 6, "add relu; add Step;",
                 "tensor->tensor stateful filter Step { tensor<float>[2, 3] m; work pop 1 push 1 { "
                 "tensor x = pop(); m = 0.5 * x + m; push(x * (m + 1)); } }\n");
    EXPECT_EQ(shownText(), "");
    expectSame();
}

TEST_F(TensorFolds, WhatWouldBecomeLargeStays) {
    shown = base::Pass::FoldTensors;
    compileChain(
        "200, 200", 40000, "add relu; add Outer; add Total;",
        "tensor->tensor filter Outer { tensor<float>[200] m = 0.5 * arange(200); work pop 1 push "
        "1 { push(pop() * (reshape(m, 200, 1) + m)); } }\n"
        "tensor->tensor filter Total { work pop 1 push 1 { tensor x = pop(); push(amax(x, 1)); } "
        "}\n");
    EXPECT_EQ(shownText(), "");
    expectSame();
}

// ---- fuse-residuals

/// A convolution that keeps height and width.
std::string around(const std::string& filter) {
    return "tensor->tensor pipeline Same { add pad({1, 1, 1, 1}); add " + filter + "; }\n";
}

TEST_F(TensorFolds, ResidualBlocksAreOneFilter) {
    auto compileIt = [&] {
        compileChain(
            "1, 4, 6, 6", 144,
            "add splitjoin { split duplicate; add pipeline { add Same; add Norm; add relu; "
            "add Same; }; add Identity<tensor>; join roundrobin; }; add add(); add relu;",
            convolution(4, 4) + norm(4) + around("Conv"));
    };
    EXPECT_THAT(
        compare(base::Pass::FuseResiduals, compileIt),
        HasSubstr("fuse-residuals: Main.splitjoin\nIdentity PadWith Conv Norm relu PadWith Conv"));
    disabled = {};
    shown = base::Pass::FuseEpilogues;
    compileIt();
    EXPECT_THAT(shownText(), HasSubstr("fuse-epilogues: Main.splitjoin+add+relu\n"));
    EXPECT_THAT(shownText(),
                HasSubstr("contract<int[10][6]> {{9, 0, 0, 0, 0, 0}, {4, 36, 0, 36, 1, 36}"))
        << "the second sum with its bias, the shortcut and relu";
    expectSame();
}

TEST_F(TensorFolds, ShortcutsMayHaveSumsOfTheirOwn) {
    compare(base::Pass::FuseResiduals, [&] {
        compileChain("3, 6", 18,
                     "add splitjoin { split duplicate; add pipeline { add Product; add relu; add "
                     "Last; }; add Last2; join roundrobin; }; add add(); add relu;",
                     product +
                         "tensor->tensor filter Last { tensor<float>[40, 5] m; init { m = "
                         "reshape(arange(200) - 90.0, 40, 5); } work pop 1 push 1 { "
                         "push(matmul(pop(), m)); } }\n"
                         "tensor->tensor filter Last2 { tensor<float>[6, 5] m; init { m = "
                         "reshape(arange(30) - 9.0, 6, 5); } work pop 1 push 1 { "
                         "push(matmul(pop(), m)); } }\n");
    });
}

TEST_F(TensorFolds, BranchesThatAreNotAddedStay) {
    shown = base::Pass::FuseResiduals;
    compileChain(
        "3, 6", 18,
        "add splitjoin { split duplicate; add Product; add Product; join roundrobin; }; add mul();",
        product);
    EXPECT_EQ(shownText(), "");
    expectSame();
}

// ---- algebraic-simplification

class TensorMoves : public TensorFolds {
protected:
    std::string moved(const std::string& body, const std::string& shape = "2, 3, 4") {
        const std::string filter =
            "tensor->tensor filter F { tensor<float>[4] m = 0.5 * arange(4); tensor<float>[4, 5] "
            "n; init { n = reshape(arange(20) - 7.0, 4, 5); } work pop 1 push 1 { tensor x = "
            "pop(); " +
            body + " } }\n";
        return compare(base::Pass::AlgebraicSimplification,
                       [&] { compileChain(shape, 24, "add relu; add F;", filter); });
    }
};

TEST_F(TensorMoves, ViewsOfViewsAreOne) {
    const std::string reshaped = moved("push(flatten(reshape(unsqueeze(x, 1), 6, 4)));");
    EXPECT_EQ(reshaped.find("reshape"), reshaped.rfind("reshape"));
    EXPECT_THAT(reshaped, Not(HasSubstr("squeeze")));
    const std::string transposed = moved("push(permute(transpose(x, 0, 1), 2, 0, 1));");
    EXPECT_THAT(transposed, Not(HasSubstr("transpose")));
    EXPECT_EQ(transposed.find("permute"), transposed.rfind("permute"));
    EXPECT_THAT(moved("push(permute(permute(x, 2, 0, 1), 1, 2, 0));"), Not(HasSubstr("permute")));
}

TEST_F(TensorMoves, ProductsAreMadeTurned) {
    const std::string text = moved("push(transpose(matmul(x, n), 1, 2));");
    EXPECT_LT(text.rfind("transpose"), text.find("matmul"));
}

TEST_F(TensorMoves, BroadcastsComeLast) {
    const std::string text = moved("push(exp(broadcast(m, 3, 4)) * 2 + x);");
    EXPECT_THAT(text, Not(HasSubstr("broadcast"))) << "x is as large";
    const std::string last = moved(
        "push(matmul(slice(x, 0, 0, 1), n) * 0.0 + sigmoid(broadcast(full(0.25, 1), 2, 3, 5)) * "
        "broadcast(full(4.0, 5), 2, 3, 5));");
    EXPECT_LT(last.find("sigmoid"), last.rfind(" mul "));
}

TEST_F(TensorMoves, NegationsAreSubtractions) {
    const std::string text = moved("push(x + -floor(x) - -x);");
    EXPECT_THAT(text, Not(HasSubstr(" neg ")));
    EXPECT_THAT(text, HasSubstr(" sub "));
}

TEST_F(TensorMoves, IntegersTimesZero) {
    const std::string text = compare(base::Pass::AlgebraicSimplification, [&] {
        compileChain("2, 3", 6, "add relu; add Zero;",
                     "tensor->tensor filter Zero { work pop 1 push 1 { push(pop() * 0 + 2); } }\n",
                     "int");
    });
    EXPECT_THAT(text, Not(HasSubstr(" mul ")));
    shown = base::Pass::AlgebraicSimplification;
    compileChain("2, 3", 6, "add relu; add Zero;",
                 "tensor->tensor filter Zero { work pop 1 push 1 { push(pop() * 0.0); } }\n");
    EXPECT_EQ(shownText(), "") << "what is no number stays none";
}

TEST_F(TensorMoves, NothingPadded) {
    EXPECT_THAT(moved("push(pad(x, 1, 0, 0));"), Not(HasSubstr("pad")));
}

}  // namespace
}  // namespace strc::testing
