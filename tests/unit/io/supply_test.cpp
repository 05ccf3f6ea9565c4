#include "io/supply.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <optional>

#include <gtest/gtest.h>

#include "types/type.h"
#include "unit/io/files.h"

namespace strc::io {
namespace {

/// 0, 1, 2, … in portions.
class Numbers : public io::ItemReader {
public:
    Numbers(std::int32_t count, std::size_t portion) : count(count), portion(portion) {}
    base::Result<std::size_t> read(std::byte* to, std::size_t items) override {
        std::size_t made = 0;
        for (; made < std::min(items, portion) && next < count; ++made, ++next)
            std::memcpy(to + made * sizeof next, &next, sizeof next);
        return made;
    }
    bool rewind() override {
        next = 0;
        return true;
    }

private:
    std::int32_t next = 0, count;
    std::size_t portion;
};

std::int32_t take(io::Supply& supply) {
    std::int32_t item = -1;
    auto there = supply.has(1);
    if (there && *there) supply.take(reinterpret_cast<std::byte*>(&item), 1);
    return item;
}

/// Notes how many items it was asked for.
class Nothing : public io::ItemReader {
public:
    base::Result<std::size_t> read(std::byte*, std::size_t items) override {
        asked = items;
        return 0;
    }
    bool rewind() override { return false; }
    std::size_t asked = 0;
};

TEST(Supply, LargeItemsComeInFewerPieces) {
    types::TypeTable types;
    const std::pair<std::int64_t, std::size_t> sizes[] = {{1, 4096}, {1 << 10, 256}, {1 << 20, 1}};
    for (const auto& [length, pieces] : sizes) {
        Nothing nothing;
        io::Supply supply(nothing, "nothing", types.array(types.intType(), length), {});
        EXPECT_FALSE(*supply.has(1));
        EXPECT_EQ(nothing.asked, pieces);
    }
}

TEST(Supply, GivesBackWhatWasTakenSinceTheMark) {
    Numbers numbers(30'000, 5000);
    types::TypeTable types;
    io::Supply supply(numbers, "numbers", types.intType(), {});
    for (int k = 0; k < 5; ++k) EXPECT_EQ(take(supply), k);
    for (int round = 0; round < 3; ++round) {
        supply.mark();
        for (int k = 5; k < 20'000; ++k) ASSERT_EQ(take(supply), k);
        EXPECT_EQ(supply.given(), 20'000u);
        supply.giveBack();
        EXPECT_EQ(supply.given(), 5u);
    }
    supply.mark();
    EXPECT_EQ(take(supply), 5);
    supply.keep();
    for (int k = 6; k < 30'000; ++k) ASSERT_EQ(take(supply), k);
    EXPECT_EQ(take(supply), -1);
}

TEST(Supply, GivesBackAcrossTheEndOfALoop) {
    Numbers numbers(3, 100);
    types::TypeTable types;
    io::Supply supply(numbers, "numbers", types.intType(), {.loop = true});
    EXPECT_EQ(take(supply), 0);
    supply.mark();
    for (int k = 1; k < 10'000; ++k) ASSERT_EQ(take(supply), k % 3);
    supply.giveBack();
    for (int k = 1; k < 10'000; ++k) ASSERT_EQ(take(supply), k % 3);
}

class StraightSupply : public Files {
protected:
    void open(int count) {
        std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
        std::iota(numbers.begin(), numbers.end(), 0);
        file("numbers.raw", bytesOf(numbers));
        supply.emplace(reader(path("numbers.raw"), Format::Raw, types.intType()), "numbers",
                       types.intType(), SupplyOptions{.straight = true});
    }
    bool takeAll(std::vector<std::int32_t>& items) {
        EXPECT_TRUE(*supply->has(items.size()));
        return supply->take(reinterpret_cast<std::byte*>(items.data()), items.size());
    }

    std::optional<Supply> supply;
};

TEST_F(StraightSupply, GivesBackWhatItReadFromTheFile) {
    open(10'000);
    std::vector<std::int32_t> first(1000), second(5000);
    EXPECT_TRUE(takeAll(first));
    for (int round = 0; round < 2; ++round) {
        supply->mark();
        EXPECT_TRUE(takeAll(second));
        EXPECT_EQ(second.front(), 1000);
        EXPECT_EQ(second.back(), 5999);
        if (round == 0) supply->giveBack();
    }
    supply->keep();
    EXPECT_EQ(supply->left().front().items, 4000u);
    EXPECT_FALSE(*supply->has(4001));
}

TEST_F(StraightSupply, TellsThatTheFileHasBecomeShorterOnceNothingIsGivenBack) {
    open(100'000);
    std::vector<std::int32_t> items(50'000);
    EXPECT_TRUE(takeAll(items));
    std::filesystem::resize_file(path("numbers.raw"), 60'000 * sizeof(std::int32_t));
    supply->mark();
    EXPECT_FALSE(takeAll(items));
    EXPECT_FALSE(supply->fault());
    supply->giveBack();
    EXPECT_FALSE(takeAll(items));
    ASSERT_TRUE(supply->fault());
    EXPECT_EQ(supply->fault()->text,
              "'" + path("numbers.raw") + "' is not a valid raw file: it has become shorter");
}

}  // namespace
}  // namespace strc::io
