#include <tuple>

#include "base/pass.h"
#include "codegen/detail/grain.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Large products of tensors in parts for several threads.
class ContractionPartsCompiled : public CompiledTest {
protected:
    /// rows x depth times depth x columns, of numbers that have no rounding errors in any order.
    void compileProduct(int rows, int depth, int columns) {
        const std::string r = std::to_string(rows), d = std::to_string(depth),
                          c = std::to_string(columns);
        compile(
            "void->void pipeline Main { add Factors; add Product; add Show; }\n"
            "void->tensor filter Factors { int n;\n"
            "  work push 2 { n++; tensor<float> a = 1.0 * arange(" +
            r + " * " + d + "); tensor<float> b = 1.0 * arange(" + d + " * " + c +
            ");\n    push(reshape(a - (n + 4) * floor(a / (n + 4)), " + r + ", " + d +
            ")); push(reshape(b - 5 * floor(b / 5), " + d + ", " + c +
            ")); } }\n"
            "tensor->tensor filter Product { work pop 2 push 1 { tensor a = pop(); push(matmul(a, "
            "pop())); } }\n"
            "tensor->void filter Show { work pop 1 { tensor x = pop(); tensor s = sum(x, 0); "
            "tensor t = sum(x, 1);\n"
            "  for (int k = 0; k < " +
            c + "; k++) println(s[k]); for (int k = 0; k < " + r + "; k++) println(t[k]); } }\n");
    }
    /// The same with weights that are known, and with an epilogue.
    void compileLayer(int rows, int depth, int columns) {
        const std::string r = std::to_string(rows), d = std::to_string(depth),
                          c = std::to_string(columns);
        compile(
            "void->void pipeline Main { add Rows; add Layer; add Show; }\n"
            "void->tensor filter Rows { int n; work push 1 { n++; tensor<float> a = 1.0 * "
            "arange(" +
            r + " * " + d + "); push(reshape(a - (n + 4) * floor(a / (n + 4)), " + r + ", " + d +
            ")); } }\n"
            "tensor->tensor filter Layer { tensor<float>[" +
            d + ", " + c + "] w; tensor<float>[" + c +
            "] bias; init { tensor<float> b = 1.0 * arange(" + d + " * " + c +
            "); w = reshape(b - 5 * floor(b / 5) - 2, " + d + ", " + c + "); bias = 1.0 * arange(" +
            c + ") - 70; } work pop 1 push 1 { push(relu(matmul(pop(), w) + bias)); } }\n" + kShow);
    }
    /// 2 pictures of 8 x 36 x 36, 32 channels.
    void compileConvolution(int groups) {
        const std::string in = std::to_string(8 / groups), g = std::to_string(groups);
        compile(
            "void->void pipeline Main { add Pictures; add Conv; add Show; }\n"
            "void->tensor filter Pictures { int n; work push 1 { n++; tensor<float> a = 1.0 * "
            "arange(20736); push(reshape(a - (n + 4) * floor(a / (n + 4)), 2, 8, 36, 36)); } "
            "}\n"
            "tensor->tensor filter Conv { tensor<float>[32, " +
            in + ", 3, 3] w; init { tensor<float> b = 1.0 * arange(32 * " + in +
            " * 9); w = reshape(b - 5 * floor(b / 5) - 2, 32, " + in +
            ", 3, 3); } work pop 1 push 1 { push(conv(pop(), w, 1, 1, 1, 1, " + g + ")); } }\n" +
            kShow);
    }
    static constexpr const char* kShow =
        "tensor->void filter Show { work pop 1 { tensor x = pop(); println(sum(x, 0)); "
        "println(sum(x, 1)); } }\n";
    std::string llvm(codegen::Options options = {}) {
        return codegen::printLlvm(lower(std::move(options)));
    }
    void expectSame() {
        interp::Options how;
        how.iterations = 3;
        ASSERT_EQ(interpret(how).end, interp::End::Iterations);
        const std::string expected = std::exchange(printed, "");
        for (unsigned workers : {1u, 2u, 3u, 9u}) {
            how.workers = workers;
            EXPECT_EQ(run(how).end, interp::End::Iterations);
            EXPECT_EQ(std::exchange(printed, ""), expected) << workers;
        }
    }
};

TEST_F(ContractionPartsCompiled, EqualPartsAndAShorterLastOne) {
    for (int rows : {128, 129, 200}) {
        SCOPED_TRACE(rows);
        compileProduct(rows, 100, 150);
        EXPECT_THAT(llvm(), HasSubstr("call void @strc_share"));
        expectSame();
    }
}

