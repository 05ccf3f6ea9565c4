// Who wrote what is read.

#include "device/detail/trace.h"

#include <gmock/gmock.h>

namespace strc::device {
namespace {

using ::testing::ElementsAre;
using Source = Trace::Source;

TEST(TraceTest, TheLastOneWhoWroteIt) {
    Trace trace;
    trace.run({{}, {{0, 10}}}, 1);
    trace.run({{}, {{4, 6}}}, 2);
    EXPECT_THAT(
        trace.run({{{2, 12}}, {}}, 3),
        ElementsAre(Source{{2, 4}, 1}, Source{{4, 6}, 2}, Source{{6, 10}, 1}, Source{{10, 12}, 0}));
    trace.run({{}, {{5, 20}}}, 4);
    EXPECT_THAT(trace.run({{{0, 20}}, {}}, 5),
                ElementsAre(Source{{0, 4}, 1}, Source{{4, 5}, 2}, Source{{5, 20}, 4}));
}

TEST(TraceTest, NeighboursOfOneWriterAreOne) {
    Trace trace;
    trace.run({{}, {{0, 4}}}, 1);
    trace.run({{}, {{4, 8}}}, 1);
    EXPECT_THAT(trace.run({{{0, 8}}, {}}, 2), ElementsAre(Source{{0, 8}, 1}));
    EXPECT_THAT(trace.run({{{0, 4}, {4, 8}}, {}}, 2),
                ElementsAre(Source{{0, 4}, 1}, Source{{4, 8}, 1}))
        << "what was read is told apart";
}

TEST(TraceTest, ReadsComeFirst) {
    Trace trace;
    EXPECT_THAT(trace.run({{{0, 4}}, {{0, 4}}}, 1), ElementsAre(Source{{0, 4}, 0}));
    EXPECT_THAT(trace.run({{{0, 4}}, {}}, 2), ElementsAre(Source{{0, 4}, 1}));
}

}  // namespace
}  // namespace strc::device
