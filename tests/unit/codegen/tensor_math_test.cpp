#include <cmath>
#include <sstream>

#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Sums and functions inside of operators on tensors.
class TensorMathCompiled : public CompiledTest {
protected:
    /// Of 1000 numbers from -step * 500 on.
    void compileFunction(const std::string& value, double step) {
        compile(
            "void->void pipeline Main { add Numbers; add F; add Show; }\n"
            "void->tensor filter Numbers { work push 1 { tensor<float> n = 1.0 * arange(1000); "
            "push((n - 500) * " +
            std::to_string(step) +
            "); } }\n"
            "tensor->tensor filter F { work pop 1 push 1 { tensor x = pop(); push(" +
            value +
            "); } }\n"
            "tensor->void filter Show { work pop 1 { tensor x = pop(); for (int k = 0; k < size(x, "
            "0); k++) "
            "println(x[k]); } }\n");
    }
    std::string llvm() { return codegen::printLlvm(lower()); }

    std::vector<double> numbers() {
        std::vector<double> all;
        std::istringstream lines(std::exchange(printed, ""));
        for (std::string line; std::getline(lines, line);) all.push_back(std::stod(line));
        return all;
    }

    void expectClose(double relative) {
        EXPECT_EQ(interpret(iterations(1)).end, interp::End::Iterations);
        const std::vector<double> expected = numbers();
        EXPECT_EQ(run(iterations(1)).end, interp::End::Iterations);
        const std::vector<double> found = numbers();
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t k = 0; k < found.size(); ++k) {
            if (found[k] == expected[k]) continue;
            if (std::isnan(found[k]) && std::isnan(expected[k])) continue;
            // Near and below the least ordinary floats, digits are few.
            const double size = std::max(std::fabs(expected[k]), 1e-36);
            EXPECT_LE(std::fabs(found[k] - expected[k]) / size, relative) << expected[k];
        }
    }
};

TEST_F(TensorMathCompiled, FunctionsAreNearTheExactOnes) {
    for (const char* value : {"exp(x)", "tanh(x)", "sigmoid(x)", "silu(x)"})
        for (const double step : {1e-5, 0.001, 0.021, 0.17, 0.5}) {
            SCOPED_TRACE(std::string(value) + " " + std::to_string(step));
            compileFunction(value, step);
            EXPECT_THAT(llvm(), HasSubstr("@relaxed."));
            expectClose(5e-7);
        }
}

TEST_F(TensorMathCompiled, InfinitiesNoNumbersAndZerosWithTheirSigns) {
    for (const char* value : {"exp(x / 0)", "tanh(x / 0)", "sigmoid(x / 0)", "exp(sqrt(x))",
                              "1 / tanh(0 * x)", "1 / silu(0 * x)"}) {
        SCOPED_TRACE(value);
        compileFunction(value, 1);
        expectClose(5e-7);
    }
}

TEST_F(TensorMathCompiled, SumsInVectors) {
    compileFunction("reshape(sum(x * x), 1)", 0.01);
    EXPECT_THAT(llvm(), HasSubstr("fadd reassoc nsz float"));
    expectClose(1e-6);
}

TEST_F(TensorMathCompiled, IsAPass) {
    compileFunction("softmax(x)", 0.01);
    program.context.passes.disable(base::Pass::TensorMath);
    EXPECT_THAT(llvm(), Not(HasSubstr("@relaxed.")));
    EXPECT_THAT(llvm(), Not(HasSubstr("reassoc")));
}

}  // namespace
}  // namespace strc::testing
