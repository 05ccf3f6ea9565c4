// What runs on a stack of its own, and stops in the middle.

extern "C" {
#include "coroutine.h"

#include "subnormals.h"
}

#include <csetjmp>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace strc::testing {
namespace {

class Coroutine : public ::testing::Test {
protected:
    static constexpr std::size_t kStack = 1 << 17;

    void begin(void (*body)(void*)) {
        strc_coroutine_begin(&coroutine, stack.get(), kStack, body, this);
    }
    void resume() { strc_coroutine_resume(&coroutine); }

    static void count(void* of) {
        auto* self = static_cast<Coroutine*>(of);
        int steps[4] = {1, 10, 100, 1000};
        double half = 0.5;
        for (int step : steps) {
            self->seen.push_back(step);
            self->sum += half * step;
            strc_coroutine_pause(&self->coroutine);
        }
        self->seen.push_back(-1);
    }

    static void dive(Coroutine& self, int depth) {
        volatile char capacity[64];
        capacity[0] = static_cast<char>(depth);
        strc_coroutine_pause(&self.coroutine);
        if (depth > 0) dive(self, depth - 1);
        if (self.seen.empty()) longjmp(self.top, 1);
        capacity[1] = capacity[0];
    }

    static void jump(void* of) {
        auto* self = static_cast<Coroutine*>(of);
        if (setjmp(self->top) == 0) dive(*self, 9);
        self->seen.push_back(7);
    }

    static void setSubnormals(void* of) {
        auto* self = static_cast<Coroutine*>(of);
        for (const std::uint32_t wanted : {STRC_SUBNORMALS_FLUSHED, 0u}) {
            strc_set_subnormals(wanted);
            strc_coroutine_pause(&self->coroutine);
            self->seen.push_back(strc_subnormals() == wanted ? 1 : 0);
        }
    }

    std::unique_ptr<void, decltype(&std::free)> stack{std::aligned_alloc(64, kStack), &std::free};
    strc_coroutine coroutine{};
    std::vector<int> seen;
    double sum = 0;
    std::jmp_buf top;
};

TEST_F(Coroutine, GoesOnWhereItPaused) {
    begin(count);
    for (int k = 0; k < 4; ++k) {
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(k));
        resume();
    }
    EXPECT_EQ(sum, 555.5);
    for (int k = 0; k < 3; ++k) resume();  // the body is over
    EXPECT_EQ(seen, (std::vector<int>{1, 10, 100, 1000, -1}));
}

TEST_F(Coroutine, IsForgottenWhenItBeginsAgain) {
    begin(jump);
    for (int k = 0; k < 5; ++k) resume();
    begin(count);
    resume();
    EXPECT_EQ(seen, (std::vector<int>{1}));
}

TEST_F(Coroutine, JumpsWithinItsStack) {
    begin(jump);
    for (int k = 0; k < 11; ++k) resume();
    EXPECT_EQ(seen, (std::vector<int>{7}));
}

TEST_F(Coroutine, GoesOnInAnotherThread) {
    begin(count);
    for (int k = 0; k < 5; ++k) std::thread([this] { resume(); }).join();
    EXPECT_EQ(seen.size(), 5u);
}

/// How it computes with subnormal numbers is no matter of who resumes it.
TEST_F(Coroutine, EachSideHasItsOwnSubnormals) {
    begin(setSubnormals);
    for (const std::uint32_t outside : {0u, STRC_SUBNORMALS_FLUSHED, 0u}) {
        strc_set_subnormals(outside);
        resume();
        EXPECT_EQ(strc_subnormals(), outside);
        strc_set_subnormals(0);
    }
    EXPECT_EQ(seen, (std::vector<int>{1, 1}));
}

}  // namespace
}  // namespace strc::testing
