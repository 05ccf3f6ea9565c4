#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>

#include "unit/io/files.h"

namespace strc::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Raw : public Files {
protected:
    /// struct { bit flag; int count; boolean on; double weight; }
    const types::Type* mixed() {
        base::NameTable& table = names;
        const types::Type* type = types.structure(table.intern("Mixed"), {});
        auto& fields = type->structure->fields;
        fields.push_back({table.intern("flag"), types.bit(), 0, {}});
        fields.push_back({table.intern("count"), types.intType(), 0, {}});
        fields.push_back({table.intern("on"), types.boolean(), 0, {}});
        fields.push_back({table.intern("weight"), types.doubleType(), 0, {}});
        types.complete(*type->structure);
        return type;
    }
    base::NameTable names;
};

TEST(Formats, AreFoundByExtension) {
    EXPECT_EQ(formatOf("a/b.wav"), Format::Wav);
    EXPECT_EQ(formatOf("B.WAV"), Format::Wav);
    EXPECT_EQ(formatOf("x.npy"), Format::Npy);
    EXPECT_EQ(formatOf("x.csv"), Format::Csv);
    EXPECT_EQ(formatOf("x.txt"), Format::Csv);
    EXPECT_EQ(formatOf("x.png"), Format::Png);
    EXPECT_EQ(formatOf("x.ppm"), Format::Pgm);
    EXPECT_EQ(formatOf("x.raw"), Format::Raw);
    EXPECT_EQ(formatOf("-"), Format::Raw);
    EXPECT_EQ(formatOf("v1.2/pipe"), Format::Raw);
    EXPECT_EQ(formatOf(".hidden"), Format::Raw);
    EXPECT_EQ(formatOf("numbers.xyz"), std::nullopt);
}

TEST(Formats, HaveNames) {
    EXPECT_EQ(findFormat("text"), Format::Csv);
    EXPECT_EQ(findFormat("RAW"), Format::Raw);
    EXPECT_EQ(findFormat("mp3"), std::nullopt);
    EXPECT_EQ(name(Format::Wav), "WAV");
}

TEST_F(Raw, IntsAreLittleEndianWords) {
    file("in.raw", std::string("\x01\0\0\0\xff\xff\xff\xff\x00\x01\0\0", 12));
    auto in = reader(path("in.raw"), Format::Raw, types.intType());
    EXPECT_EQ(in->total(), 3u);
    EXPECT_THAT(rest<int>(*in), ElementsAre(1, -1, 256));
    EXPECT_TRUE(in->rewind());
    EXPECT_THAT(rest<int>(*in), ElementsAre(1, -1, 256));
}

TEST_F(Raw, AnIncompleteItemAtTheEndIsIgnored) {
    file("in.raw", std::string("\x01\0\0\0\x02\0\0", 7));
    EXPECT_EQ(reader(path("in.raw"), Format::Raw, types.intType())->total(), 1u);
    EXPECT_THAT(readAll<int>(path("in.raw"), Format::Raw, types.intType()), ElementsAre(1));
}

TEST_F(Raw, BitsArePackedMostSignificantFirst) {
    file("in.raw", "\xA1\x80");
    auto in = reader(path("in.raw"), Format::Raw, types.bit());
    EXPECT_EQ(in->total(), 16u);
    std::vector<char> bits = rest<char>(*in, 3);
    EXPECT_THAT(bits, ElementsAre(1, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0));
    EXPECT_TRUE(in->rewind());
    EXPECT_EQ(rest<char>(*in, 100), bits);
}

TEST_F(Raw, TheLastByteOfBitsIsFilledWithZeros) {
    writeAll<char>("out.raw", Format::Raw, types.bit(), {1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1});
    EXPECT_EQ(contents("out.raw"), "\xA1\xE0");
}

TEST_F(Raw, BooleansAreBytesOfZeroAndOne) {
    file("in.raw", std::string("\x00\x01\x07", 3));
    EXPECT_THAT(readAll<char>(path("in.raw"), Format::Raw, types.boolean()), ElementsAre(0, 1, 1));
    writeAll<char>("out.raw", Format::Raw, types.boolean(), {0, 1});
    EXPECT_EQ(contents("out.raw"), std::string("\x00\x01", 2));
}

