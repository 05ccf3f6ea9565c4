// Where programs are cut over ranks.
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "strc/ranks.h"

namespace strc {
namespace {

/// Segments behind each other, with one tape from each to the next.
struct Chain {
    std::vector<double> work;
    std::vector<std::uint32_t> mayBegin;
    std::vector<strc_rank_tape> tapes;
    strc_ranks ranks{};

    Chain(std::vector<double> each, const std::vector<std::uint64_t>& bytes)
        : work(std::move(each)), mayBegin(work.size(), 1) {
        for (std::uint32_t k = 0; k < bytes.size(); ++k)
            tapes.push_back({k * 1024, 0, bytes[k], 1024, k, k + 1, STRC_NO_SEGMENT, 0});
        ranks.work = work.data();
        ranks.may_begin = mayBegin.data();
        ranks.tapes = tapes.data();
        ranks.tape_count = tapes.size();
        ranks.segments = static_cast<std::uint32_t>(work.size());
        ranks.slices = 1;
        ranks.latency = 1000;
        ranks.pace = 1;
    }

    std::vector<std::uint32_t> cut(std::uint32_t count) const {
        std::vector<std::uint32_t> first(count + 1);
        first.resize(strc_cut(&ranks, count, first.data()) + 1);
        return first;
    }
};

using Firsts = std::vector<std::uint32_t>;

TEST(Cut, DividesTheWork) {
    const Chain chain({1e6, 1e6, 1e6, 1e6}, {8, 8, 8});
    EXPECT_EQ(chain.cut(1), (Firsts{0, 4}));
    EXPECT_EQ(chain.cut(2), (Firsts{0, 2, 4}));
    EXPECT_EQ(chain.cut(4), (Firsts{0, 1, 2, 3, 4}));
    EXPECT_EQ(chain.cut(9), (Firsts{0, 1, 2, 3, 4}));
}

TEST(Cut, GoesWhereLittleCrosses) {
    const Chain chain({1e6, 1e4, 1e6}, {800, 8});
    EXPECT_EQ(chain.cut(2), (Firsts{0, 2, 3}));
    const Chain other({1e6, 1e4, 1e6}, {8, 800});
    EXPECT_EQ(other.cut(2), (Firsts{0, 1, 3}));
}

TEST(Cut, LeavesWholeWhatBelongsTogether) {
    Chain chain({1e6, 1e6, 1e6, 1e6}, {8, 8, 8});
    chain.mayBegin[2] = 0;
    EXPECT_EQ(chain.cut(2).size(), 3U);
    EXPECT_NE(chain.cut(2)[1], 2U);
}

TEST(Cut, DoesNotPayOnASlowNetwork) {
    Chain chain({1e4, 1e4}, {1000});
    chain.ranks.pace = 1e-3;
    EXPECT_EQ(chain.cut(2), (Firsts{0, 2}));
}

TEST(Cut, CrossesWhatLiesOnTapes) {
    Chain chain({1, 1, 1}, {100, 50});
    chain.tapes[0].read = 2;  // past the second segment
    chain.tapes[0].kept = 20;
    EXPECT_EQ(strc_cut_bytes(&chain.ranks, 1), 100U);
    EXPECT_EQ(strc_cut_bytes(&chain.ranks, 2), 150U);
    std::uint64_t first = 0;
    EXPECT_EQ(strc_cut_piece(&chain.ranks, &chain.tapes[0], 2, &first), 100U);
    EXPECT_EQ(first, 20U);
    chain.tapes[0].taken = 1;  // what stayed has been put in front of what comes
    EXPECT_EQ(strc_cut_piece(&chain.ranks, &chain.tapes[0], 2, &first), 120U);
    EXPECT_EQ(first, 0U);
}

TEST(Cut, IsSimulated) {
    const Chain chain({1e6, 1e6, 1e6, 1e6}, {8, 8, 8});
    const auto speed = [&](std::uint32_t count) {
        const Firsts first = chain.cut(count);
        const strc_cut_speed made = strc_cut_predict(
            &chain.ranks, static_cast<std::uint32_t>(first.size()) - 1, first.data());
        return made.alone / made.chunk;
    };
    EXPECT_DOUBLE_EQ(speed(1), 1);
    EXPECT_GT(speed(2), 1.8);
    EXPECT_GT(speed(4), 3);
    EXPECT_LT(speed(4), 4);
    EXPECT_DOUBLE_EQ(speed(1024), speed(4));
}

}  // namespace
}  // namespace strc
