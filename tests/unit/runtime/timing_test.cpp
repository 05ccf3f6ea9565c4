extern "C" {
#include "timing.h"

#include "sharing.h"
}

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using ::testing::HasSubstr;

/// Two nodes, an entry for each and one for both, of which the first has a quarter.
struct Profiled {
    static constexpr char texts[] = "\0Main\0Main.A\0Main.B\0A\0B\0test\0A -> B";
    strc_profile_node nodes[2] = {{6, 20, 0, STRC_NOBODY, 1, 2, 3},
                                  {13, 22, 1, STRC_NOBODY, 0, 5, 1}};
    strc_profile_entry entries[3] = {{0, 1}, {1, 1}, {2, 2}};
    strc_profile_member members[4] = {{0, 0, 1}, {1, 0, 1}, {0, 0, 0.25}, {1, 0, 0.75}};
    strc_profile_channel channels[1] = {{29, 4, {1, 6, 60, 0}}};
    strc_profile_tables tables = {texts, nodes, entries, members,       channels, 2,
                                  3,     4,     1,       {0, 1, 10, 0}, 24,       1};
    strc_profile* profile = strc_profile_new(&tables, 1, 1);

    ~Profiled() { strc_profile_free(profile); }

    /// A phase of three laps; was it timed?
    bool phase(strc_profile_phase kind) {
        strc_profile_thread* timing = strc_timing_begin(&profile->threads[0], kind);
        strc_env env{};
        env.timing = timing;
        for (int entry = 0; timing && entry < 3; ++entry) {
            for (int k = 0; k < 50; ++k) strc_pause();
            strc_lap(&env, entry);
        }
        if (timing) strc_timing_end(timing, kind);
        return timing != nullptr;
    }
};

TEST(Profile, SharesTimesOut) {
    Profiled p;
    strc_profile_start(p.profile);
    p.phase(STRC_PROFILE_INIT);
    for (int k = 0; k < 1000; ++k) p.phase(STRC_PROFILE_STEADY);
    strc_profile_stop(p.profile, 1000);
    unsigned char* estimated = nullptr;
    double* times = strc_profile_times(p.profile, &estimated);
    ASSERT_NE(times, nullptr);
    EXPECT_GT(times[0], 0);
    EXPECT_GT(times[1], times[0]);  // three quarters of the common lap
    EXPECT_EQ(times[2], 0);
    EXPECT_TRUE(estimated[0] && estimated[1] && !estimated[2]);
    EXPECT_LE(times[0] + times[1], strc_profile_busy(p.profile, 0) * 1.001);
    EXPECT_EQ(strc_profile_firings(p.profile, 0), 2001u);
    EXPECT_EQ(strc_profile_firings(p.profile, 1), 5000u);
    EXPECT_EQ(strc_profile_mark(p.profile, 0), 6);  // no scaled phase has run
    std::free(times);
    std::free(estimated);
}

TEST(Profile, TimesFewOfShortPhases) {
    Profiled p;
    strc_profile_start(p.profile);
    std::uint64_t timed = 0;
    for (int k = 0; k < 10000; ++k) {
        strc_profile_thread* timing =
            strc_timing_begin(&p.profile->threads[0], STRC_PROFILE_STEADY);
        strc_env env{};
        env.timing = timing;
        if (!timing) continue;
        ++timed;
        for (int lap = 0; lap < 100; ++lap) strc_lap(&env, 0);
        strc_timing_end(timing, STRC_PROFILE_STEADY);
    }
    strc_profile_stop(p.profile, 10000);
    EXPECT_GE(timed, 2u);
    EXPECT_LT(timed, 2000u);
    EXPECT_EQ(p.profile->threads[0].samplers[STRC_PROFILE_STEADY].runs, 10000u);
}

