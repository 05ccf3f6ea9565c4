#include "base/pass.h"
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
    compileProduct(20, 100, 150);
    EXPECT_THAT(llvm(), Not(HasSubstr("strc_share")));
}

TEST_F(ContractionPartsCompiled, LibrariesHaveNoThreads) {
    compileProduct(128, 100, 150);
    codegen::Options options;
    options.inPieces = true;
    EXPECT_THAT(llvm(options), Not(HasSubstr("strc_share")));
}

TEST_F(ContractionPartsCompiled, IsAPass) {
    disabled = {base::Pass::ShareProducts};
    compileProduct(128, 100, 150);
    EXPECT_THAT(llvm(), Not(HasSubstr("strc_share")));
    expectSame();
}

}  // namespace
}  // namespace strc::testing
