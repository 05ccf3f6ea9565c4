extern "C" {
#include "messages.h"
}

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <vector>

#include "unit/runtime/fixture.h"

namespace strc::testing {
namespace {

/// 2 firings upstream for the first one below, then 3 for every 2.
const std::int64_t kFirings[] = {0, 2, 3};
const strc_route kRoute{kFirings, 1, 3, 2, 1};

TEST(Routes, GoOnPeriodically) {
    const std::vector<std::int64_t> expected{0, 2, 3, 5, 6, 8, 9};
    for (std::size_t m = 0; m < expected.size(); ++m)
        EXPECT_EQ(strc_route_sdep(&kRoute, static_cast<std::int64_t>(m)), expected[m]) << m;
    EXPECT_EQ(strc_route_sdep(&kRoute, -5), 0);
    EXPECT_EQ(strc_route_sdep(&kRoute, 2'000'000'000'000), 3'000'000'000'000);
    EXPECT_EQ(strc_route_sdep(&kRoute, INT64_MAX), std::int64_t{1} << 60);
}

TEST(Routes, FindTheFirstThatNeedsSoMany) {
    for (std::int64_t n = 1; n < 40; ++n) {
        const std::int64_t first = strc_route_first(&kRoute, n);
        EXPECT_GE(strc_route_sdep(&kRoute, first), n);
        EXPECT_LT(strc_route_sdep(&kRoute, first - 1), n);
    }
    EXPECT_EQ(strc_route_first(&kRoute, 0), 0);
}

TEST(Routes, WhereNothingIsNeededTheFirstIsNeverReached) {
    const std::int64_t firings[] = {0, 0};
    const strc_route route{firings, 1, 0, 1, 1};
    EXPECT_EQ(strc_route_first(&route, 1), std::int64_t{1} << 60);
}

class Mail : public RuntimeTest {
protected:
    Mail() {
        program.mailbox_count = 2;
        program.most_bytes = 1000;
        strc_mail_begin(&env, &program, boxes);
        bytesLeft = env.bytes_left;
        current = this;
    }
    ~Mail() override {
        env.mailboxes = boxes;
        strc_mail_end(&env, &program);
    }

    /// As a program would: the run has mailboxes of its own, which are none.
    strc_end inRun(const std::function<void(strc_env*)>& work) {
        const strc_end end = run([&](strc_env* env) {
            env->mailboxes = boxes;
            env->bytes_left = bytesLeft;
            work(env);
        });
        bytesLeft = env.bytes_left;
        return end;
    }

    /// To the second filter, from firing `fired + 1` of the first one.
    strc_end send(std::int64_t fired, int number, std::int64_t latency = 0) {
        boxes[0].fired = fired;
        return inRun([&](strc_env* env) { strc_send(env, 0, &dispatch, latency, &number); });
    }
    void deliver(std::int64_t fired) {
        boxes[1].fired = fired;
        inRun([&](strc_env* env) { strc_deliver(env, nullptr, 1); });
    }
    static void handle(strc_env*, void*, const void* arguments) {
        current->handled.push_back(*static_cast<const int*>(arguments));
    }

