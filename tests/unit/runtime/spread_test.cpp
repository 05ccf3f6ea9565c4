// Parts of products on several processes, which are threads here.
#include <atomic>
#include <barrier>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "strc/mesh.h"

namespace {

/// Collectives of threads: each shows its bytes, and all wait before and after they are read.
class Processes {
public:
    explicit Processes(std::uint32_t count) : shown(count), turn(count) {}

    struct Process {
        Processes* all;
        std::uint32_t rank;
    };

    static int gather(void* self, const void* own, std::uint64_t bytes, void* all) {
        const Process& me = *static_cast<Process*>(self);
        me.all->show(me.rank, own);
        for (std::size_t k = 0; k < me.all->shown.size(); ++k)
            std::memcpy(static_cast<char*>(all) + k * bytes, me.all->shown[k], bytes);
        me.all->turn.arrive_and_wait();
        return 0;
    }
    static int exchange(void* self, const void* out, std::uint64_t bytes, void* in) {
        const Process& me = *static_cast<Process*>(self);
        me.all->show(me.rank, out);
        for (std::size_t k = 0; k < me.all->shown.size(); ++k)
            std::memcpy(static_cast<char*>(in) + k * bytes, me.all->shown[k] + me.rank * bytes,
                        bytes);
        me.all->turn.arrive_and_wait();
        return 0;
    }

private:
    void show(std::uint32_t rank, const void* bytes) {
        shown[rank] = static_cast<const char*>(bytes);
        turn.arrive_and_wait();
    }

    std::vector<const char*> shown;
    std::barrier<> turn;
};

/// What a part does: sets its elements of the result, or all of its own one, to numbers that are known.
struct Work {
    float* out;
    const strc_spread_plan* plan;
    std::atomic<int>* done;

