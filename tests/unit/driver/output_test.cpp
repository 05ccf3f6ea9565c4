#include "driver/detail/output.h"

#include <cerrno>
#include <cstring>
#include <sstream>
#include <streambuf>

#include <gtest/gtest.h>

#include "driver/detail/progress.h"

namespace strc::driver {
namespace {

/// A stream that takes nothing, for this reason.
class Refusing : public std::streambuf {
public:
    explicit Refusing(int why) : reason(why) {}

protected:
    int_type overflow(int_type) override {
        errno = reason;
        return traits_type::eof();
    }

private:
    int reason;
};

TEST(Output, HandsLinesOnAtOnceToAPerson) {
    std::ostringstream to;
    Output output(to, true);
    output.write("half");
    EXPECT_EQ(to.str(), "");
    output.write(" a line\n");
    EXPECT_EQ(to.str(), "half a line\n");
}

TEST(Output, KeepsTextOtherwise) {
    std::ostringstream to;
    Output output(to, false);
    output.write("first\n");  // nothing was handed on for long
    for (int i = 0; i < 100; ++i) output.write("line\n");
    EXPECT_LT(to.str().size(), 506u);
    output.flush();
    EXPECT_EQ(to.str().size(), 506u);
}

TEST(Output, HandsOnFullBuffers) {
    std::ostringstream to;
    Output output(to, false);
    output.write(std::string(100'000, 'x'));
    EXPECT_EQ(to.str().size(), 100'000u);
}

TEST(Output, TellsBeforeItHandsOn) {
    std::ostringstream to;
    Output output(to, true);
    int calls = 0;
    output.beforeFlush([&] { ++calls; });
    output.flush();
    EXPECT_EQ(calls, 0);
    output.write("x\n");
    EXPECT_EQ(calls, 1);
}

TEST(Output, KnowsWhyItFailed) {
    for (int reason : {EPIPE, ENOSPC}) {
        Refusing refusing(reason);
        std::ostream to(&refusing);
        Output output(to, false);
        output.write("x");
        output.flush();
        EXPECT_TRUE(output.failed());
        EXPECT_EQ(output.readerGone(), reason == EPIPE);
        EXPECT_EQ(output.failure().text,
                  std::string("cannot write 'standard output': ") + strerror(reason));
        output.write("more");
        output.flush();
    }
}

TEST(Progress, SaysHowFarAndHowLong) {
    EXPECT_EQ(progressLine(0, 100, 0), "  0 %");
    EXPECT_EQ(progressLine(50, 100, 2), " 50 %  25 items/s  2 s left");
    EXPECT_EQ(progressLine(1'000'000, 4'000'000, 100),
              " 25 %  10 thousand items/s  5 min 00 s left");
    EXPECT_EQ(progressLine(1, 4'000, 10), "  0 %  0 items/s  11 h 06 min left");
    EXPECT_EQ(progressLine(1, 4'000'000, 10), "  0 %  0 items/s  more than 100 h left");
    EXPECT_EQ(progressLine(7, 5, 1), "100 %  7 items/s  0 s left");
}

TEST(Progress, RoundsCounts) {
    EXPECT_EQ(roundedCount(12), "12");
    EXPECT_EQ(roundedCount(9'999), "9999");
    EXPECT_EQ(roundedCount(12'345), "12.3 thousand");
    EXPECT_EQ(roundedCount(1'000'000), "1 million");
    EXPECT_EQ(roundedCount(2.5e9), "2.5 billion");
}

TEST(Progress, IsSeldomAndGoesAway) {
    std::ostringstream to;
    auto start = Progress::Clock::now();
    Progress progress(to, start);
    progress.update(1, 10, start + std::chrono::milliseconds(100));
    EXPECT_EQ(to.str(), "") << "a short run needs none";
    progress.erase();
    EXPECT_EQ(to.str(), "");
    progress.update(5, 10, start + std::chrono::seconds(1));
    EXPECT_EQ(to.str(), "\r\x1b[K 50 %  5 items/s  1 s left");
    std::size_t size = to.str().size();
    progress.update(6, 10, start + std::chrono::milliseconds(1001));
    EXPECT_EQ(to.str().size(), size);
    progress.erase();
    EXPECT_TRUE(to.str().ends_with("\r\x1b[K"));
    progress.erase();
    EXPECT_EQ(to.str().size(), size + 4);
}

}  // namespace
}  // namespace strc::driver