TEST(Profile, KeepsFewEvents) {
    Profiled p;
    strc_profile_start(p.profile);
    for (int k = 0; k < 40000; ++k) {
        p.profile->threads[0].samplers[STRC_PROFILE_STEADY].left = 0;
        p.phase(STRC_PROFILE_STEADY);
    }
    strc_profile_stop(p.profile, 40000);
    const strc_profile_thread& thread = p.profile->threads[0];
    EXPECT_LE(thread.event_count, std::uint32_t{kEvents});
    EXPECT_GT(thread.event_count, std::uint32_t{kEvents} / 4);
    // From the beginning to the end.
    EXPECT_LT(thread.events[0].begin, p.profile->begin + (p.profile->end - p.profile->begin) / 8);
    EXPECT_GT(thread.events[thread.event_count - 1].end,
              p.profile->end - (p.profile->end - p.profile->begin) / 8);
}

TEST(Profile, Texts) {
    Profiled p;
    strc_profile_start(p.profile);
    p.phase(STRC_PROFILE_INIT);
    p.phase(STRC_PROFILE_SCALED);
    strc_profile_stop(p.profile, 10);
    for (char* text : {strc_profile_table(p.profile), strc_profile_json(p.profile)}) {
        ASSERT_NE(text, nullptr);
        EXPECT_THAT(text, HasSubstr("Main.A"));
        EXPECT_THAT(text, HasSubstr("A -> B"));
        EXPECT_THAT(text, HasSubstr("60"));
        std::free(text);
    }
}

TEST(Sharing, BeginsWithWhatIsRemembered) {
    strc_sharing sharing;
    const strc_tuning faster = {1000, 600, 50000, 2}, slower = {1000, 1100, 50000, 2};
    strc_sharing_begin(&sharing, 2, 0);
    EXPECT_EQ(strc_sharing_wanted(&sharing), 1u);
    strc_sharing_remember(&sharing, &faster);
    EXPECT_EQ(strc_sharing_wanted(&sharing), 2u);
    EXPECT_EQ(strc_sharing_chunks(&sharing, 2), 160u);
    strc_tuning known;
    EXPECT_TRUE(strc_sharing_known(&sharing, &known));
    EXPECT_EQ(known.shared, 600);
    EXPECT_EQ(known.threads, 2u);
    strc_sharing_begin(&sharing, 2, 0);
    strc_sharing_remember(&sharing, &slower);
    EXPECT_EQ(strc_sharing_wanted(&sharing), 1u);
}

/// Runs whose times are made up: `each`, ns for a steady state with so many threads. The number of threads in use at last.
std::uint32_t settled(std::uint32_t most, const std::map<std::uint32_t, double>& each) {
    strc_sharing sharing;
    strc_sharing_begin(&sharing, most, 0);
    std::int64_t now = 1;  // long ago, so that all that waits for a time is tried at once
    std::set<std::uint32_t> tried;
    for (int k = 0; k < 40; ++k) {
        const std::uint32_t threads = strc_sharing_wanted(&sharing);
        tried.insert(threads);
        const std::int64_t took = static_cast<std::int64_t>(1000 * each.at(threads));
        strc_sharing_measured(&sharing, {now, now + took, 1000, threads > 1 ? 10u : 0u, threads});
        now += took;
    }
    EXPECT_EQ(tried.size(), each.size()) << "each number is tried";
    return sharing.ways[sharing.used].threads;
}

TEST(Sharing, FindsTheNumberOfThreads) {
    EXPECT_EQ(settled(16, {{1, 1000}, {16, 300}, {8, 200}, {4, 280}}), 8u);
    EXPECT_EQ(settled(16, {{1, 1000}, {16, 100}, {8, 150}, {4, 280}}), 16u);
    EXPECT_EQ(settled(16, {{1, 1000}, {16, 299}, {8, 300}, {4, 301}}), 4u) << "no more than pay";
    EXPECT_EQ(settled(4, {{1, 1000}, {4, 1500}, {2, 990}}), 1u);
    EXPECT_EQ(settled(3, {{1, 1000}, {3, 500}}), 3u);
    EXPECT_EQ(settled(1, {{1, 1000}}), 1u);
}

}  // namespace
