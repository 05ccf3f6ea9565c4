#include <cmath>
#include <sstream>

#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Long loops in parts for several threads.
class LoopPartsCompiled : public CompiledTest {
protected:
    /// `work` makes `y` of `x`, a tensor of that shape, whose elements are small and differ from firing to firing.
    void compileTensors(const std::string& shape, const std::string& work) {
        shown = base::Pass::ParallelLoops;
        compile(
            "void->void pipeline Main { add Items; add Filter; add Show; }\n"
            "void->tensor filter Items { int n; work push 1 { n++; tensor<float> a = 1.0 * "
            "arange(" +
            countOf(shape) +
            "); push(reshape(0.25 * (a - (n + 4) * floor(a / (n + "
            "4))), " +
            shape +
            ")); } }\n"
            "tensor->tensor filter Filter { work pop 1 push 1 { tensor x = pop(); tensor y = " +
            work +
            "; push(y); } }\n"
            "tensor->void filter Show { work pop 1 { tensor x = pop(); println(sum(x, 0)); "
            "println(sum(x, 1)); } }\n");
    }
    /// A filter of arrays.
    void compileArrays(const std::string& work) {
        shown = base::Pass::ParallelLoops;
        compile(
            "void->void pipeline Main { add Items; add Filter; add Show; }\n"
            "void->float filter Items { float x; work push 1 { x = x + 1; push(x - 8 * floor(x / "
            "8)); } }\n"
            "float->float filter Filter { float[3000] kept; float[700] table; int n; work pop 3000 "
            "push 10 {\n"
            "  float[3000] a; float[3000] b; for (int i = 0; i < 3000; i++) a[i] = pop();\n" +
            work +
            "  n = (n + 7) % 900;\n"
            "  float s = 0; for (int i = 0; i < 3000; i++) s += b[i] * (i % 3);\n"
            "  for (int i = 0; i < 10; i++) push(s + b[i] + b[1200 + i] + b[2990 + i]); } }\n"
            "float->void filter Show { work pop 1 { println(pop()); } }\n");
    }
    /// What the pass says about the filter.
    std::string parts() {
        lower();
        const std::string text = program.context.passes.emitted(),
                          title = "; parallel-loops: Filter";
        const std::size_t first = text.find(title);
        if (first == std::string::npos) return {};
        return text.substr(first, text.find("; ", first + title.size()) - first);
    }
    /// The interpreter's numbers, as all engines may round them, and one text for all numbers of workers.
    void expectSame() {
        interp::Options how;
        how.iterations = 3;
        ASSERT_EQ(interpret(how).end, interp::End::Iterations);
        const std::vector<double> expected = numbers(std::exchange(printed, ""));
        std::string first;
        for (unsigned workers : {1u, 2u, 3u, 9u}) {
            how.workers = workers;
            EXPECT_EQ(run(how).end, interp::End::Iterations);
            if (workers == 1) {
                first = printed;
                expectNear(numbers(printed), expected);
            }
            EXPECT_EQ(std::exchange(printed, ""), first) << workers;
        }
    }

private:
    static std::string countOf(const std::string& shape) {
        std::istringstream words(shape);
        std::int64_t count = 1;
        for (std::string word; std::getline(words, word, ',');) count *= std::stoll(word);
        return std::to_string(count);
    }
    static std::vector<double> numbers(std::string text) {
        for (char& c : text)
            if (std::string_view("[],").find(c) != std::string_view::npos) c = ' ';
        std::istringstream words(text);
        std::vector<double> list;
        for (std::string word; words >> word;)
            if (std::isdigit(word.back()) != 0) list.push_back(std::stod(word));
        return list;
    }
    static void expectNear(const std::vector<double>& found, const std::vector<double>& expected) {
        ASSERT_EQ(found.size(), expected.size());
        ASSERT_GT(found.size(), 5u);
        for (std::size_t k = 0; k < found.size(); ++k)
            EXPECT_NEAR(found[k], expected[k], 1e-4 * std::max(1.0, std::abs(expected[k]))) << k;
    }
};

