#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "strc/runtime.h"

extern "C" {
#include "strc/workers.h"
#include "subnormals.h"
}

namespace strc::testing {
namespace {

using ::testing::Each;

const volatile unsigned char never = 0;

/// How often each part was done, and where.
struct Log {
    explicit Log(int parts) : times(static_cast<std::size_t>(parts)) {}
    std::vector<std::atomic<int>> times;

    static void part(void* self, std::int64_t first, std::int64_t end) {
        auto& log = *static_cast<Log*>(self);
        for (std::int64_t k = first; k < end; ++k) ++log.times[static_cast<std::size_t>(k)];
    }
    void share(unsigned workers) {
        strc_workers_share(workers, &part, this, static_cast<std::int64_t>(times.size()), &never);
    }
};

TEST(Workers, DoEachPartOnce) {
    for (unsigned workers : {0u, 1u, 2u, 5u, 1000u})
        for (int parts : {0, 1, 2, 3, 100}) {
            Log log(parts);
            log.share(workers);
            EXPECT_TRUE(std::ranges::all_of(log.times, [](const auto& n) { return n == 1; }))
                << workers << " workers, " << parts << " parts";
        }
}

/// Parts that wait for one another end only if different threads do them.
TEST(Workers, WorkSideBySide) {
    struct Meeting {
        std::atomic<int> there = 0;
    } meeting;
    strc_workers_share(
        3,
        [](void* self, std::int64_t, std::int64_t) {
            auto& there = static_cast<Meeting*>(self)->there;
            ++there;
            while (there < 3) std::this_thread::yield();
        },
        &meeting, 3, &never);
    EXPECT_EQ(meeting.there, 3);
}

/// All of them give what the owner alone would give.
TEST(Workers, ComputeAsTheirOwnerDoes) {
    struct Meeting {
        std::atomic<int> there = 0;
        std::uint32_t found[3] = {};
    };
    for (const std::uint32_t wanted : {STRC_SUBNORMALS_FLUSHED, 0u, STRC_SUBNORMALS_FLUSHED, 0u}) {
        Meeting meeting;
        strc_set_subnormals(wanted);
        strc_workers_share(
            3,
            [](void* self, std::int64_t first, std::int64_t) {
                auto& [there, found] = *static_cast<Meeting*>(self);
                found[first] = strc_subnormals();
                ++there;
                while (there < 3) std::this_thread::yield();
            },
            &meeting, 3, &never);
        strc_set_subnormals(0);
        EXPECT_THAT(meeting.found, Each(wanted));
    }
}

/// What a thread has read and written before stays near it.
TEST(Workers, BeginWithTheSameNeighboursEachTime) {
    struct Meeting {
        std::atomic<int> there = 0;
        std::thread::id at[8];
    };
    std::set<std::thread::id> others;
    for (int job = 0; job < 20; ++job) {
        Meeting meeting;
        strc_workers_share(
            2,
            [](void* self, std::int64_t first, std::int64_t) {
                auto& [there, at] = *static_cast<Meeting*>(self);
                at[first] = std::this_thread::get_id();
                if (first % 4 != 0) return;
                ++there;
                while (there < 2) std::this_thread::yield();
            },
            &meeting, 8, &never);
        EXPECT_EQ(meeting.at[0], std::this_thread::get_id());
        others.insert(meeting.at[4]);
    }
    EXPECT_EQ(others.size(), 1u);
    EXPECT_FALSE(others.contains(std::this_thread::get_id()));
}

TEST(Workers, ServeManyJobsInTurn) {
    for (int job = 0; job < 2000; ++job) {
        Log log(7);
        log.share(3);
        ASSERT_TRUE(std::ranges::all_of(log.times, [](const auto& n) { return n == 1; })) << job;
    }
}

TEST(Workers, ServeSeveralOwnersAtATime) {
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> owners;
    for (int k = 0; k < 4; ++k)
        owners.emplace_back([&wrong] {
            for (int job = 0; job < 300; ++job) {
                Log log(5);
                log.share(2);
                if (!std::ranges::all_of(log.times, [](const auto& n) { return n == 1; })) ++wrong;
            }
        });
    owners.clear();
    EXPECT_EQ(wrong, 0);
}

TEST(Workers, StopWhenTheRunIsToEnd) {
    static volatile unsigned char ends = 0;
    std::atomic<int> done = 0;
    for (unsigned workers : {1u, 2u}) {
        ends = 0;
        done = 0;
        strc_workers_share(
            workers,
            [](void* self, std::int64_t, std::int64_t) {
                if (++*static_cast<std::atomic<int>*>(self) == 10) __atomic_store_n(&ends, 1, 0);
                std::this_thread::sleep_for(std::chrono::microseconds(50));
            },
            &done, 1'000'000, &ends);
        EXPECT_GE(done, 10);
        EXPECT_LT(done, 1000);
    }
}

TEST(Workers, ThereIsAProcessor) { EXPECT_GE(strc_processors(), 1u); }

}  // namespace
}  // namespace strc::testing
