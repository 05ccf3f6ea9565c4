#include <utility>

#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Built-in functions in vectors (tests/embed/vector_math_test.py compares their bits).
class VectorMathCompiled : public CompiledTest {
protected:
    void compileWork(const std::string& work) {
        compile(
            "void->void pipeline Main { add Count; add F; add Show; }\n"
            "void->float filter Count { int n; work push 1 { push(((n * 37) % 101 - 50) / 7.0); "
            "n++; } }\n"
            "float->float filter F { " +
            work + " }\nfloat->void filter Show { work pop 1 { println(pop()); } }\n");
    }
    std::string llvm() { return codegen::printLlvm(lower()); }

    void expectSame() {
        const auto compiled = run(iterations(1000));
        const std::string inVectors = std::exchange(printed, "");
        EXPECT_EQ(compiled.end, interpret(iterations(1000)).end);
        EXPECT_EQ(inVectors, printed);
        printed.clear();
    }
    /// Is there a vector library at all?
    bool hasVectors() {
        compileWork("work pop 1 push 1 { push(sin(pop())); }");
        return llvm().find("v_sin(") != std::string::npos;
    }
};

TEST_F(VectorMathCompiled, FunctionsOfFloats) {
    if (!hasVectors()) GTEST_SKIP() << "no vector library";
    for (const char* value : {"sin(x)", "cos(3 * x)", "tanh(x)", "exp(-x * x)", "log(1 + x * x)",
                              "pow(x, 2.0)", "atan2(x, 0.5)"}) {
        SCOPED_TRACE(value);
        compileWork("work pop 1 push 1 { float x = pop(); push(" + std::string(value) + "); }");
        EXPECT_THAT(llvm(), HasSubstr("@_ZGV"));
        EXPECT_THAT(llvm(), HasSubstr("@rounded."));
        expectSame();
    }
}

TEST_F(VectorMathCompiled, ZerosInfinitiesAndNoNumbers) {
    for (const char* value :
         {"sin(0 * x)", "cos(1 / (x - x))", "exp(30 * x)", "log(x)", "pow(x, 0.5)",
          "atan2(0 * x, -0.0)", "asin(x)", "log(x - x)", "exp(-13 * abs(x))"}) {
        SCOPED_TRACE(value);
        compileWork("work pop 1 push 1 { float x = pop(); push(" + std::string(value) + "); }");
        expectSame();
    }
}

TEST_F(VectorMathCompiled, LanesThatDoNotRun) {
    compileWork(
        "work pop 1 push 1 { float x = pop(); if (x > 0) x = log(x); else x = exp(x); push(x); }");
    expectSame();
}

TEST_F(VectorMathCompiled, ArgumentsOfComplexNumbers) {
    if (!hasVectors()) GTEST_SKIP() << "no vector library";
    compileWork("work pop 2 push 1 { complex z; z.real = pop(); z.imag = pop(); push(arg(z)); }");
    EXPECT_THAT(llvm(), HasSubstr("vv_atan2("));
    expectSame();
}

TEST_F(VectorMathCompiled, RoundsOfALoop) {
    if (!hasVectors()) GTEST_SKIP() << "no vector library";
    const std::string loop =
        "float own; work pop 40 peek 100 push 32 { own++; for (int j = 0; j < 32; j++) { float s = "
        "0;"
        " for (int k = 0; k < 68; k++) s += peek(k) * peek(k + j); push(tanh(s)); }"
        " for (int i = 0; i < 40; i++) pop(); }";
    compileWork(loop);
    EXPECT_THAT(llvm(), HasSubstr("v_tanh("));
    expectSame();
}

TEST_F(VectorMathCompiled, DoublesStayScalar) {
    compileWork(
        "work pop 1 push 1 { double x = pop(); double y = sin(x); push((float)(y * 3 - y)); }");
    EXPECT_THAT(llvm(), Not(HasSubstr("@_ZGV")));
    expectSame();
}

TEST_F(VectorMathCompiled, FiltersWithStateStayScalar) {
    compileWork("float last; work pop 1 push 1 { last = sin(last + pop()); push(last); }");
    EXPECT_THAT(llvm(), Not(HasSubstr("@_ZGV")));
    expectSame();
}

TEST_F(VectorMathCompiled, CanBeSwitchedOff) {
    disabled = {base::Pass::VectorMath};
    compileWork("work pop 1 push 1 { push(sin(pop())); }");
    EXPECT_THAT(llvm(), HasSubstr(".lanes("));
    EXPECT_THAT(llvm(), Not(HasSubstr("@_ZGV")));
    expectSame();
}

TEST_F(VectorMathCompiled, LoopsOverArraysAreLeftToLlvm) {
    if (!hasVectors()) GTEST_SKIP() << "no vector library";
    for (const auto& [value, trips] : std::initializer_list<std::pair<std::string, std::string>>{
             {"tanh(x)", "64"},
             {"exp(x)", "64"},
             {"1 / (1 + exp(-x))", "64"},
             {"x * (1 / (1 + exp(-x)))", "64"},
             {"tanh(x)", "16"}}) {  // few iterations are written out, and then become vectors
        SCOPED_TRACE(value + ", " + trips);
        const std::string each = " for (int i = 0; i < " + trips + "; i++) ";
        compileWork("float own; work pop " + trips + " push 1 { float[" + trips +
                    "] y; float s = 0; own++;" + each + "y[i] = pop();" + each +
                    "{ float x = y[i]; y[i] = " + value + "; }" + each + "s += y[i]; push(s); }");
        EXPECT_THAT(llvm(), HasSubstr("vector-function-abi-variant"));
        codegen::Module module = lower();
        codegen::optimize(module, {});
        const std::string text = codegen::printLlvm(module);
        EXPECT_THAT(text, HasSubstr(" x float> @rounded.")) << "a call in vectors";
        expectSame();
    }
}

}  // namespace
}  // namespace strc::testing
