#include <gmock/gmock.h>

#include "opt/detail/min_cut.h"

namespace strc::testing {
namespace {

using ::testing::ElementsAre;

TEST(MinCut, EachThingGoesWhereItIsCheaper) {
    opt::MinCut cut(3);
    cut.cost(0, 5, 2);
    cut.cost(1, 2, 5);
    cut.cost(2, 3, 3);
    EXPECT_THAT(cut.divide(), ElementsAre(true, false, false))
        << "the first side if it is the same";
}

TEST(MinCut, NeighboursDragEachOther) {
    opt::MinCut cut(3);
    cut.cost(0, 10, 0);
    cut.cost(1, 0, 4);
    cut.cost(2, 3, 0);
    cut.apart(0, 1, 3);
    cut.apart(1, 2, 2);
    EXPECT_THAT(cut.divide(), ElementsAre(true, true, true)) << "4 are less than 3 + 2";
}

TEST(MinCut, ButNotAtAnyPrice) {
    opt::MinCut cut(3);
    cut.cost(0, 10, 0);
    cut.cost(1, 0, 6);
    cut.cost(2, 3, 0);
    cut.apart(0, 1, 3);
    cut.apart(1, 2, 2);
    EXPECT_THAT(cut.divide(), ElementsAre(true, false, true));
}

TEST(MinCut, ARingTurnsAsAWhole) {
    opt::MinCut cut(4);
    for (std::size_t k = 0; k < 4; ++k) {
        cut.cost(k, k == 0 ? 7 : 0, k == 0 ? 0 : 2);
        cut.apart(k, (k + 1) % 4, 4);
    }
    EXPECT_THAT(cut.divide(), ElementsAre(true, true, true, true)) << "6 are less than 7 or 8";
}

}  // namespace
}  // namespace strc::testing