TEST_F(Raw, ComplexIsTwoFloats) {
    std::vector<float> parts{1.5f, -2, 3, 4};
    writeAll<float>("out.raw", Format::Raw, types.complex(), parts);
    EXPECT_EQ(contents("out.raw"), bytesOf(parts));
    auto in = reader(path("out.raw"), Format::Raw, types.complex());
    EXPECT_EQ(in->total(), 2u);
}

TEST_F(Raw, ArraysAreTheirElements) {
    const types::Type* pair = types.array(types.floatType(), 2);
    writeAll<float>("out.raw", Format::Raw, pair, {1, 2, 3, 4});
    EXPECT_THAT(readAll<float>(path("out.raw"), Format::Raw, types.floatType()),
                ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(reader(path("out.raw"), Format::Raw, pair)->total(), 2u);
}

TEST_F(Raw, FieldsFollowEachOtherAndABitInsideIsAWord) {
    const types::Type* type = mixed();
    std::string bytes("\x01\0\0\0\x05\0\0\0\x01\0\0\0\0\0\0\xf8\x3f", 17);  // 1, 5, true, 1.5
    file("in.raw", bytes + bytes);
    auto size = static_cast<std::size_t>(types::sizeOf(type));
    auto in = reader(path("in.raw"), Format::Raw, type);
    EXPECT_EQ(in->total(), 2u);
    std::vector<std::byte> items(2 * size);
    auto got = in->read(items.data(), 2);
    ASSERT_TRUE(got);
    ASSERT_EQ(*got, 2u);
    int count = 0;
    std::memcpy(&count, &items[size + static_cast<std::size_t>(type->structure->fields[1].offset)],
                sizeof count);
    EXPECT_EQ(count, 5);
    writeAll<std::byte>("out.raw", Format::Raw, type, items);
    EXPECT_EQ(contents("out.raw"), bytes + bytes);
}

TEST_F(Raw, ArraysOfBitsAreWords) {
    const types::Type* type = types.array(types.bit(), 2);
    writeAll<char>("out.raw", Format::Raw, type, {1, 0});
    EXPECT_EQ(contents("out.raw"), std::string("\x01\0\0\0\0\0\0\0", 8));
    EXPECT_THAT(readAll<char>(path("out.raw"), Format::Raw, types.array(types.bit(), 1)),
                ElementsAre(1, 0));
}

TEST_F(Raw, WhatIsNoFileOfItemsIsRefusedInASentence) {
    const types::Type* item = types.intType();
    EXPECT_EQ(refusal(path("none"), Format::Raw, item),
              "cannot open '" + path("none") + "': No such file or directory");
    EXPECT_EQ(refusal(folder, Format::Raw, item), "cannot open '" + folder + "': Is a directory");
    EXPECT_EQ(refusal(file("empty", ""), Format::Raw, item),
              "input file '" + path("empty") + "' holds no items");
    EXPECT_EQ(refusal(file("short", "abc"), Format::Raw, item),
              "input file '" + path("short") + "' holds no items");
    EXPECT_EQ(reader(path("short"), Format::Raw, item)->rest().bytes, 3u);
    EXPECT_EQ(refusal("/dev/null", Format::Raw, item), "input file '/dev/null' holds no items");
    EXPECT_EQ(refusal("/dev/null", Format::Raw, types.bit()),
              "input file '/dev/null' holds no items");
    EXPECT_EQ(refusal(path("short"), Format::Raw, types.string()),
              "raw files cannot hold items of type 'String'");
}

TEST_F(Raw, FailuresAreRowsOfTheTable) {
    auto opened = openReader(path("none"), Format::Raw, types.intType());
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.failure().id, base::Diag::CannotOpenFile);
}

TEST_F(Raw, WhatCannotBeWrittenIsRefusedInASentence) {
    auto refused = openWriter(path("no/such/folder"), Format::Raw, types.intType());
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error(), HasSubstr("No such file or directory"));
    EXPECT_FALSE(openWriter(folder, Format::Raw, types.intType()));
    file("kept.wav", "kept");
    EXPECT_FALSE(openWriter(path("kept.wav"), Format::Wav, types.bit()));
    EXPECT_EQ(contents("kept.wav"), "kept") << "truncated although it is not going to be written";
}