TEST_F(ContractionPartsCompiled, PartsOfColumns) {
    compileProduct(1, 1500, 1600);
    EXPECT_THAT(llvm(), HasSubstr("call void @strc_share"));
    expectSame();
}

TEST_F(ContractionPartsCompiled, SmallOnesStayWhole) {
    processor = "x86-64-v3";  // with narrower vectors it takes long enough to be shared
    compileProduct(10, 100, 150);
    EXPECT_THAT(llvm(), Not(HasSubstr("strc_share")));
}

/// Two threads have as much to do.
TEST_F(ContractionPartsCompiled, EvenNumbersOfParts) {
    EXPECT_EQ(codegen::grainOf(28, 10), 14);
    EXPECT_EQ(codegen::grainOf(20, 3), 5);
    EXPECT_EQ(codegen::grainOf(10, 1), 1);
    EXPECT_EQ(codegen::grainOf(7, 2), 2);
    EXPECT_EQ(codegen::grainOf(3, 2), 2);
    processor = "x86-64-v4";  // the parts are whole vectors
    request.optimise = pass::Options{};
    shown = base::Pass::ParallelProducts;
    compileLayer(1, 784, 512);
    llvm();
    EXPECT_THAT(program.context.passes.emitted(), HasSubstr("4 parts of 128 columns"));
    expectSame();
}

TEST_F(ContractionPartsCompiled, LibrariesHaveNoThreads) {
    compileProduct(128, 100, 150);
    codegen::Options options;
    options.inPieces = true;
    EXPECT_THAT(llvm(options), Not(HasSubstr("strc_share")));
}

TEST_F(ContractionPartsCompiled, ByHand) {
    request.optimise = pass::Options{};
    shown = base::Pass::ParallelProducts;
    for (const bool areStored : {false, true})
        for (const auto& [dim, places, text] :
             {std::tuple(0, 16, "8 parts of 16 by hand"),
              std::tuple(0, 50, "3 parts of 50 by hand"),
              std::tuple(1, 64, "3 parts of 64 by hand"), std::tuple(1, 7, "22 parts of 7 by hand"),
              std::tuple(0, 1, "128 parts of 1 by hand")}) {
            SCOPED_TRACE(text);
            request.optimise->split = {dim, places};
            areStored ? compileLayer(128, 100, 150) : compileProduct(128, 100, 150);
            EXPECT_THAT(llvm(), HasSubstr("call void @strc_share"));
            EXPECT_THAT(program.context.passes.emitted(), HasSubstr(text));
            expectSame();
        }
}

TEST_F(ContractionPartsCompiled, ByHandOnlyWhereThereAreMorePlaces) {
    request.optimise = pass::Options{};
    shown = base::Pass::ParallelProducts;
    for (const types::TensorSplit split : {types::TensorSplit{0, 128}, {1, 150}, {2, 1}}) {
        request.optimise->split = split;
        compileProduct(128, 100, 150);
        llvm();
        EXPECT_THAT(program.context.passes.emitted(), Not(HasSubstr("by hand")));
    }
}

TEST_F(ContractionPartsCompiled, PartsOfConvolutions) {
    request.optimise = pass::Options{};
    shown = base::Pass::ParallelProducts;
    for (const int groups : {1, 4})
        for (const auto& [dim, places, text] :
             {std::tuple(0, 1, "2 parts of 1 by hand"), std::tuple(2, 7, "5 parts of 7 by hand"),
              std::tuple(3, 16, "3 parts of 16 by hand"),
              std::tuple(1, 16, groups == 1 ? "2 parts of 16 by hand" : "2 parts of 2 by hand")}) {
            SCOPED_TRACE(text);
            request.optimise->split = {dim, places};
            compileConvolution(groups);
            llvm();
            EXPECT_THAT(program.context.passes.emitted(), HasSubstr(text));
            expectSame();
        }
}

TEST_F(ContractionPartsCompiled, PartsOfAGroupStayTogether) {
    request.optimise = pass::Options{};
    shown = base::Pass::ParallelProducts;
    request.optimise->split = {1, 3};
    compileConvolution(4);
    llvm();
    EXPECT_THAT(program.context.passes.emitted(), Not(HasSubstr("by hand")));
    expectSame();
}

TEST_F(ContractionPartsCompiled, IsAPass) {
    disabled = {base::Pass::ParallelProducts};
    compileProduct(128, 100, 150);
    EXPECT_THAT(llvm(), Not(HasSubstr("strc_share")));
    expectSame();
}

}  // namespace
}  // namespace strc::testing