    static float value(std::int64_t part, std::int64_t at) {
        return static_cast<float>(1 + part % 7) / static_cast<float>(3 + at % 11);
    }
    std::int64_t size() const {
        std::int64_t elements = 1;
        for (std::uint32_t k = 0; k < plan->loop_count; ++k) elements *= plan->loops[k].trips;
        return elements;
    }
    /// Where the loops are after so many iterations of them all.
    std::int64_t place(std::int64_t at) const {
        std::int64_t found = plan->first;
        for (std::uint32_t k = plan->loop_count; k-- > 0;) {
            found += at % plan->loops[k].trips * plan->loops[k].step;
            at /= plan->loops[k].trips;
        }
        return found;
    }
    static void run(void* self, std::int64_t first, std::int64_t end) {
        const Work& work = *static_cast<Work*>(self);
        for (std::int64_t part = first; part < end; ++part) work.one(part);
    }
    void one(std::int64_t part) const {
        done[part].fetch_add(1);
        const std::int64_t last = std::min(plan->split.trips, (part + 1) * plan->grain);
        for (std::int64_t at = 0; at < size(); ++at)
            if (plan->sums != STRC_SPREAD_RESULT)
                out[part * size() + at] = value(part, at);
            else
                for (std::int64_t k = part * plan->grain; k < last; ++k)
                    out[place(at) + k * plan->split.step] = value(part, at + k);
    }
};

/// The result of each process, with -1 where the product leaves it alone.
std::vector<std::vector<float>> spread(const strc_spread_plan& plan, std::uint32_t count,
                                       std::size_t elements, std::vector<int>& times) {
    std::vector<std::vector<float>> results(count, std::vector<float>(elements, -1));
    std::unique_ptr<std::atomic<int>[]> done(
        new std::atomic<int>[static_cast<std::size_t>(plan.parts)]());
    Processes all(count);
    std::vector<std::thread> threads;
    for (std::uint32_t rank = 0; rank < count; ++rank)
        threads.emplace_back([&, rank] {
            Processes::Process process{&all, rank};
            strc_mesh mesh{&process, rank,   count, Processes::gather, Processes::exchange,
                           nullptr,  nullptr};
            auto env = std::make_unique<strc_env>();
            if (count > 1) env->mesh = &mesh;
            Work work{results[rank].data(), &plan, done.get()};
            strc_spread(env.get(), reinterpret_cast<void*>(Work::run), &work, &plan);
        });
    for (std::thread& thread : threads) thread.join();
    for (std::int64_t k = 0; k < plan.parts; ++k) times.push_back(done[k]);
    return results;
}

std::int64_t partsOf(std::int64_t trips, std::int64_t grain) { return (trips + grain - 1) / grain; }

void expectSameInAll(const strc_spread_plan& plan, std::size_t elements) {
    std::vector<int> times;
    const std::vector<float> alone = spread(plan, 1, elements, times)[0];
    for (const std::uint32_t count : {2u, 3u, 5u}) {
        times.clear();
        for (const std::vector<float>& each : spread(plan, count, elements, times))
            EXPECT_EQ(each, alone) << count << " processes";
        EXPECT_EQ(times, std::vector<int>(static_cast<std::size_t>(plan.parts), 1));
    }
}

TEST(Spread, RanksHaveNeighbouringPartsThatAreEquallyMany) {
    for (const std::int64_t parts : {1, 2, 7, 64})
        for (const std::uint32_t count : {1u, 2u, 3u, 9u}) {
            EXPECT_EQ(strc_spread_first(parts, 0, count), 0);
            EXPECT_EQ(strc_spread_first(parts, count, count), parts);
            for (std::uint32_t k = 0; k < count; ++k) {
                const std::int64_t own =
                    strc_spread_first(parts, k + 1, count) - strc_spread_first(parts, k, count);
                EXPECT_GE(own, parts / count);
                EXPECT_LE(own, parts / count + 1);
            }
        }
}

TEST(Spread, ColumnsAndRowsOfAResultWithHoles) {
    for (const std::int64_t grain : {1, 3, 4, 16}) {
        // 10 columns of 6 rows that are 12 elements apart, from the third element on.
        strc_spread_plan columns{STRC_SPREAD_RESULT, 4, 0, 1, partsOf(10, grain), grain, 2, {10, 1},
                                 {{6, 12}}};
        expectSameInAll(columns, 80);
        strc_spread_plan rows{STRC_SPREAD_RESULT, 4, 0, 1, partsOf(6, grain), grain, 2, {6, 12},
                              {{10, 1}}};
        expectSameInAll(rows, 80);
    }
}

TEST(Spread, ALoopInTheMiddle) {
    strc_spread_plan plan{STRC_SPREAD_RESULT,        4, 0, 3, 3, 2, 0, {5, 20},
                          {{3, 100}, {4, 5}, {5, 1}}};
    expectSameInAll(plan, 300);
}

TEST(Spread, SumsAreAddedInTheOrderOfTheirParts) {
    for (const std::int64_t grain : {1, 2, 5, 9}) {
        strc_spread_plan plan{STRC_SPREAD_FLOATS, 4, 0, 2, partsOf(9, grain), grain, 1, {9, 0},
                              {{6, 12}, {10, 1}}};
        expectSameInAll(plan, 80);
        std::vector<int> times;
        const Work work{nullptr, &plan, nullptr};
        const std::vector<float> alone = spread(plan, 1, 80, times)[0];
        for (std::int64_t at = 0; at < work.size(); ++at) {
            float sum = Work::value(0, at);
            for (std::int64_t part = 1; part < plan.parts; ++part) sum += Work::value(part, at);
            EXPECT_EQ(alone[static_cast<std::size_t>(work.place(at))], sum);
        }
        EXPECT_EQ(alone[0], -1);
        EXPECT_EQ(alone[11], -1);
    }
}

TEST(Spread, AResultThatStaysApartIsNotGathered) {
    strc_spread_plan plan{STRC_SPREAD_RESULT, 4, 1, 1, 4, 2, 0, {8, 1}, {{3, 8}}};
    std::vector<int> times;
    const auto results = spread(plan, 2, 24, times);
    for (std::size_t at = 0; at < 24; ++at) {
        EXPECT_EQ(results[0][at] != -1, at % 8 < 4);
        EXPECT_EQ(results[1][at] != -1, at % 8 >= 4);
    }
}

}  // namespace