    static inline Mail* current = nullptr;
    std::vector<int> handled;
    std::uint64_t bytesLeft = 0;
    strc_program program{};
    strc_mailbox boxes[2]{};
    strc_recipient recipient{0, 1, 0, 1, 7, 0, &kRoute, handle};
    strc_dispatch dispatch{&recipient, 1, 16, 8, 0};
};

TEST_F(Mail, IsDeliveredWhenItIsDue) {
    EXPECT_EQ(boxes[1].due, INT64_MAX);
    send(3, 40);  // firing 4 of the sender is needed for firing 3 of the receiver
    send(0, 10);
    send(3, 41);
    EXPECT_EQ(boxes[1].due, 0);
    deliver(0);
    EXPECT_EQ(handled, (std::vector<int>{10}));
    EXPECT_EQ(boxes[1].due, 2);
    deliver(1);
    EXPECT_EQ(handled.size(), 1u);
    deliver(2);
    EXPECT_EQ(handled, (std::vector<int>{10, 40, 41}));
    EXPECT_EQ(boxes[1].due, INT64_MAX);
}

TEST_F(Mail, ThatComesTooLateIsAFault) {
    boxes[1].fired = 9;
    EXPECT_EQ(send(0, 1), STRC_END_FAULT);
    EXPECT_EQ(env.fault.site, 7u);
    EXPECT_EQ(env.fault.numbers[0], 1);
    dispatch.best_effort = 1;
    EXPECT_EQ(send(0, 2), STRC_END_ITERATIONS);
    EXPECT_EQ(boxes[1].due, 9);
}

TEST_F(Mail, ThatWaitsHasALimit) {
    int sent = 0;
    while (send(sent, sent) == STRC_END_ITERATIONS) ++sent;
    EXPECT_EQ(sent, 1000 / 80);
    EXPECT_EQ(env.fault.site, 8u);
    deliver(1000);
    EXPECT_EQ(handled.size(), static_cast<std::size_t>(sent));
    EXPECT_EQ(bytesLeft, 1000u);
}

/// Two for each filter, from the start.
class BoundedMail : public RuntimeTest {
protected:
    BoundedMail() {
        program.mailbox_count = 2;
        program.message_bytes = bytes;
        block.resize(strc_bounded_mail_bytes(&program, 2) / sizeof(std::max_align_t) + 1);
        current = this;
    }

    /// Begins, and does `work` with mailboxes in which nothing is.
    strc_end inRun(const std::function<void(strc_env*)>& work) {
        return run([&](strc_env* env) {
            std::fill(std::begin(boxes), std::end(boxes), strc_mailbox{});
            strc_bounded_mail_begin(env, &program, boxes, 2, block.data());
            work(env);
        });
    }
    void send(strc_env* env, std::int64_t fired, int number) {
        boxes[0].fired = fired;
        int all[4] = {number, number, number, number};
        strc_send(env, 0, &dispatch, 0, all);
    }
    static void deliver(strc_env* env, std::int64_t fired) {
        current->boxes[1].fired = fired;
        strc_deliver(env, nullptr, 1);
    }
    static void handle(strc_env* env, void*, const void* arguments) {
        const int* all = static_cast<const int*>(arguments);
        current->handled.push_back(all[0]);
        EXPECT_EQ(all[3], all[0]);
        if (all[0] < 0) current->send(env, 5, -all[0]);  // while its own letter is in use
    }

    static inline BoundedMail* current = nullptr;
    std::vector<int> handled;
    std::vector<std::max_align_t> block;
    std::int64_t bytes[2] = {-1, 16};
    strc_program program{};
    strc_mailbox boxes[2]{};
    strc_recipient recipient{0, 1, 0, 1, 7, 9, &kRoute, handle};
    strc_dispatch dispatch{&recipient, 1, 16, 8, 0};
};

TEST_F(BoundedMail, TakesAsManyAsItMay) {
    const strc_end end = inRun([&](strc_env* env) {
        for (int k = 0; k < 40; ++k) {
            send(env, k, k);
            send(env, k, 100 + k);
            deliver(env, strc_route_first(&kRoute, k + 1) - 1);
        }
        EXPECT_EQ(handled.size(), 80u);
        for (int k = 0; k < 3; ++k) send(env, 40, k);
    });
    EXPECT_EQ(end, STRC_END_FAULT);
    EXPECT_EQ(env.fault.site, 9u);
    EXPECT_EQ(boxes[1].end - boxes[1].first, 2u);
    EXPECT_EQ(handled[3], 101);
}

TEST_F(BoundedMail, HandlersMaySend) {
    EXPECT_EQ(inRun([&](strc_env* env) {
                  send(env, 0, -3);
                  send(env, 3, 8);
                  deliver(env, 0);
                  deliver(env, 9);
              }),
              STRC_END_ITERATIONS);
    EXPECT_EQ(handled, (std::vector<int>{-3, 8, 3}));
}

}  // namespace
}  // namespace strc::testing
