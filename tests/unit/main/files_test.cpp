#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include "fixture.h"

namespace strc::testing {
namespace {

std::string ints(std::initializer_list<int> values) {
    return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(int)};
}

class SupplyTest : public MainTest {
protected:
    ~SupplyTest() override { close(); }
    void close() {
        strc_supply_free(&supply);
        strc_reader_close(&reader);
    }
    void open(const std::string& name, bool loop = false, bool pads = false) {
        int opened =
            strc_reader_open(&reader, &strc_format_raw, intItem(), name.c_str(), kNowhere, {});
        EXPECT_EQ(opened, 0) << takeMessages();
        strc_supply_begin(&supply, &reader, loop, pads, 0, 1 << 20);
    }
    std::vector<int> take(std::uint64_t items) {
        std::vector<int> taken(items);
        strc_supply_take(&supply, taken.data(), items);
        return taken;
    }

    strc_reader reader{};
    strc_supply supply{};
};

TEST_F(SupplyTest, SaysWhatIsThere) {
    open(file("a", ints({1, 2, 3}) + "xx"));
    EXPECT_EQ(strc_supply_has(&supply, 2), 1);
    EXPECT_EQ(take(2), (std::vector{1, 2}));
    EXPECT_EQ(strc_supply_left(&supply, 0).items, 1u);
    EXPECT_EQ(strc_supply_has(&supply, 2), 0);
    EXPECT_EQ(strc_supply_has_at_once(&supply, 1), 1);
    EXPECT_EQ(take(1), std::vector{3});
    EXPECT_EQ(strc_supply_left(&supply, 0).items, 0u);
}

TEST_F(SupplyTest, GivesBackWhatWasMarked) {
    std::string many;
    for (int k = 0; k < 20000; ++k) many += ints({k});
    open(file("a", many));
    EXPECT_EQ(strc_supply_has(&supply, 10), 1);
    take(10);
    strc_supply_mark(&supply);
    for (int k = 0; k < 19; ++k) {
        EXPECT_EQ(strc_supply_has(&supply, 1000), 1);
        EXPECT_EQ(take(1000).front(), 10 + 1000 * k);
    }
    strc_supply_give_back(&supply);
    EXPECT_EQ(supply.taken, 10u);
    EXPECT_EQ(strc_supply_has(&supply, 19990), 1);
    EXPECT_EQ(take(19990).back(), 19999);
}

TEST_F(SupplyTest, KeepsNothingThatIsNotMarked) {
    std::string many(400000, 'x');
    open(file("a", many));
    for (int k = 0; k < 100; ++k) {
        strc_supply_mark(&supply);
        EXPECT_EQ(strc_supply_has(&supply, 1000), 1);
        take(1000);
        strc_supply_keep(&supply);
    }
    EXPECT_LT(supply.capacity, 100000u);
}

TEST_F(SupplyTest, GoesRoundAndFillsUp) {
    open(file("a", ints({1, 2})), true);
    EXPECT_EQ(strc_supply_has(&supply, 5), 1);
    EXPECT_EQ(take(5), (std::vector{1, 2, 1, 2, 1}));
    close();
    open(file("b", ints({1, 2})), false, true);
    EXPECT_EQ(strc_supply_has(&supply, 3), 1);
    EXPECT_EQ(take(3), (std::vector{1, 2, 0}));
    EXPECT_EQ(strc_supply_has(&supply, 1), 0);
    EXPECT_EQ(strc_supply_left(&supply, 0).items, 0u);
}

TEST_F(SupplyTest, ReadsNoMoreAheadThanItMay) {
    open(file("a", ints({1, 2})));
    EXPECT_EQ(strc_supply_has(&supply, (1 << 20) / 4 + 1), -1);
    EXPECT_NE(takeMessages().find("[out-of-memory]"), std::string::npos);
}

TEST_F(SupplyTest, TellsAFaultOnce) {
    open(file("a", ints({1})));
    ::close(reader.source.descriptor);
    int item = 0;
    EXPECT_EQ(strc_supply_has_at_once(&supply, 1), 1);
    EXPECT_EQ(strc_supply_take(&supply, &item, 1), -1);
    EXPECT_NE(takeMessages().find("[cannot-read-file]"), std::string::npos);
    EXPECT_EQ(strc_supply_has(&supply, 1), -1);
    EXPECT_EQ(takeMessages(), "");
    reader.source.descriptor = -1;
}

TEST_F(SupplyTest, TellsAFaultWhenNothingIsGivenBack) {
    open(file("a", ints({1, 2, 3})));
    EXPECT_EQ(strc_supply_has(&supply, 1), 1);
    EXPECT_EQ(take(1), std::vector{1});
    std::filesystem::resize_file(path("a"), sizeof(int));
    strc_supply_mark(&supply);
    int items[2];
    reader.source.first = reader.source.last;  // they had been read already
    EXPECT_EQ(strc_supply_has(&supply, 2), 1);
    EXPECT_EQ(strc_supply_take(&supply, items, 2), -1);
    EXPECT_EQ(takeMessages(), "");
    strc_supply_give_back(&supply);
    EXPECT_EQ(strc_supply_has(&supply, 2), 1);
    EXPECT_EQ(strc_supply_take(&supply, items, 2), -1);
    EXPECT_NE(takeMessages().find("it has become shorter [malformed-input]"), std::string::npos);
}

TEST_F(SupplyTest, GivesBackWhatPassedTheBeginning) {
    open(file("a", ints({1, 2, 3})), true);
    EXPECT_EQ(strc_supply_still(&supply, 2), 2);  // read ahead
    EXPECT_EQ(take(1), std::vector{1});
    strc_supply_mark(&supply);
    for (int k = 0; k < 2; ++k) {
        EXPECT_EQ(strc_supply_has(&supply, 7), 1);
        EXPECT_EQ(take(7), (std::vector{2, 3, 1, 2, 3, 1, 2}));
        if (k == 0) strc_supply_give_back(&supply);
    }
    EXPECT_EQ(supply.taken, 8u);
}

/// An item is 20000 ints, which are all its number.
class LargeItemsTest : public SupplyTest {
protected:
    static constexpr int kInts = 20000;
    void openItems(int count, bool loop = false) {
        std::string bytes;
        for (int k = 0; k < count * kInts; ++k) bytes += ints({k / kInts});
        name = file("large", bytes);
        types[1] = {STRC_ARRAY, 0, kInts, kInts * sizeof(int)};
        strc_item item{};
        item.type = &types[1];
        item.types = types;
        item.name = "int[]";
        EXPECT_EQ(strc_reader_open(&reader, &strc_format_raw, item, name.c_str(), kNowhere, {}), 0);
        strc_supply_begin(&supply, &reader, loop, false, 0, 1 << 20);
    }
    /// The numbers of items.
    std::vector<int> takeItems(std::size_t items) {
        std::vector<int> taken(items * kInts, -1), numbers;
        EXPECT_EQ(strc_supply_take(&supply, taken.data(), items), 0) << takeMessages();
        for (std::size_t k = 0; k < items; ++k) {
            const auto first = taken.begin() + static_cast<std::ptrdiff_t>(k * kInts);
            EXPECT_TRUE(std::all_of(first, first + kInts, [&](int i) { return i == *first; }));
            numbers.push_back(*first);
        }
        return numbers;
    }
    std::string name;
};

TEST_F(LargeItemsTest, AreReadWhenTheyAreTaken) {
    openItems(3);
    EXPECT_EQ(strc_supply_has(&supply, 2), 1);
    EXPECT_EQ(supply.last, 0u);
    EXPECT_EQ(takeItems(2), (std::vector{0, 1}));
    EXPECT_EQ(supply.last, 0u);
    EXPECT_EQ(strc_supply_left(&supply, 0).items, 1u);
    EXPECT_EQ(strc_supply_has(&supply, 2), 0);
    EXPECT_EQ(strc_supply_has(&supply, 1), 1);
    EXPECT_EQ(takeItems(1), std::vector{2});
    EXPECT_EQ(strc_supply_has(&supply, 1), 0);
}

TEST_F(LargeItemsTest, FollowWhatWasReadAhead) {
    openItems(4, true);
    strc_supply_mark(&supply);
    EXPECT_EQ(strc_supply_has(&supply, 2), 1);
    EXPECT_EQ(takeItems(2), (std::vector{0, 1}));
    EXPECT_EQ(supply.last, 0u);
    strc_supply_give_back(&supply);
    EXPECT_EQ(strc_supply_has(&supply, 11), 1);
    EXPECT_EQ(takeItems(11), (std::vector{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2}));
}

TEST_F(LargeItemsTest, OfAFileThatBecomesShorter) {
    openItems(3);
    EXPECT_EQ(strc_supply_has(&supply, 3), 1);
    std::filesystem::resize_file(name, kInts * sizeof(int));
    std::vector<int> taken(static_cast<std::size_t>(3 * kInts));
    EXPECT_EQ(strc_supply_take(&supply, taken.data(), 3), -1);
    EXPECT_NE(takeMessages().find("[malformed-input]"), std::string::npos);
}

/// Many bytes of a file, by several threads.
class SharedReadingTest : public MainTest {
protected:
    SharedReadingTest() { strc_reading_threads = 3; }
    ~SharedReadingTest() override {
        strc_source_close(&source);
        strc_reading_threads = 1;
    }
    /// What one step gives of a file of so many bytes.
    std::string move(std::size_t count) {
        std::string to(count, '?');
        const std::int64_t got =
            strc_source_move(&source, reinterpret_cast<unsigned char*>(to.data()), count);
        EXPECT_GE(got, 0) << takeMessages();
        return to.substr(0, static_cast<std::size_t>(std::max<std::int64_t>(got, 0)));
    }
    std::string openBytes(std::size_t count) {
        std::string bytes(count, 0);
        for (std::size_t k = 0; k < count; ++k) bytes[k] = static_cast<char>(k * k >> 7);
        EXPECT_EQ(strc_source_open(&source, file("many", bytes).c_str(), kNowhere, {}), 0);
        return bytes;
    }
    strc_source source{};
};

TEST_F(SharedReadingTest, GivesAllInOneStep) {
    const std::string bytes = openBytes(3'000'001);
    EXPECT_TRUE(move(1'000'000) == bytes.substr(0, 1'000'000));
    EXPECT_TRUE(move(2'000'000) == bytes.substr(1'000'000, 2'000'000));
    EXPECT_EQ(source.taken, 3'000'000u);
    EXPECT_EQ(move(1'000'000), bytes.substr(3'000'000));
    EXPECT_EQ(move(1'000'000), "");
}

TEST_F(SharedReadingTest, StopsAtTheEnd) {
    const std::string bytes = openBytes(300'000);
    EXPECT_TRUE(move(1'000'000) == bytes);
    ASSERT_EQ(strc_source_seek(&source, 100'000), 1);
    EXPECT_TRUE(move(1'000'000) == bytes.substr(100'000));
}

using SinkTest = MainTest;

TEST_F(SinkTest, WritesAndOverwrites) {
    strc_sink sink;
    ASSERT_EQ(strc_sink_open(&sink, path("a").c_str(), kNowhere), 0);
    EXPECT_TRUE(sink.seekable);
    std::string large(100000, 'x');
    EXPECT_EQ(strc_sink_write(&sink, "head", 4), 0);
    EXPECT_EQ(strc_sink_write(&sink, large.data(), large.size()), 0);
    EXPECT_EQ(strc_sink_position(&sink), 100004u);
    EXPECT_EQ(strc_sink_flush(&sink), 0);
    EXPECT_EQ(strc_sink_overwrite(&sink, 1, "EA", 2), 0);
    EXPECT_EQ(strc_sink_close(&sink), 0);
    EXPECT_EQ(strc_sink_close(&sink), 0);
    EXPECT_EQ(contents(path("a")), "hEAd" + large);
}

TEST_F(SinkTest, GoesBack) {
    strc_sink sink;
    ASSERT_EQ(strc_sink_open(&sink, path("a").c_str(), kNowhere), 0);
    EXPECT_FALSE(strc_sink_can_go_back(&sink));  // the file has what it had before
    const std::string large(200000, 'x');
    EXPECT_EQ(strc_sink_write(&sink, large.data(), large.size()), 0);
    EXPECT_TRUE(strc_sink_can_go_back(&sink));
    EXPECT_EQ(strc_sink_write(&sink, "abc", 3), 0);
    EXPECT_EQ(strc_sink_go_back(&sink, large.size() + 1), 0);  // in the buffer
    EXPECT_EQ(strc_sink_write(&sink, large.data(), large.size()), 0);
    EXPECT_EQ(strc_sink_go_back(&sink, large.size() + 2), 0);
    EXPECT_EQ(strc_sink_position(&sink), large.size() + 2);
    EXPECT_EQ(strc_sink_write(&sink, "z", 1), 0);
    EXPECT_EQ(strc_sink_close(&sink), 0);
    EXPECT_EQ(contents(path("a")), large + "axz");
}

TEST_F(SinkTest, TellsWhatCannotBeWritten) {
    strc_sink sink;
    EXPECT_EQ(strc_sink_open(&sink, path("no/a").c_str(), kNowhere), -1);
    EXPECT_NE(takeMessages().find("No such file or directory [cannot-write-file]"),
              std::string::npos);
    ASSERT_EQ(strc_sink_open(&sink, "/dev/full", kNowhere), 0);
    EXPECT_EQ(strc_sink_write(&sink, "a", 1), -1);
    EXPECT_EQ(strc_sink_write(&sink, "a", 1), -1);
    EXPECT_EQ(strc_sink_close(&sink), -1);
    std::string told = takeMessages();
    EXPECT_NE(told.find("No space left on device"), std::string::npos);
    EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1);
}

using SourceTest = MainTest;

TEST_F(SourceTest, SkipsAndSeeks) {
    strc_source source;
    ASSERT_EQ(strc_source_open(&source, file("a", "0123456789").c_str(), kNowhere, {}), 0);
    EXPECT_EQ(source.size, 10u);
    EXPECT_EQ(strc_source_skip(&source, 4), 1);
    EXPECT_GE(strc_source_ask(&source, 2), 2);
    EXPECT_EQ(*strc_source_bytes(&source), '4');
    EXPECT_EQ(strc_source_skip(&source, 7), 0);
    EXPECT_EQ(strc_source_seek(&source, 9), 1);
    EXPECT_EQ(strc_source_ask(&source, 5), 1);
    EXPECT_EQ(*strc_source_bytes(&source), '9');
    strc_source_close(&source);
}

TEST_F(SourceTest, FoldersAreNoFiles) {
    strc_source source;
    EXPECT_EQ(strc_source_open(&source, folder.c_str(), kNowhere, {}), -1);
    EXPECT_NE(takeMessages().find("Is a directory [cannot-open-file]"), std::string::npos);
}

}  // namespace
}  // namespace strc::testing
