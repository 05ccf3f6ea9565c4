#include "unit/plan/fixture.h"

namespace strc::plan::test {
namespace {

using namespace testing;

TEST(PlanPrint, OneOfEach) {
    Planned made(pipeline("Main", {source("A", 1), filter("B", 1, 1), sink("C", 1)}));
    EXPECT_EQ(print(*made.make(sched::Order::Buffers, false).verified().plan),
              R"(state: 128 bytes, 0 in the image
tape                kept  room  bytes  offset
  Main.A -> Main.B     0     1      4       0
  Main.B -> Main.C     0     1      4      64
init:
steady:
  Main.A to 0
  Main.B from 0 to 0
  Main.C from 0
)");
}

TEST(PlanPrint, SlidingWindow) {
    Planned made(pipeline("Main", {source("A", 1), filter("Fir", 1, 1, 3), sink("Z", 4)}));
    EXPECT_EQ(print(*made.make().verified().plan), R"(state: 32832 bytes, 0 in the image
tape                  kept  room  bytes  offset
  Main.A -> Main.Fir     2  4098  16392       0
  Main.Fir -> Main.Z     0  4096  16384   16448
init:
  2 Main.A to 0
steady:
  loop 4
    Main.A to 2 + i0
    Main.Fir from i0 to i0
  Main.Z from 0
  move 2 from 4 to 0 of Main.A -> Main.Fir
1024 steady states:
  4096 Main.A to 2
  4096 Main.Fir from 0 to 0
  1024 Main.Z from 0
  move 2 from 4096 to 0 of Main.A -> Main.Fir
)");
}

TEST(PlanPrint, OpenEndsAndPrework) {
    Planned made(
        pipeline("Main", {withPrework(filter("D", 2, 1, 5), 1, 3, 2), filter("Up", 1, 2)}));
    EXPECT_EQ(print(*made.make().verified().plan), R"(state: 20608 bytes, 0 in the image
tape                 kept  room  bytes  offset
  Main.D -> Main.Up     3  1027   4108       0
  input -> Main.D       3  2051   8204    4160
  Main.Up -> output     0  2048   8192   12416
init, reads 4 from the input:
  read 4 to 0
  Main.D.prework from 0 to 0
  move 3 from 1 to 0 of input -> Main.D
steady, reads 2 from the input:
  read 2 to 3
  Main.D from 0 to 3
  Main.Up from 0 to 0
  write 2 from 0
  move 3 from 1 to 0 of Main.D -> Main.Up
  move 3 from 2 to 0 of input -> Main.D
1024 steady states, reads 2048 from the input:
  read 2048 to 3
  1024 Main.D from 0 to 3
  1024 Main.Up from 0 to 0
  write 2048 from 0
  move 3 from 1024 to 0 of Main.D -> Main.Up
  move 3 from 2048 to 0 of input -> Main.D
)");
}

TEST(PlanPrint, FeedbackLoop) {
    Planned made(pipeline(
        "Main", {source("A", 4),
                 feedbackloop("L", {1, 1}, filter("Body", 2, 2), filter("Back", 1, 1), {1, 1}, 2),
                 sink("Z", 4)}));
    EXPECT_EQ(print(*made.make().verified().plan), R"(state: 49280 bytes, 8 in the image
tape                           kept  room  bytes  offset
  Main.L.join -> Main.L.Body      0     0      0   16448
  Main.L.Body -> Main.L.split     0     0      0   16448
  Main.L.split -> Main.L.Back     0     1      4   16448
  Main.L.Back -> Main.L.join      2  4098  16392       0
  Main.A -> Main.L.join           0  4096  16384   16512
  Main.L.split -> Main.Z          0  4096  16384   32896
init:
steady:
  Main.A to 0
  loop 4
    Main.L.Body from i0, i0 to i0, 0
    Main.L.Back from 0 to 2 + i0
  Main.Z from 0
  move 2 from 4 to 0 of Main.L.Back -> Main.L.join
1024 steady states:
  1024 Main.A to 0
  loop 4096
    Main.L.Body from i0, i0 to i0, 0
    Main.L.Back from 0 to 2 + i0
  1024 Main.Z from 0
  move 2 from 4096 to 0 of Main.L.Back -> Main.L.join
)");
}

TEST(PlanPrint, NestedLoops) {
    Planned made(pipeline("Main", {source("A", 12), filter("B", 1, 6, 2), filter("C", 1, 1, 40),
                                   filter("D", 3, 1), sink("Z", 24)}));
    EXPECT_EQ(print(*made.make(sched::Order::SingleAppearance, false).verified().plan),
              R"(state: 832 bytes, 0 in the image
tape                kept  room  bytes  offset
  Main.A -> Main.B     5    17     68       0
  Main.B -> Main.C    42   114    456     128
  Main.C -> Main.D     0     3     12     640
  Main.D -> Main.Z     0    24     96     704
init:
  Main.A to 0
  7 Main.B from 0 to 0
  move 5 from 7 to 0 of Main.A -> Main.B
steady:
  Main.A to 5
  loop 12
    Main.B from i0 to 42 + 6*i0
    loop 2
      3 Main.C from 6*i0 + 3*i1 to 0
      Main.D from 0 to 2*i0 + i1
  Main.Z from 0
  move 5 from 12 to 0 of Main.A -> Main.B
  move 42 from 72 to 0 of Main.B -> Main.C
)");
}

}  // namespace
}  // namespace strc::plan::test
