// A program with dynamic rates as a flow, written by hand: Group -> Twice.

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "strc/demand.h"
#include "strc/flow.h"

namespace strc::testing {
namespace {

constexpr std::uint32_t kFull = 3;

int itemAt(const strc_queue* queue) {
    int item = 0;
    std::memcpy(&item, queue->first, sizeof item);
    return item;
}

int pop(strc_env* env, strc_queue* in) {
    if (in->last - in->first < static_cast<std::ptrdiff_t>(sizeof(int))) strc_want(env, in, 1);
    const int item = itemAt(in);
    in->first += sizeof item;
    return item;
}

void push(strc_env* env, strc_queue* out, int item) {
    if (out->end - out->last < static_cast<std::ptrdiff_t>(sizeof item)) strc_make_room(env, out);
    std::memcpy(out->last, &item, sizeof item);
    out->last += sizeof item;
}

/// As many as the first one says, each as it comes.
void group(strc_env* env, void*, strc_queue* in, strc_queue* out, std::int32_t) {
    volatile int kept[100];
    for (int n = pop(env, in); n > 0; --n) {
        kept[n % 100] = pop(env, in);
        push(env, out, kept[n % 100]);
    }
}

void twice(strc_env* env, void*, strc_queue* in, strc_queue* out, std::int32_t) {
    push(env, out, 2 * pop(env, in));
}

class Pulled : public ::testing::Test {
protected:
    Pulled() {
        demand.nodes = nodes;
        demand.edges = edges;
        demand.lists = lists;
        demand.sinks = &sink;
        demand.drained = &sink.node;
        demand.queues_at = 0;
        demand.actors_at = sizeof(strc_queue) * 3;
        demand.edge_count = 3;
        demand.sink_count = 1;
        demand.drained_count = 1;
        demand.output_edge = 2;
        program.inputs = program.outputs = 1;
        program.node_count = 2;
        program.state_size = 512;
        program.demand = &demand;
        program.init.run = [](strc_env*, void*) {};
        program.init.reads = &none;
        program.steady.reads = program.scaled.reads = &none;
        facts.program = &program;
        facts.in_size = facts.out_size = sizeof(int);
        facts.firing_bytes = 1 << 16;
    }

    strc_flow* make(std::uint64_t bound) {
        facts.bound = bound;
        block.reset(std::aligned_alloc(STRC_FLOW_ALIGNMENT, strc_flow_bytes(&facts)));
        return strc_flow_make(&facts, block.get());
    }

    struct Ends {
        const int* in;
        int* out;
    };

    /// One call; what came goes behind `given`.
    int process(strc_flow* flow, const int* in, std::size_t count, std::size_t capacity) {
        std::vector<int> out(capacity + 1);
        Ends arrays{in, out.data()};
        strc_flow_ends ends{};
        ends.self = &arrays;
        ends.in_count = count;
        ends.out_count = capacity;
        ends.take = [](void* self, void* to, std::size_t first, std::size_t items) {
            std::memcpy(to, static_cast<Ends*>(self)->in + first, items * sizeof(int));
        };
        ends.give = [](void* self, const void* from, std::size_t first, std::size_t items) {
            std::memcpy(static_cast<Ends*>(self)->out + first, from, items * sizeof(int));
        };
        const int failed = strc_flow_process(flow, &ends);
        given.insert(given.end(), out.begin(),
                     out.begin() + static_cast<std::ptrdiff_t>(flow->given));
        return failed;
    }

    /// All of it, in pieces and with room for some.
    int all(strc_flow* flow, const std::vector<int>& in, std::size_t piece, std::size_t capacity) {
        std::size_t at = 0, moved = 1;
        int failed = 0;
        while (failed == 0 && moved != 0) {
            failed = process(flow, in.data() + at, std::min(piece, in.size() - at), capacity);
            at += flow->taken;
            moved = flow->taken + flow->given;
        }
        taken = at;
        return failed;
    }

