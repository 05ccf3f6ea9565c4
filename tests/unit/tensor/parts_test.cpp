// Which parts products are divided into.
#include "tensor/detail/parts.h"

#include <gtest/gtest.h>

namespace strc::tensor {
namespace {

using ir::Contraction;
using ir::LoopParts;

/// A row by row matrix of so many rows times the transpose of one.
Contraction matmul(std::int32_t rows, std::int32_t inner, std::int32_t outer) {
    Contraction how;
    how.loops = {{rows, outer, inner, 0}, {outer, 1, 0, inner}, {inner, 0, 1, 1}};
    return how;
}

std::optional<LoopParts> chosen(std::int32_t rows, std::int32_t inner, std::int32_t outer,
                                std::int64_t parts) {
    const FactorBytes bytes{std::int64_t{4} * rows * inner, std::int64_t{4} * inner * outer};
    return partsThatPay(matmul(rows, inner, outer), parts, 4, bytes);
}

TEST(Parts, OfSumsAreOfWhatBothFactorsGoAlong) {
    const auto parts = partsOfSums(matmul(8, 100, 20), 30);
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->loop, 2u);
    EXPECT_EQ(parts->trips, 30);
    EXPECT_FALSE(partsOfSums(matmul(8, 100, 20), 100));
}

TEST(Parts, DivideTheLargerFactor) {
    const auto columns = chosen(256, 4096, 4096, 4);
    ASSERT_TRUE(columns);
    EXPECT_EQ(columns->loop, 1u);
    EXPECT_EQ(columns->trips, 1024);
    const auto rows = chosen(4096, 4096, 256, 4);
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->loop, 0u);
}

TEST(Parts, AreWholeTilesWhereThereAreEnough) {
    const auto parts = chosen(256, 4096, 4000, 3);
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->trips, 1344);
}

TEST(Parts, AreNoneWhereOneProcessDoesItAsSoon) {
    EXPECT_FALSE(chosen(64, 256, 256, 4));
    EXPECT_FALSE(chosen(4096, 64, 4096, 2));  // more crosses than is computed
    EXPECT_FALSE(chosen(256, 4096, 4096, 1));
}

}  // namespace
}  // namespace strc::tensor
