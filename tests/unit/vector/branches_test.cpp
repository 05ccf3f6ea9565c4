#include "vector/branches.h"

#include "unit/vector/fixture.h"

namespace strc::testing {
namespace {

TEST(LaneGroups, NoneHasASingleLane) {
    for (std::int64_t count = 4; count <= 1024; ++count) {
        std::int64_t all = 0;
        for (const vector::LaneGroup& group : vector::groupsOf(count)) {
            EXPECT_GT(group.lanes, 1) << count;
            EXPECT_LE(group.lanes, 16) << count;
            all += group.lanes * group.groups;
        }
        EXPECT_EQ(all, count);
    }
}

class FusedBranchesTest : public VectorTest {
protected:
    /// y = own * y + pop(); push(y); push(peek(0) - own): local y lives on, local own is a constant of each branch.
    void expectSame(std::int64_t count, bool isShared) {
        SCOPED_TRACE(count);
        const std::string body =
            "%0: float = load local own\n%1: float = load local y\n%2: float = mul %0, %1\n"
            "%3: float = pop\n%4: float = add %2, %3\nstore<float> local y, %4\npush<float> %4\n"
            "%5: int = const 0\n%6: float = peek %5\n%7: float = sub %6, %0\npush<float> %7\n";
        filter("float", 1, 2, 2, "work {\nlocal own: float\nlocal y: float\n" + body + "}\n");
        const ir::Varying varying = ir::findVarying(work(), {0, 1});
        ASSERT_EQ(varying.whyNot, "");
        vector::FusedBranches fused = vector::fuseBranches(
            types, work(), varying, {code().input, code().output, rates, count, isShared, {0, 1}});
        const std::size_t window = 2 * static_cast<std::size_t>(isShared ? 1 : count);
        const std::vector<float> in = items<float>(window);
        // By hand: each branch with its own state, item by item.
        std::vector<float> expected(2 * static_cast<std::size_t>(count));
        for (std::size_t b = 0; b < static_cast<std::size_t>(count); ++b) {
            const float own = 0.25F * static_cast<float>(b), y = 1.0F + static_cast<float>(b);
            const std::size_t places = isShared ? 1 : static_cast<std::size_t>(count);
            const float first = in[isShared ? 0 : b], second = in[isShared ? 1 : places + b];
            expected[b] = own * y + first;
            expected[static_cast<std::size_t>(count) + b] = second - own;
        }
        for (std::size_t k = 0; k < fused.fields.size(); ++k)
            code().fields.push_back({"f" + std::to_string(k), fused.fields[k], {}});
        std::string state = stateOf(fused, count);
        const std::string input(reinterpret_cast<const char*>(in.data()), window * sizeof(float));
        const std::string pushed = run(fused.work, input, 1, &state);
        EXPECT_EQ(pushed, std::string(reinterpret_cast<const char*>(expected.data()),
                                      expected.size() * sizeof(float)))
            << ir::print(fused.work);
    }

    static std::string stateOf(const vector::FusedBranches& fused, std::int64_t count) {
        std::string state;
        std::int64_t first = 0;
        for (std::size_t k = 0; k < fused.fields.size(); ++k) {
            const auto branches = types::sizeOf(fused.fields[k]) / 4;
            for (std::int64_t b = first; b < first + branches; ++b) {
                const float value =
                    k % 2 == 0 ? 0.25F * static_cast<float>(b) : 1.0F + static_cast<float>(b);
                state.append(reinterpret_cast<const char*>(&value), sizeof value);
            }
            state.resize((state.size() + 63) / 64 * 64);
            if (k % 2 == 1) first += branches;
        }
        EXPECT_EQ(first, count);
        return state;
    }
};

TEST_F(FusedBranchesTest, WindowsBesideEachOther) {
    for (std::int64_t count : {4, 16, 17, 40}) expectSame(count, false);
}

TEST_F(FusedBranchesTest, OneWindowForAll) {
    for (std::int64_t count : {5, 33}) expectSame(count, true);
}

}  // namespace
}  // namespace strc::testing
