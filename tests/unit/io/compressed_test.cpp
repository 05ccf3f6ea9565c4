#include <cmath>

#include "io/tensors.h"
#include "types/builtin_streams.h"
#include "unit/io/files.h"

namespace strc::io {
namespace {

class Compressed : public Files {
protected:
    static std::vector<float> tone(int count) {
        std::vector<float> samples;
        for (int k = 0; k < count; ++k)
            samples.push_back(std::round(20000 * std::sin(0.1f * static_cast<float>(k))) / 32768);
        return samples;
    }
    StreamInfo stereo(int rate) const {
        StreamInfo info;
        info.channels = 2;
        info.sampleRate = rate;
        return info;
    }
};

TEST_F(Compressed, SoundsGoByTheName) {
    EXPECT_EQ(soundFormatOf("a.flac"), Format::Flac);
    EXPECT_EQ(soundFormatOf("a.OGA"), Format::Ogg);
    EXPECT_EQ(soundFormatOf("b/a.opus"), Format::Opus);
    EXPECT_EQ(soundFormatOf("a.raw"), Format::Wav);
    EXPECT_EQ(soundFormatOf("a.unknown"), Format::Wav);
    EXPECT_EQ(formatOf(types::BuiltinStream::WavReader, "a.ogg"), Format::Ogg);
    EXPECT_EQ(formatOf(types::BuiltinStream::FileReader, "a.ogg"), Format::Raw);
    EXPECT_TRUE(isSound(Format::Wav));
    EXPECT_FALSE(isSound(Format::Pcm));
}

TEST_F(Compressed, FlacStaysAsItIs) {
    const std::vector<float> samples = tone(50000);
    writeAll("a.flac", Format::Flac, types.floatType(), samples, stereo(44100));
    auto in = reader(path("a.flac"), Format::Flac, types.floatType());
    EXPECT_EQ(in->total(), 50000u);
    EXPECT_EQ(in->info().channels, 2);
    EXPECT_EQ(in->info().sampleRate, 44100);
    EXPECT_EQ(in->info().bits, 16);
    EXPECT_EQ(rest<float>(*in, 1000), samples);
    EXPECT_TRUE(in->rewind());
    EXPECT_EQ(rest<float>(*in), samples);
}

TEST_F(Compressed, OggKeepsTheLength) {
    const std::vector<float> samples = tone(48000);
    for (const Format format : {Format::Ogg, Format::Opus}) {
        writeAll("a", format, types.floatType(), samples, stereo(48000));
        auto in = reader(path("a"), format, types.floatType());
        EXPECT_EQ(in->total(), 48000u);
        const std::vector<float> back = rest<float>(*in, 1000);
        ASSERT_EQ(back.size(), samples.size());
        double wrong = 0, all = 0;
        for (std::size_t k = 0; k < back.size(); ++k) {
            wrong += std::pow(back[k] - samples[k], 2);
            all += std::pow(samples[k], 2);
        }
        EXPECT_LT(wrong, 0.1 * all);
    }
}

TEST_F(Compressed, WritersSayWhatTheyCannotWrite) {
    auto writer = openWriter(path("a.opus"), Format::Opus, types.floatType(), stereo(44100));
    ASSERT_FALSE(writer);
    EXPECT_NE(writer.error().find("8000, 12000, 16000, 24000 or 48000"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(path("a.opus")));
}

TEST_F(Compressed, ReadersSayWhatIsWrong) {
    auto opened = openReader(file("a.flac", "no sound"), Format::Flac, types.floatType());
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().find("is not a valid FLAC file: it does not begin as one"),
              std::string::npos);
}

}  // namespace
}  // namespace strc::io
