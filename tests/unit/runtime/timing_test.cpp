extern "C" {
#include "timing.h"

#include "sharing.h"
#include "strc/rest.h"
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
    strc_profile_tables tables = {texts, nodes, entries, members, channels, 2, 3, 4, 1, 24, 1};
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

constexpr strc_sharing_limits kTwoThreads{2, 8, 4, 1, 0};

TEST(Sharing, BeginsWithWhatIsRemembered) {
    strc_sharing sharing;
    const strc_tuning faster = {1000, 600, 50000, {2, 8, 1}},
                      slower = {1000, 1100, 50000, {2, 4, 0}};
    strc_sharing_begin(&sharing, kTwoThreads, 0);
    EXPECT_EQ(strc_sharing_wanted(&sharing).threads, 1u);
    strc_sharing_remember(&sharing, &faster);
    const strc_division wanted = strc_sharing_wanted(&sharing);
    EXPECT_EQ(wanted.threads, 2u);
    EXPECT_EQ(wanted.slices, 8u);
    EXPECT_EQ(wanted.is_coarse, 1u);
    EXPECT_EQ(strc_sharing_chunks(&sharing, wanted), 160u);
    strc_tuning known;
    EXPECT_TRUE(strc_sharing_known(&sharing, &known));
    EXPECT_EQ(known.shared, 600);
    EXPECT_EQ(known.division.threads, 2u);
    EXPECT_EQ(known.division.slices, 8u);
    EXPECT_EQ(known.division.is_coarse, 1u);
    strc_sharing_begin(&sharing, kTwoThreads, 0);
    strc_sharing_remember(&sharing, &slower);
    EXPECT_EQ(strc_sharing_wanted(&sharing).threads, 1u);
}

TEST(Sharing, ForgetsWhatCannotBe) {
    for (const strc_division division :
         {strc_division{3, 4, 0}, {2, 0, 0}, {2, 9, 0}, {2, 4, 2}, {1, 4, 0}, {0, 4, 0}}) {
        strc_sharing sharing;
        const strc_tuning known = {1000, 600, 50000, division};
        strc_sharing_begin(&sharing, kTwoThreads, 0);
        strc_sharing_remember(&sharing, &known);
        EXPECT_EQ(strc_sharing_wanted(&sharing).threads, 1u);
        EXPECT_EQ(strc_sharing_wanted(&sharing).slices, 4u);
    }
}

/// A run whose times are made up: `each` says how many ns a steady state takes. The division in use at last; `tried`: all that were.
template <typename Each>
strc_division settled(strc_sharing_limits limits, Each each,
                      std::set<std::string>* tried = nullptr) {
    strc_sharing sharing;
    strc_sharing_begin(&sharing, limits, 0);
    std::int64_t now = 1;  // long ago, so that all that waits for a time is tried at once
    for (int k = 0; k < 800; ++k) {
        const strc_division wanted = strc_sharing_wanted(&sharing);
        if (tried)
            tried->insert(std::to_string(wanted.threads) + " " + std::to_string(wanted.slices) +
                          (wanted.is_coarse ? " coarse" : ""));
        const auto took = static_cast<std::int64_t>(1000 * each(wanted));
        const std::uint64_t chunks = wanted.threads > 1 ? 10 : 0;
        strc_sharing_measured(&sharing, {now, now + took, 1000, chunks, wanted});
        now += took;
    }
    return sharing.ways[sharing.used].division;
}

/// The number of threads, if nothing else matters.
std::uint32_t settled(std::uint32_t most, const std::map<std::uint32_t, double>& each) {
    std::set<std::string> tried;
    const strc_division found = settled(
        {most, 1, 1, 0, 0}, [&](strc_division way) { return each.at(way.threads); }, &tried);
    EXPECT_EQ(tried.size(), each.size()) << "each number is tried";
    return found.threads;
}

TEST(Sharing, FindsTheNumberOfThreads) {
    EXPECT_EQ(settled(16, {{1, 1000}, {16, 300}, {8, 200}, {4, 280}}), 8u);
    EXPECT_EQ(settled(16, {{1, 1000}, {16, 100}, {8, 150}, {4, 280}}), 16u);
    EXPECT_EQ(settled(16, {{1, 1000}, {16, 299}, {8, 300}, {4, 301}}), 4u) << "no more than pay";
    EXPECT_EQ(settled(4, {{1, 1000}, {4, 1500}, {2, 990}}), 1u);
    EXPECT_EQ(settled(3, {{1, 1000}, {3, 500}}), 3u);
    EXPECT_EQ(settled(1, {{1, 1000}}), 1u);
}

TEST(Sharing, FindsTheLengthOfChunks) {
    auto best = [](std::uint32_t slices) {
        return settled(kTwoThreads, [=](strc_division way) {
            const double far =
                way.slices > slices ? double(way.slices) / slices : double(slices) / way.slices;
            return way.threads == 1 ? 1000 : 600 + 50 * far;
        });
    };
    for (const std::uint32_t slices : {1, 2, 4, 8}) {
        EXPECT_EQ(best(slices).slices, slices);
        EXPECT_EQ(best(slices).threads, 2u);
        EXPECT_EQ(best(slices).is_coarse, 0u);
    }
}

TEST(Sharing, ChoosesSections) {
    auto each = [](double coarse) {
        return [=](strc_division way) {
            return way.threads == 1 ? 1000 : way.is_coarse ? coarse : 600.0;
        };
    };
    EXPECT_EQ(settled(kTwoThreads, each(550)).is_coarse, 1u);
    EXPECT_EQ(settled(kTwoThreads, each(595)).is_coarse, 0u) << "too little to say so";
    strc_sharing_limits none = kTwoThreads;
    none.has_coarse = 0;
    EXPECT_EQ(settled(none, each(100)).is_coarse, 0u);
}

/// The first transactions after threads have worked are several times slower: caches are cold, and threads still look for work.
TEST(Sharing, DoesNotCountTheFirstTransactionOfATrial) {
    constexpr double alone = 1000, shared = 1200, cold = 5;
    strc_sharing sharing;
    const strc_tuning known = {1300, shared, 50000, {2, 4, 0}};
    strc_sharing_begin(&sharing, kTwoThreads, 0);
    strc_sharing_remember(&sharing, &known);
    EXPECT_EQ(strc_sharing_wanted(&sharing).threads, 2u);
    sharing.until = 1;  // long ago
    std::uint32_t before = 2;
    for (std::int64_t now = 1, k = 0; k < 800; ++k) {
        const strc_division wanted = strc_sharing_wanted(&sharing);
        const double each = wanted.threads == 2 ? shared : before == 2 ? cold * alone : alone;
        const std::uint64_t states = wanted.threads == 2 ? 8000 : 200;
        const auto took = static_cast<std::int64_t>(each * static_cast<double>(states));
        const std::uint64_t chunks = wanted.threads == 2 ? 10 : 0;
        strc_sharing_measured(&sharing, {now, now + took, states, chunks, wanted});
        before = wanted.threads;
        now += took;
    }
    EXPECT_EQ(sharing.ways[sharing.used].division.threads, 1u);
    EXPECT_LT(sharing.ways[0].each, 1300) << "what is cold has not been counted";
}

TEST(Sharing, IsNotMisledByOneThatWasStopped) {
    strc_sharing sharing;
    const strc_tuning known = {1000, 1200, 50000, {2, 4, 0}};
    strc_sharing_begin(&sharing, kTwoThreads, 0);
    strc_sharing_remember(&sharing, &known);
    auto alone = [&](double each) {
        strc_sharing_measured(&sharing, {1, 1 + static_cast<std::int64_t>(100 * each), 100, 0, {}});
    };
    sharing.until = INT64_MAX;
    for (int k = 0; k < 10; ++k) alone(k == 5 ? 50000 : 1000);
    EXPECT_EQ(sharing.ways[sharing.used].division.threads, 1u);
    for (int k = 0; k < 10; ++k) alone(2000);
    EXPECT_EQ(sharing.ways[sharing.used].division.threads, 2u) << "it is slower for long";
}

TEST(Sharing, TriesOneThreadBeforeOtherWaysThatAreRemembered) {
    strc_sharing sharing;
    const strc_tuning wrong = {3000, 1200, 50000, {2, 8, 1}};  // one of which nothing was known
    strc_sharing_begin(&sharing, kTwoThreads, 0);
    strc_sharing_remember(&sharing, &wrong);
    sharing.until = 1;  // long ago
    for (int k = 0; k < 2; ++k) {
        const strc_division wanted = strc_sharing_wanted(&sharing);
        EXPECT_EQ(wanted.threads, 1u);
        strc_sharing_measured(&sharing, {1, 3000001, 3000, 0, wanted});
    }
    EXPECT_EQ(sharing.ways[sharing.used].division.threads, 1u);
    EXPECT_EQ(sharing.ways[0].each, 1000) << "what is remembered counts no more";
}

TEST(Sharing, MakesShortChunksLonger) {
    strc_sharing_limits limits = kTwoThreads;
    limits.slices = 64;
    std::set<std::string> tried;
    auto each = [](strc_division way) { return way.threads == 1 ? 1000.0 : 600.0 - way.slices; };
    // Ten chunks of 4 slices in 0.6 ms: two threads need 120 us for one, so it is long enough.
    settled(limits, each, &tried);
    EXPECT_FALSE(tried.contains("2 32")) << testing::PrintToString(tried);
    tried.clear();
    auto quick = [&](strc_division way) { return each(way) / 10; };
    // In a tenth of that they are not: 32 slices take nearly 100 us.
    settled(limits, quick, &tried);
    EXPECT_TRUE(tried.contains("2 32")) << testing::PrintToString(tried);
}

TEST(Sharing, TriesWhatIsLikeTheBest) {
    auto same = [](strc_division way) { return way.threads == 1 ? 1000.0 : 600.0; };
    std::set<std::string> tried;
    settled(kTwoThreads, same, &tried);
    EXPECT_EQ(tried, (std::set<std::string>{"1 4", "2 4", "2 2", "2 8", "2 4 coarse"}));
    strc_sharing_limits fixed = kTwoThreads;
    fixed.is_fixed = 1;
    tried.clear();
    settled(fixed, same, &tried);
    EXPECT_EQ(tried, (std::set<std::string>{"1 4", "2 4"}));
}

TEST(Sharing, DoesNotWaitForLongChunks) {
    strc_sharing sharing;
    strc_sharing_begin(&sharing, kTwoThreads, 0);
    int lacking = 0;
    for (std::int64_t now = 1, k = 0; k < 80; ++k, now += 3000000) {
        const strc_division wanted = strc_sharing_wanted(&sharing);
        if (wanted.slices > 4) {
            ++lacking;
            strc_sharing_lacks(&sharing, wanted);
        }
        const std::uint64_t chunks = wanted.threads > 1 && wanted.slices <= 4 ? 10 : 0;
        strc_sharing_measured(&sharing,
                              {now, now + (chunks ? 2000000 : 3000000), 1, chunks, wanted});
    }
    EXPECT_GT(lacking, 0);
    EXPECT_LT(lacking, 40) << "others are tried, too";
    EXPECT_EQ(sharing.ways[sharing.used].division.threads, 2u);
    EXPECT_LE(sharing.ways[sharing.used].division.slices, 4u);
}

/// A run of blocks in which a helper is stopped every `between` shared ones. How many of a million blocks wait for that.
int waiting(std::uint64_t between) {
    strc_rest rest{};
    int stops = 0;
    for (std::uint64_t block = 0, shared = 0; block < 1000000; ++block) {
        if (strc_rest_lasts(&rest)) continue;
        if (++shared % between == 0) {
            ++stops;
            strc_rest_begin(&rest);
        } else {
            strc_rest_sound(&rest);
        }
    }
    return stops;
}

TEST(Rest, MakesStopsRare) {
    for (const std::uint64_t between : {1, 2, 10, 100, 500, 1000, 1500, 2000, 10000}) {
        EXPECT_LT(waiting(between), 1000) << between;
        EXPECT_GE(waiting(between), 10) << between << ": helpers are called again";
    }
}

TEST(Rest, IsOver) {
    strc_rest rest{};
    EXPECT_FALSE(strc_rest_lasts(&rest));
    strc_rest_begin(&rest);
    for (int k = 0; k < 64; ++k) EXPECT_TRUE(strc_rest_lasts(&rest));
    EXPECT_FALSE(strc_rest_lasts(&rest));
    strc_rest_begin(&rest);
    EXPECT_EQ(rest.left, 128u);
    for (int k = 0; k < 128 * 16 + 64 * 16; ++k) strc_rest_sound(&rest);
    EXPECT_EQ(rest.length, 0u) << "as if there had been none";
}

}  // namespace
