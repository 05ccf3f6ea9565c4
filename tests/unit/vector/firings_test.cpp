#include "unit/vector/fixture.h"

namespace strc::testing {
namespace {

using ::testing::Test;

const std::string kSquares = "work {\n%0: float = pop\n%1: float = mul %0, %0\npush<float> %1\n}\n";

TEST_F(VectorTest, ItemsBesideEachOther) {
    filter("float", 1, 1, 1, kSquares);
    expectSame<float>({.lanes = 8});
}

TEST_F(VectorTest, TheTextIsReadBack) {
    filter("float", 1, 1, 1, kSquares);
    module.streams[0].functions.push_back(inLanes({.lanes = 4}));
    const std::string text = ir::print(module);
    EXPECT_NE(text.find("vector<float, 4>"), std::string::npos) << text;
    auto again = ir::parse(text, types, names);
    ASSERT_TRUE(again) << again.error() << text;
    EXPECT_EQ(ir::print(*again), text);
}

/// Item 3 of a window of 5, doubled, and the sum of the first two.
const std::string kWindow =
    "work {\n%0: int = const 3\n%1: float = peek %0\n%2: float = add %1, %1\npush<float> %2\n"
    "%3: float = pop\n%4: float = pop\n%5: float = add %3, %4\npush<float> %5\n}\n";

TEST_F(VectorTest, WindowsThatOverlapAreTransposed) {
    filter("float", 2, 5, 2, kWindow);
    EXPECT_TRUE(vector::usesColumns(rates));
    expectSame<float>({.lanes = 8});
}

TEST_F(VectorTest, ShortStridesAreRead) {
    filter("float", 2, 2, 2,
           "work {\n%0: float = pop\n%1: float = pop\npush<float> %1\npush<float> %0\n}\n");
    EXPECT_FALSE(vector::usesColumns(rates));
    expectSame<float>({.lanes = 8});
}

TEST_F(VectorTest, BytesOfBooleans) {
    filter("boolean", 1, 1, 1,
           "work {\n%0: boolean = pop\n%1: boolean = not %0\npush<boolean> %1\n}\n");
    expectSame<std::uint8_t>({.lanes = 16});
}

TEST_F(VectorTest, ComplexItems) {
    filter("complex", 2, 2, 1,
           "work {\n%0: complex = pop\n%1: complex = pop\n%2: complex = mul %0, %1\n"
           "%3: float = part %2, 0\n%4: complex = make %3, %3\n%5: complex = sub %2, %4\n"
           "push<complex> %5\n}\n");
    for (bool partsComplex : {false, true})
        for (std::int64_t lanes : {8, 16})
            expectSame<double>({.lanes = lanes, .partsComplex = partsComplex});
}

/// if (x > 0) y = table[x & 3] / x, else y = -x; ints
const std::string kBranch =
    "work {\nlocal y: int\nlocal t: int[4]\ndeclare local t\n%0: int = pop\n%1: int = const 0\n"
    "%2: boolean = gt<int> %0, %1\n%30: ref int[4] = addr local t\n%31: int = const 2\n"
    "%32: int = const 4\n%33: ref int = elem %30, %31, %32 unchecked\nstore.at<int> %33, %0\n"
    "if %2 {\n%3: int = const 3\n%4: int = and %0, %3\n%5: ref int = elem %30, %4, %32\n"
    "%6: int = load.at %5\n%7: int = add %6, %32\n%8: int = div %7, %0\nstore<int> local y, %8\n"
    "store.at<int> %5, %8\n"
    "} else {\n%9: int = neg %0\nstore<int> local y, %9\n}\n%10: int = load local y\n"
    "push<int> %10\n%11: ref int = elem %30, %31, %32 unchecked\n%12: int = load.at %11\n"
    "push<int> %12\n}\n";

TEST_F(VectorTest, BranchesUnderMasks) {
    filter("int", 1, 1, 2, kBranch);
    for (bool safe : {true, false}) {
        areSafe = safe;
        expectSame<std::int32_t>({.lanes = 8});
    }
}

TEST_F(VectorTest, ChecksThatFailGiveUp) {
    filter(
        "int", 1, 1, 1,
        "work {\nlocal t: int[3]\ndeclare local t\n%0: int = pop\n%1: ref int[3] = addr local t\n"
        "%2: int = const 3\n%3: ref int = elem %1, %0, %2\nstore.at<int> %3, %0\n"
        "%4: int = load.at %3\npush<int> %4\n}\n");
    areSafe = false;
    const ir::Body made = inLanes({.lanes = 4});
    const std::int32_t right[] = {0, 1, 2, 0}, wrong[] = {0, 1, 3, 0};
    const auto bytes = [](const std::int32_t(&list)[4]) {
        return std::string(reinterpret_cast<const char*>(list), sizeof list);
    };
    EXPECT_EQ(run(made, bytes(right), 1), bytes(right));
    EXPECT_TRUE(returned);
    EXPECT_EQ(run(made, bytes(wrong), 1), "");
    EXPECT_FALSE(returned);
}

TEST_F(VectorTest, LanesThatTakeOtherItemsGiveUp) {
    // Who is positive pops one more.
    filter("int", 2, 2, 1,
           "work {\n%0: int = pop\n%1: int = const 0\n%2: boolean = gt<int> %0, %1\nif %2 {\n"
           "%3: int = pop\n}\npush<int> %0\n}\n");
    const ir::Varying varying = ir::findVarying(work());
    vector::FiringFacts known = facts();
    const ir::Body made = vector::vectoriseFirings(types, work(), varying, known, {.lanes = 2});
    const std::int32_t same[] = {1, 2, 3, 4}, others[] = {1, 2, -3, 4};
    run(made, std::string(reinterpret_cast<const char*>(same), sizeof same), 1);
    EXPECT_TRUE(returned);
    run(made, std::string(reinterpret_cast<const char*>(others), sizeof others), 1);
    EXPECT_FALSE(returned);
}

TEST_F(VectorTest, LoopsStayLoops) {
    filter("float", 1, 9, 1,
           "work {\nlocal s: float\nlocal k: int\n%0: float = const 0.0\nstore<float> local s, %0\n"
           "%1: int = const 0\nstore<int> local k, %1\nloop {\n%2: int = load local k\n"
           "%3: int = const 9\n%4: boolean = lt<int> %2, %3\nyield %4\n} do {\n"
           "%5: int = load local k\n%6: float = peek %5\n%7: float = load local s\n"
           "%8: float = add %7, %6\nstore<float> local s, %8\n} step {\n%9: int = load local k\n"
           "%10: int = const 1\n%11: int = add %9, %10\nstore<int> local k, %11\n}\n"
           "%12: float = load local s\npush<float> %12\n%13: float = pop\n}\n");
    expectSame<float>({.lanes = 16});
}

/// A generator of random numbers and a counter beside it.
const std::string kGenerator =
    "field x: int\nfield n: int\nwork {\n%0: int = load field x\n%1: int = const 1103515245\n"
    "%2: int = mul %0, %1\n%3: int = const 12345\n%4: int = add %2, %3\n%5: int = const "
    "2147483647\n"
    "%6: int = and %4, %5\nstore<int> field x, %6\n%7: int = pop\n%8: int = load field x\n"
    "%9: int = add %7, %8\n%10: int = load field n\n%11: int = xor %9, %10\npush<int> %11\n"
    "%12: int = const 3\n%13: int = add %10, %12\nstore<int> field n, %13\n}\n";

TEST_F(VectorTest, AffineStateIsSkippedAhead) {
    filter("int", 1, 1, 1, kGenerator);
    const auto skipping = ir::firingsThatSkipAhead(work());
    ASSERT_TRUE(skipping);
    for (const std::int32_t seed : {1, -7}) {
        std::string state(64 + 4, '\0'), ahead;
        std::memcpy(state.data(), &seed, sizeof seed);
        ahead = state;
        const std::vector<std::int32_t> window = items<std::int32_t>(32);
        const std::string input(reinterpret_cast<const char*>(window.data()), 32 * 4);
        const std::string expected = run(work(), input, 32, &state);
        vector::FiringFacts known = facts();
        known.state = skipping->state;
        const ir::Body made = vector::vectoriseFirings(types, skipping->body, skipping->varying,
                                                       known, {.lanes = 16});
        std::string given;
        for (std::size_t half = 0; half < 2; ++half)
            given += run(made, input.substr(half * 16 * 4, 16 * 4), 1, &ahead);
        EXPECT_EQ(given, expected) << ir::print(made);
        EXPECT_EQ(ahead, state);
    }
}

}  // namespace
}  // namespace strc::testing
