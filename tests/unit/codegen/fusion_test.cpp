#include "base/pass.h"
#include "unit/codegen/compiled.h"

namespace strc::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Filters with state one behind the other, between numbers and their print.
class Fused : public CompiledTest {
protected:
    void makeProgram(const std::string& filters) {
        std::string adds;
        for (char name : {'F', 'G', 'H'})
            if (filters.find(std::string("filter ") + name + " ") != std::string::npos)
                adds += std::string("add ") + name + "; ";
        compile("void->void pipeline Main { add Count; " + adds +
                "add Show; }\n"
                "void->float filter Count { work push 1 { push(iter() % 101 - 50); } }\n" +
                filters + "float->void filter Show { work pop 1 { println(pop()); } }\n");
    }

    void expectSame(const std::string& filters) {
        SCOPED_TRACE(filters);
        makeProgram(filters);
        if (HasFatalFailure()) return;
        EXPECT_THAT(plan::print(*program.plan), HasSubstr("  loop "));
        const auto compiled = run(iterations(3000));
        const std::string fused = std::exchange(printed, "");
        const auto meant = interpret(iterations(3000));
        EXPECT_EQ(compiled.end, meant.end);
        EXPECT_EQ(fused, printed);
        printed.clear();
    }
};

const std::string kTwo =
    "float->float filter F { float s; work pop 1 push 1 { s = 0.5 * s + pop(); push(s); } }\n"
    "float->float filter G { float s; float t; work pop 1 push 1 {"
    " float x = pop(); push(x + s); s = t - 0.25 * x; t = x; } }\n";

TEST_F(Fused, FireInTurn) { expectSame(kTwo); }

TEST_F(Fused, AsOftenAsTheRatesAsk) {
    expectSame(
        "float->float filter F { float s; work pop 1 push 3 {"
        " s += pop(); push(s); push(s * 2); push(-s); } }\n"
        "float->float filter G { float s; work pop 2 peek 5 push 1 {"
        " s = s * 0.5 + peek(4); push(s + pop()); pop(); } }\n"
        "float->float filter H { float s; work pop 3 push 2 {"
        " s -= pop(); push(s); push(pop() + pop()); } }\n");
}

TEST_F(Fused, FaultsAreThoseOfTheOrderOfTheLanguage) {
    makeProgram(
        "float->float filter F { int n; work pop 1 push 1 { n++; push(pop() + 600 / (1500 - n)); } "
        "}\n"
        "float->float filter G { int n; work pop 1 push 1 { n++; push(pop() + n); } }\n");
    const auto compiled = run(iterations(3000));
    const std::string fused = std::exchange(printed, "");
    const auto meant = interpret(iterations(3000));
    EXPECT_EQ(compiled.end, meant.end);
    EXPECT_EQ(fused, printed);
    EXPECT_EQ(faults().size(), 2);
}

TEST_F(Fused, CanBeSwitchedOff) {
    disabled = {base::Pass::Fusion};
    makeProgram(kTwo);
    EXPECT_THAT(plan::print(*program.plan), Not(HasSubstr("  loop ")));
}

TEST_F(Fused, ProductsUseTheirWeightsForOneFiringAfterTheOther) {
    compile(
        "void->void pipeline Main { add Count; add Product(2); add Product(3); add Show; }\n"
        "void->tensor filter Count { float n; work push 1 { n++; push(n * ones(1, 8)); } }\n"
        "tensor->tensor filter Product(float by) { tensor<float>[8, 8] w; init { w = by * ones(8, "
        "8); }\n"
        "  work pop 1 push 1 { push(matmul(pop(), w)); } }\n"
        "tensor->void filter Show { work pop 1 { tensor x = pop(); println(x[0, 3]); } }\n");
    EXPECT_THAT(plan::print(*program.plan), Not(HasSubstr("  loop ")));
}

}  // namespace
}  // namespace strc::testing
