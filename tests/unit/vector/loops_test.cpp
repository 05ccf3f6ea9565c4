#include "vector/loops.h"

#include "unit/vector/fixture.h"

namespace strc::testing {
namespace {

class VectorLoops : public VectorTest {
protected:
    /// for (j = 0; j < 40; j++) { s = 0; for (k = 0; k < 5; k++) s += peek(stride * j + k) * state; push(s); }
    void sums(int stride) {
        const std::string text =
            "field state: float\nwork {\nlocal s: float\nlocal j: int\nlocal k: int\n"
            "%0: int = const 0\nstore<int> local j, %0\nloop {\n%1: int = load local j\n"
            "%2: int = const 40\n%3: boolean = lt<int> %1, %2\nyield %3\n} do {\n"
            "%4: float = const 0.0\nstore<float> local s, %4\n%5: int = const 0\n"
            "store<int> local k, %5\nloop {\n%6: int = load local k\n%7: int = const 5\n"
            "%8: boolean = lt<int> %6, %7\nyield %8\n} do {\n%9: int = load local j\n"
            "%10: int = const " +
            std::to_string(stride) +
            "\n%11: int = mul %9, %10\n%12: int = load local k\n%13: int = add %11, %12\n"
            "%14: float = peek %13\n%15: float = load local s\n%16: float = load field state\n"
            "%17: float = mul %14, %16\n%18: float = add %15, %17\nstore<float> local s, %18\n"
            "} step {\n%19: int = load local k\n%20: int = const 1\n%21: int = add %19, %20\n"
            "store<int> local k, %21\n}\n%22: float = load local s\npush<float> %22\n} step {\n"
            "%23: int = load local j\n%24: int = const 1\n%25: int = add %23, %24\n"
            "store<int> local j, %25\n}\n%26: float = load field state\n"
            "%27: float = add %26, %26\nstore<float> field state, %27\n}\n";
        filter("float", 0, 40 * stride + 5, 40, text);
    }

    std::optional<ir::Body> inVectors() {
        vector::LoopFacts known;
        known.input = code().input;
        known.rates = rates;
        known.isSafe = [this](const ir::Instr&) { return areSafe; };
        known.isWanted = [](const ir::VectorLoop&) { return true; };
        return vector::vectoriseLoops(types, {}, work(), known);
    }

    void expectSameSums(int stride) {
        sums(stride);
        const auto made = inVectors();
        ASSERT_TRUE(made);
        const std::vector<float> window = items<float>(static_cast<std::size_t>(40 * stride + 5));
        const std::string input(reinterpret_cast<const char*>(window.data()),
                                window.size() * sizeof(float));
        std::string state(4, '\0');
        const float one = 1.5;
        std::memcpy(state.data(), &one, sizeof one);
        std::string again = state;
        const std::string expected = run(work(), input, 2, &state);
        EXPECT_EQ(expected.size(), 2 * 40 * sizeof(float));
        EXPECT_EQ(run(*made, input, 2, &again), expected) << ir::print(*made);
    }
};

TEST_F(VectorLoops, SumsOfWindowsWithARest) {
    for (int stride : {1, 2, 4}) {
        SCOPED_TRACE(stride);
        expectSameSums(stride);
    }
}

TEST_F(VectorLoops, ChecksThatMightFailLeaveTheRestToTheLoop) {
    areSafe = false;
    expectSameSums(1);
    rates.peek = graph::fixedRate(20);  // as if the window were shorter than what the loop looks at
    const auto made = inVectors();
    ASSERT_TRUE(made);
    const std::vector<float> window = items<float>(45);
    const std::string input(reinterpret_cast<const char*>(window.data()),
                            window.size() * sizeof(float));
    EXPECT_EQ(run(*made, input, 1), run(work(), input, 1)) << "one by one from the first group on";
}

}  // namespace
}  // namespace strc::testing
