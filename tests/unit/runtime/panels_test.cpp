#include "strc/panels.h"

#include <vector>

#include <gmock/gmock.h>

namespace strc {
namespace {

using testing::ElementsAre;

/// Of a matrix of 3 sums and 5 columns whose elements are 10 * sum + column.
template <typename T>
std::vector<T> panels(strc_panels how, const std::vector<strc_panel_loop>& loops) {
    std::vector<T> matrix;
    for (int sum = 0; sum < 3; ++sum)
        for (int column = 0; column < 5; ++column)
            matrix.push_back(static_cast<T>(10 * sum + column));
    std::vector<T> made(18, T(-1));
    how.element = sizeof(T);
    strc_make_panels(&how, loops.data(), made.data(), matrix.data());
    return made;
}

TEST(Panels, HaveColumnsSideBySideSumBySum) {
    const strc_panels how = {0, 0, 2, 4, 1, 0, 1, 1};
    const auto made = ElementsAre(0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23,  // whole vectors
                                  4, -1, 14, -1, 24, -1);
    EXPECT_THAT(panels<float>(how, {{5, 1}, {3, 5}}), made);
    EXPECT_THAT(panels<double>(how, {{5, 1}, {3, 5}}), made);
}

TEST(Panels, FollowLoopsFromAnyElement) {
    const strc_panels how = {0, 1, 2, 2, 1, 0, 2, 1};
    const auto made = panels<float>(how, {{2, 1}, {2, 5}, {2, 2}});
    EXPECT_THAT(std::vector<float>(made.begin(), made.begin() + 8),
                ElementsAre(1, 11, 3, 13, 2, 12, 4, 14));
}

TEST(Panels, HaveTheElementsOfAWordSideBySide) {
    const strc_panels how = {0, 1, 2, 2, 3, 5, 1, 0};  // three sums of a column are a word
    const auto made = panels<float>(how, {{2, 2}});
    EXPECT_THAT(std::vector<float>(made.begin(), made.begin() + 6),
                ElementsAre(1, 11, 21, 3, 13, 23));
}

}  // namespace
}  // namespace strc