    const std::uint64_t none = 0;
    const std::uint32_t lists[4] = {0, 1, 1, 2};
    static strc_node filter(std::uint32_t firstEdge, const strc_rates& rates,
                            void (*fire)(strc_env*, void*, strc_queue*, strc_queue*,
                                         std::int32_t)) {
        strc_node made{};
        made.kind = STRC_NODE_FILTER;
        made.mailbox = STRC_NONE;
        made.inputs = made.outputs = 1;
        made.first_edge = firstEdge;
        made.first = made.later = rates;
        made.fire = fire;
        return made;
    }
    strc_node nodes[2] = {
        filter(0, {.need = 0, .pop = 0, .push = 0, .is_dynamic = 1, .firings = 1}, group),
        filter(2, {.need = 1, .pop = 1, .push = 0, .is_dynamic = 0, .firings = 1}, twice),
    };
    strc_edge edges[3] = {{STRC_NONE, sizeof(int), 0, kFull, 0, 0, 0, 0, 0, nullptr, 1},
                          {0, sizeof(int), 1, kFull, 0, 0, 0, 0, 0, nullptr, 1},
                          {1, sizeof(int), STRC_NONE, kFull, 1, 0, 0, 0, 0, nullptr, 1}};
    strc_sink sink{1, 0, 1};
    strc_demand demand{};
    strc_program program{};
    strc_flow_facts facts{};
    std::unique_ptr<void, decltype(&std::free)> block{nullptr, &std::free};
    std::vector<int> given;
    std::size_t taken = 0;
};

TEST_F(Pulled, GivesTheSameInPiecesOfAnySize) {
    std::vector<int> in, want;
    for (int k = 0; k < 200; ++k) {
        in.push_back(k % 5);
        for (int i = 0; i < k % 5; ++i) {
            in.push_back(k + i);
            want.push_back(2 * (k + i));
        }
    }
    strc_flow* flow = make(4);
    for (std::size_t piece : {1u, 3u, 17u, 1000u}) {
        for (std::size_t capacity : {1u, 2u, 5u, 1000u}) {
            given.clear();
            EXPECT_EQ(all(flow, in, piece, capacity), 0);
            EXPECT_EQ(given, want);
            EXPECT_EQ(taken, in.size());
            EXPECT_EQ(process(flow, in.data(), 1, 0), 0);
            strc_flow_reset(flow);
        }
    }
}

TEST_F(Pulled, WhatIsTooMuchIsAFaultBehindAllThatCameBefore) {
    const std::vector<int> in{4, 1, 2, 3, 4, 1, 9, 5, 1, 1, 1, 1, 1};
    strc_flow* flow = make(4);
    for (std::size_t capacity : {1u, 2u, 100u}) {
        given.clear();
        EXPECT_EQ(all(flow, in, 5, capacity), -1);
        EXPECT_EQ(given, (std::vector<int>{2, 4, 6, 8, 18}));
        EXPECT_EQ(flow->env.fault.site, kFull);
        EXPECT_EQ(flow->env.fault.node, 0u);
        EXPECT_EQ(process(flow, in.data(), 1, 9), -1);
        strc_flow_reset(flow);
    }
}

/// What leaves the program waits for room instead, and the input with it.
TEST_F(Pulled, TakesNothingWhileSomethingFindsNoRoom) {
    const std::vector<int> in{3, 1, 2, 3, 1, 7};
    strc_flow* flow = make(4);
    EXPECT_EQ(process(flow, in.data(), 6, 0), 0);
    EXPECT_EQ(flow->taken, 4u);
    EXPECT_EQ(process(flow, in.data() + 4, 2, 2), 0);
    EXPECT_EQ(flow->taken, 0u);
    EXPECT_EQ(process(flow, in.data() + 4, 2, 2), 0);
    EXPECT_EQ(flow->taken, 2u);
    EXPECT_EQ(given, (std::vector<int>{2, 4, 6, 14}));
}

}  // namespace
}  // namespace strc::testing