TEST_F(Raw, AFullDiskIsReported) {
    auto out = openWriter("/dev/full", Format::Raw, types.intType());
    ASSERT_TRUE(out);
    std::vector<int> many(100'000);
    base::Status written = (*out)->write(reinterpret_cast<std::byte*>(many.data()), many.size());
    base::Status closed = (*out)->close();
    ASSERT_TRUE(!written || !closed);
    EXPECT_EQ((written ? closed : written).error(),
              "cannot write '/dev/full': No space left on device");
    EXPECT_FALSE((*out)->readerGone());
}

TEST_F(Raw, FlushedItemsAreInTheFile) {
    auto out = openWriter(path("out.raw"), Format::Raw, types.intType());
    ASSERT_TRUE(out);
    int one = 1;
    ASSERT_TRUE((*out)->write(reinterpret_cast<std::byte*>(&one), 1));
    EXPECT_EQ(contents("out.raw").size(), 0u);
    ASSERT_TRUE((*out)->flush());
    EXPECT_EQ(contents("out.raw").size(), 4u);
    ASSERT_TRUE((*out)->close());
}

// ---------------------------------------------------------------- pipes

class Pipes : public Files {
protected:
    Pipes() { EXPECT_EQ(mkfifo(path("pipe").c_str(), 0600), 0); }
    std::atomic<bool> waited = false;
    int waits = 0;
};

TEST_F(Pipes, AreAnsweredAsSoonAsAnItemIsThere) {
    std::thread writer([this] {
        int fd = open(path("pipe").c_str(), O_WRONLY);
        int first[] = {1, 2};
        EXPECT_EQ(write(fd, first, 6), 6);  // one item and a half
        while (!waited) std::this_thread::yield();
        EXPECT_EQ(write(fd, reinterpret_cast<char*>(first) + 6, 2), 2);
        close(fd);
    });
    auto in = openReader(path("pipe"), Format::Raw, types.intType(), [this] { ++waits; });
    ASSERT_TRUE(in);
    EXPECT_EQ((*in)->total(), std::nullopt);
    EXPECT_FALSE((*in)->rewind());
    int items[10];
    auto got = (*in)->read(reinterpret_cast<std::byte*>(items), 10);
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, 1u);
    waited = true;
    got = (*in)->read(reinterpret_cast<std::byte*>(items), 10);
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, 1u);
    EXPECT_EQ(items[0], 2);
    got = (*in)->read(reinterpret_cast<std::byte*>(items), 10);
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, 0u);
    writer.join();
}

TEST_F(Pipes, TellBeforeTheyWait) {
    int fd = open(path("pipe").c_str(), O_RDWR);  // holds the pipe open without writing
    int word = 5;
    auto in = openReader(path("pipe"), Format::Raw, types.intType(), [&] {
        ++waits;
        EXPECT_EQ(write(fd, &word, 4), 4);
    });
    ASSERT_TRUE(in);
    int item = 0;
    ASSERT_TRUE((*in)->read(reinterpret_cast<std::byte*>(&item), 1));
    EXPECT_EQ(item, 5);
    EXPECT_EQ(waits, 1);
    close(fd);
}

TEST_F(Pipes, WithoutReadersSayThatItIsGone) {
    signal(SIGPIPE, SIG_IGN);
    int fd = open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
    auto out = openWriter(path("pipe"), Format::Raw, types.intType());
    ASSERT_TRUE(out);
    close(fd);
    int word = 5;
    bool written = (*out)->write(reinterpret_cast<std::byte*>(&word), 1) && (*out)->flush();
    EXPECT_FALSE(written);
    EXPECT_TRUE((*out)->readerGone());
    EXPECT_TRUE((*out)->close());
}

TEST_F(Raw, WhatWasWrittenIsTakenBack) {
    auto opened = openWriter(path("out.raw"), Format::Raw, types.intType());
    ASSERT_TRUE(opened);
    ItemWriter& out = **opened;
    EXPECT_EQ(out.position(), std::nullopt) << "there may be something in the file yet";
    std::vector<std::int32_t> some(20'000, 1), more(30'000, 2), last(3, 3);
    auto write = [&](const std::vector<std::int32_t>& items) {
        EXPECT_TRUE(out.write(reinterpret_cast<const std::byte*>(items.data()), items.size()));
    };
    write(some);
    const std::optional<std::uint64_t> position = out.position();
    ASSERT_EQ(position, some.size() * sizeof(std::int32_t));
    write(more);
    EXPECT_TRUE(out.goBack(*position));
    write(last);
    EXPECT_TRUE(out.close());
    EXPECT_EQ(contents("out.raw"), bytesOf(some) + bytesOf(last));
}

}  // namespace
}  // namespace strc::io