TEST_F(LoopPartsCompiled, HeadsOfAttention) {
    for (const char* causal : {"0", "1"}) {
        compileTensors("6, 100, 24", std::string("attention(x, 0.5 * x, x - 1, ") + causal + ")");
        EXPECT_THAT(parts(), HasSubstr("6 parts of 1 rounds"));
        EXPECT_THAT(parts(), HasSubstr("each with its own 'key"));
        expectSame();
    }
}

TEST_F(LoopPartsCompiled, BlocksOfOneHead) {
    compileTensors("430, 40", "attention(x, x, x)");
    EXPECT_THAT(parts(), HasSubstr("parts of 1 rounds"));
    EXPECT_THAT(parts(), HasSubstr("each with its own 'query"));
    expectSame();
}

TEST_F(LoopPartsCompiled, RowsOfSoftmaxAndNorms) {
    for (const char* work : {"softmax(x, 2)", "(x - mean(x, 2, 1)) / sqrt(mean(x * x, 2, 1) + 1)",
                             "amax(windows(x, 1, 3, 2, 1), -1)"}) {
        SCOPED_TRACE(work);
        compileTensors("40, 60, 90", work);
        EXPECT_THAT(parts(), HasSubstr("parts of"));
        expectSame();
    }
}

TEST_F(LoopPartsCompiled, ElementsByNeighbours) {
    compileTensors("300, 700", "exp(0.1 * x) * x");
    EXPECT_THAT(parts(), HasSubstr("rounds of"));
    expectSame();
}

TEST_F(LoopPartsCompiled, WhatFollowsItselfStaysWhole) {
    compileTensors("1, 300000", "cumsum(x, 1)");
    EXPECT_THAT(parts(), Not(HasSubstr("parts of")));
    expectSame();
}

TEST_F(LoopPartsCompiled, ShortOnesStayWhole) {
    compileTensors("20, 30", "softmax(x, 1)");
    EXPECT_THAT(parts(), Not(HasSubstr("parts of")));
}

TEST_F(LoopPartsCompiled, LoopsThatProgramsWrite) {
    compileArrays(
        "  for (int i = 0; i < 3000; i++) { float s = 0; for (int j = 0; j < 500; j++) s += a[j] * "
        "(i + j); b[i] = s; }\n");
    EXPECT_THAT(parts(), HasSubstr("parts of"));
    expectSame();
}

TEST_F(LoopPartsCompiled, StateThatRoundsShare) {
    const std::string sum = "float s = 0; for (int j = 0; j < 500; j++) s += a[j] * (i + j);";
    for (const std::string round :
         {"b[i] = s; n = n + 1;", "b[i] = s + kept[0]; kept[i] = s;", "b[(i + 1) % 3000] = s;"}) {
        SCOPED_TRACE(round);
        compileArrays("  for (int i = 0; i < 3000; i++) { " + sum + round + " }\n");
        EXPECT_THAT(parts(), Not(HasSubstr("parts of")));
        expectSame();
    }
}

TEST_F(LoopPartsCompiled, StateOfTheirOwn) {
    compileArrays(
        "  for (int i = 0; i < 3000; i++) { for (int j = 0; j < 500; j++) kept[i] += a[j] * 0.01; "
        "b[i] = kept[i]; }\n");
    EXPECT_THAT(parts(), HasSubstr("parts of"));
    expectSame();
}

TEST_F(LoopPartsCompiled, WhatMayFailStaysWhole) {
    const std::string loop =
        "  for (int i = 0; i < 3000; i++) { float s = 0; for (int j = 0; j < 500; j++) s += "
        "table[(int) a[j] * n]; b[i] = s; }\n";
    compileArrays(loop);
    EXPECT_THAT(parts(), Not(HasSubstr("parts of")));
    expectSame();
}

TEST_F(LoopPartsCompiled, LibrariesHaveNoThreads) {
    compileTensors("6, 100, 24", "attention(x, x, x)");
    codegen::Options options;
    options.inPieces = true;
    EXPECT_THAT(codegen::printLlvm(lower(options)), Not(HasSubstr("strc_share")));
}

TEST_F(LoopPartsCompiled, IsAPass) {
    disabled = {base::Pass::ParallelLoops};
    compileTensors("6, 100, 24", "softmax(attention(x, x, x), 2)");
    EXPECT_THAT(codegen::printLlvm(lower()), Not(HasSubstr(".rounds")));
    expectSame();
}

}  // namespace
}  // namespace strc::testing
