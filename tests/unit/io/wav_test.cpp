#include <cmath>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>

#include "unit/io/files.h"

namespace strc::io {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;
using testing::StartsWith;

template <typename T>
std::string word(T value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A file as its format says, made here.
std::string wav(int channels, int rate, int bits, int code, const std::string& data,
                const std::string& before = "") {
    int frame = channels * bits / 8;
    std::string format = word<std::uint16_t>(code) + word<std::uint16_t>(channels) + word(rate) +
                         word(rate * frame) + word<std::uint16_t>(frame) +
                         word<std::uint16_t>(bits);
    std::string body = "WAVEfmt " + word<std::uint32_t>(16) + format + before + "data" +
                       word(static_cast<std::uint32_t>(data.size())) + data;
    return "RIFF" + word(static_cast<std::uint32_t>(body.size())) + body;
}

class Wav : public Files {
protected:
    static std::string samples16() {
        return bytesOf<std::int16_t>({0, 16384, -32768, 32767, 1, -1});
    }
};

TEST_F(Wav, SamplesAreFloatsBelowOne) {
    file("in.wav", wav(1, 8000, 16, 1, samples16()));
    auto in = reader(path("in.wav"), Format::Wav, types.floatType());
    EXPECT_EQ(in->total(), 6u);
    EXPECT_EQ(in->info().channels, 1);
    EXPECT_EQ(in->info().sampleRate, 8000);
    EXPECT_EQ(in->info().bits, 16);
    std::vector<float> items = rest<float>(*in);
    EXPECT_THAT(items, ElementsAre(0, 0.5f, -1, 32767 / 32768.0f, 1 / 32768.0f, -1 / 32768.0f));
    EXPECT_TRUE(in->rewind());
    EXPECT_EQ(rest<float>(*in, 4), items);
}

TEST_F(Wav, IntsAreAsStored) {
    file("in.wav", wav(1, 8000, 16, 1, samples16()));
    EXPECT_THAT(readAll<int>(path("in.wav"), Format::Wav, types.intType()),
                ElementsAre(0, 16384, -32768, 32767, 1, -1));
    file("24.wav", wav(1, 8000, 24, 1, std::string("\x01\0\0\xff\xff\xff\0\0\x80", 9)));
    EXPECT_THAT(readAll<int>(path("24.wav"), Format::Wav, types.intType()),
                ElementsAre(1, -1, -8388608));
    file("8.wav", wav(1, 8000, 8, 1, std::string("\x80\xff\x00", 3)));
    EXPECT_THAT(readAll<int>(path("8.wav"), Format::Wav, types.intType()),
                ElementsAre(0, 127, -128));
    file("32.wav", wav(1, 8000, 32, 1, bytesOf<int>({5, -2147483647})));
    EXPECT_THAT(readAll<int>(path("32.wav"), Format::Wav, types.intType()),
                ElementsAre(5, -2147483647));
    file("float.wav", wav(1, 8000, 32, 3, bytesOf<float>({0.5f, -1, 2})));
    EXPECT_THAT(readAll<int>(path("float.wav"), Format::Wav, types.intType()),
                ElementsAre(16384, -32768, 32767));
}

TEST_F(Wav, ChannelsAreInterleaved) {
    file("in.wav", wav(2, 44100, 16, 1, samples16()));
    EXPECT_THAT(readAll<int>(path("in.wav"), Format::Wav, types.intType()),
                ElementsAre(0, 16384, -32768, 32767, 1, -1));
    auto pairs = reader(path("in.wav"), Format::Wav, types.array(types.intType(), 2));
    EXPECT_EQ(pairs->total(), 3u);
    EXPECT_EQ(pairs->info().channels, 2);
    int items[4];
    auto got = pairs->read(reinterpret_cast<std::byte*>(items), 2);
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, 2u);
    EXPECT_THAT(items, ElementsAre(0, 16384, -32768, 32767));
}

TEST_F(Wav, ComplexItemsAreTwoChannels) {
    file("in.wav", wav(2, 64000, 32, 3, bytesOf<float>({1, 2, 3, 4})));
    auto in = reader(path("in.wav"), Format::Wav, types.complex());
    EXPECT_EQ(in->total(), 2u);
    EXPECT_TRUE(in->info().floating);
    float items[4];
    ASSERT_TRUE(in->read(reinterpret_cast<std::byte*>(items), 2));
    EXPECT_THAT(items, ElementsAre(1, 2, 3, 4));
    writeAll<float>("out.wav", Format::Wav, types.complex(), {0.5f, -0.5f});
    EXPECT_EQ(reader(path("out.wav"), Format::Wav, types.floatType())->info().channels, 2);
}

TEST_F(Wav, LongFilesComeInPieces) {
    std::vector<std::int16_t> samples(10'001);
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::int16_t>(i);
    file("in.wav", wav(1, 8000, 16, 1, bytesOf(samples)));
    std::vector<int> items = readAll<int>(path("in.wav"), Format::Wav, types.intType());
    ASSERT_EQ(items.size(), samples.size());
    EXPECT_EQ(items.back(), 10'000);
}

TEST_F(Wav, WhatIsReadIsWrittenBack) {
    std::vector<float> items{0, 0.5f, -1, 32767 / 32768.0f, 1 / 32768.0f};
    writeAll("out.wav", Format::Wav, types.floatType(), items, {.sampleRate = 8000});
    EXPECT_EQ(readAll<float>(path("out.wav"), Format::Wav, types.floatType()), items);
    auto in = reader(path("out.wav"), Format::Wav, types.floatType());
    EXPECT_EQ(in->info().sampleRate, 8000);
    EXPECT_EQ(in->info().bits, 16);
    EXPECT_EQ(contents("out.wav"),
              wav(1, 8000, 16, 1, bytesOf<std::int16_t>({0, 16384, -32768, 32767, 1})));
}

TEST_F(Wav, LouderThanFullIsClipped) {
    writeAll<float>("out.wav", Format::Wav, types.floatType(), {2, -2, NAN});
    EXPECT_THAT(readAll<int>(path("out.wav"), Format::Wav, types.intType()),
                ElementsAre(32767, -32768, 0));
    writeAll<int>("int.wav", Format::Wav, types.intType(), {40'000, -40'000, 7});
    EXPECT_THAT(readAll<int>(path("int.wav"), Format::Wav, types.intType()),
                ElementsAre(32767, -32768, 7));
}

TEST_F(Wav, WritesEverySampleFormat) {
    for (int bits : {8, 16, 24, 32}) {
        writeAll<int>("out.wav", Format::Wav, types.intType(), {1, -2, 100}, {.bits = bits});
        EXPECT_THAT(readAll<int>(path("out.wav"), Format::Wav, types.intType()),
                    ElementsAre(1, -2, 100))
            << bits;
        EXPECT_EQ(reader(path("out.wav"), Format::Wav, types.intType())->info().bits, bits);
    }
    for (int bits : {32, 64}) {
        writeAll<double>("out.wav", Format::Wav, types.doubleType(), {1.75, -2},
                         {.bits = bits, .floating = true});
        EXPECT_THAT(readAll<double>(path("out.wav"), Format::Wav, types.doubleType()),
                    ElementsAre(1.75, -2));
        EXPECT_EQ(reader(path("out.wav"), Format::Wav, types.intType())->info().bits, bits);
    }
    writeAll<int>("out.wav", Format::Wav, types.intType(), {16384}, {.bits = 32, .floating = true});
    EXPECT_THAT(readAll<float>(path("out.wav"), Format::Wav, types.floatType()), ElementsAre(0.5f));
}

TEST_F(Wav, AnArrayOfAFewNumbersIsAFrameAndALongOneIsNot) {
    writeAll<float>("stereo.wav", Format::Wav, types.array(types.floatType(), 2),
                    {0, 0.5f, 0.25f, 0});
    EXPECT_EQ(reader(path("stereo.wav"), Format::Wav, types.floatType())->info().channels, 2);
    writeAll<float>("block.wav", Format::Wav, types.array(types.floatType(), 64),
                    std::vector<float>(64));
    EXPECT_EQ(reader(path("block.wav"), Format::Wav, types.floatType())->info().channels, 1);
}

TEST_F(Wav, AnIncompleteFrameIsFilledWithSilence) {
    writeAll<int>("out.wav", Format::Wav, types.intType(), {1, 2, 3}, {.channels = 2});
    EXPECT_THAT(readAll<int>(path("out.wav"), Format::Wav, types.intType()),
                ElementsAre(1, 2, 3, 0));
}

TEST_F(Wav, AFlushedFileIsComplete) {
    auto out = openWriter(path("out.wav"), Format::Wav, types.intType());
    ASSERT_TRUE(out);
    int items[] = {1, 2};
    ASSERT_TRUE((*out)->write(reinterpret_cast<std::byte*>(items), 2));
    ASSERT_TRUE((*out)->flush());
    EXPECT_THAT(readAll<int>(path("out.wav"), Format::Wav, types.intType()), ElementsAre(1, 2));
    ASSERT_TRUE((*out)->write(reinterpret_cast<std::byte*>(items), 2));
    ASSERT_TRUE((*out)->close());
    EXPECT_THAT(readAll<int>(path("out.wav"), Format::Wav, types.intType()),
                ElementsAre(1, 2, 1, 2));
}

TEST_F(Wav, WhatIsNoSoundIsRefused) {
    std::string start = "'" + path("in.wav") + "' is not a valid WAV file: ";
    for (std::string text :
         {std::string("hello"), wav(1, 8000, 16, 1, "").substr(0, 20), std::string(100, 'x')}) {
        file("in.wav", text);
        EXPECT_THAT(refusal(path("in.wav"), Format::Wav, types.floatType()), StartsWith(start));
    }
    file("in.wav", wav(1, 8000, 16, 1, ""));
    EXPECT_EQ(refusal(path("in.wav"), Format::Wav, types.floatType()),
              "input file '" + path("in.wav") + "' holds no items");
    EXPECT_EQ(refusal(path("in.wav"), Format::Wav, types.bit()),
              "WAV files cannot hold items of type 'bit'");
}

TEST_F(Wav, ImpossibleSoundsAreRefused) {
    auto out = openWriter(path("out.wav"), Format::Wav, types.intType(), {.channels = 5000});
    ASSERT_FALSE(out);
    EXPECT_THAT(out.error(), StartsWith("cannot write '" + path("out.wav")));
}

// ---------------------------------------------------------------- pipes

class WavPipes : public Wav {
protected:
    WavPipes() { EXPECT_EQ(mkfifo(path("pipe").c_str(), 0600), 0); }

    std::string through(const std::function<void()>& writer) const {
        std::thread other(writer);
        std::string all = contents("pipe");
        other.join();
        return all;
    }
};

TEST_F(WavPipes, AreReadAsFiles) {
    std::string extra = "LIST" + word<std::uint32_t>(300) + std::string(300, 'x');
    for (bool known : {true, false}) {
        std::string bytes = wav(1, 8000, 16, 1, samples16(), extra);
        std::size_t sizeAt = bytes.size() - samples16().size() - 4;
        if (!known) bytes.replace(4, 4, "\xff\xff\xff\xff").replace(sizeAt, 4, "\xff\xff\xff\xff");
        std::thread writer([&] {
            int fd = open(path("pipe").c_str(), O_WRONLY);
            for (char c : bytes) EXPECT_EQ(write(fd, &c, 1), 1);
            close(fd);
        });
        auto in = reader(path("pipe"), Format::Wav, types.intType());
        ASSERT_TRUE(in);
        EXPECT_EQ(in->total(), std::nullopt);
        EXPECT_FALSE(in->rewind());
        EXPECT_THAT(rest<int>(*in), ElementsAre(0, 16384, -32768, 32767, 1, -1));
        writer.join();
    }
}

TEST_F(WavPipes, AreWrittenWithUnknownSizes) {
    std::string got =
        through([&] { writeAll<int>("pipe", Format::Wav, types.intType(), {1, 2, 3}); });
    EXPECT_EQ(got.size(), 44u + 6);
    EXPECT_EQ(got.substr(4, 4), "\xff\xff\xff\xff");
    EXPECT_EQ(got.substr(36, 8), "data\xff\xff\xff\xff");
    EXPECT_EQ(got.substr(44), bytesOf<std::int16_t>({1, 2, 3}));
}

TEST_F(WavPipes, FloatsHaveNoHeaderToCorrect) {
    StreamInfo info{.bits = 32, .floating = true};
    std::string got =
        through([&] { writeAll<float>("pipe", Format::Wav, types.floatType(), {1, 2, 3}, info); });
    EXPECT_THAT(got, HasSubstr("data\xff\xff\xff\xff" + bytesOf<float>({1, 2, 3})));
}

}  // namespace
}  // namespace strc::io
