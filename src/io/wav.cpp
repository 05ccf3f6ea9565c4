// Sounds. libsndfile knows the sample formats; bytes go through Source and Sink, so that pipes work.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <sndfile.h>

#include "io/numbers.h"

namespace strc::io {

using base::Diag;
using base::Failure;
using base::Result;
using base::Status;
using types::TypeKind;

namespace {

constexpr std::uint64_t kHeaderLimit = 1 << 20;  ///< of a pipe, looked through for the header
constexpr sf_count_t kUnknownLength = 1ll << 40;  ///< what a pipe is said to be long
/// Programs that write to pipes say that there are as many samples as can be, or nearly.
constexpr std::uint64_t kToldOfPipes = 0x7FFF0000;
constexpr sf_count_t kFramesAtOnce = 1024;
constexpr sf_count_t kFramesAtOnceOfPipe = 256;  ///< fewer, to answer soon
constexpr std::uint64_t kSizeLimit = 0xFFFFFFFFull - 1024;  ///< sizes in headers have 32 bits
constexpr std::uint64_t kMostNaturalChannels = 8;  ///< a longer array is a piece of one channel
constexpr double kFullScale16 = 32768;

/// Samples that one number of an item takes.
std::size_t samplesOf(const Numbers& item) { return item.kind == TypeKind::Complex ? 2 : 1; }

/// Bits of a sample as integers see it; what is not stored as integers counts as 16 bits.
int bitsOf(int format) {
    switch (format & SF_FORMAT_SUBMASK) {
        case SF_FORMAT_PCM_S8:
        case SF_FORMAT_PCM_U8: return 8;
        case SF_FORMAT_PCM_24: return 24;
        case SF_FORMAT_PCM_32: return 32;
        default: return 16;
    }
}

bool isFloating(int format) {
    int sub = format & SF_FORMAT_SUBMASK;
    return sub == SF_FORMAT_FLOAT || sub == SF_FORMAT_DOUBLE;
}

std::int32_t toSample(double value, double scale) {
    double scaled = value * scale;
    if (scaled != scaled) return 0;
    return static_cast<std::int32_t>(std::lrint(std::clamp(scaled, -scale, scale - 1)));
}

// ---------------------------------------------------------------- reading

/// A Source as libsndfile wants it. A pipe cannot go back, so its beginning is kept while the
/// header is read; a look far ahead (for chunks behind the samples) sees the end of the file.
class SoundInput {
public:
    explicit SoundInput(std::unique_ptr<Source> opened) : source(std::move(opened)) {}

    SNDFILE* open(SF_INFO& info) {
        findEnd();
        SF_VIRTUAL_IO io{
            [](void* self) { return static_cast<SoundInput*>(self)->length(); },
            [](sf_count_t offset, int whence, void* self) {
                return static_cast<SoundInput*>(self)->seek(offset, whence);
            },
            [](void* to, sf_count_t count, void* self) {
                return static_cast<SoundInput*>(self)->read(to, count);
            },
            [](const void*, sf_count_t, void*) { return sf_count_t{0}; },
            [](void* self) {
                return static_cast<sf_count_t>(static_cast<SoundInput*>(self)->position);
            }};
        SNDFILE* file = sf_open_virtual(&io, SFM_READ, &info, this);
        opening = false;
        return file;
    }

    /// Bytes that the header tells of behind the end; of a pipe: as far as it has been read.
    std::uint64_t missing() const {
        const std::uint64_t there = source->size() ? *source->size() : source->position();
        return toldEnd > there ? toldEnd - there : 0;
    }

    std::unique_ptr<Source> source;
    std::optional<Failure> failure;

private:
    /// Where the samples end, as the header says; nowhere if it says only that there are very many.
    void findEnd() {
        unsigned char bytes[12];
        auto number = [&](const unsigned char* at) {
            return std::uint64_t{at[0]} | std::uint64_t{at[1]} << 8 | std::uint64_t{at[2]} << 16 |
                   std::uint64_t{at[3]} << 24;
        };
        bool isWav = read(bytes, 12) == 12 && std::memcmp(bytes, "RIFF", 4) == 0 &&
                     std::memcmp(bytes + 8, "WAVE", 4) == 0;
        while (isWav && read(bytes, 8) == 8) {
            const std::uint64_t size = number(bytes + 4);
            if (std::memcmp(bytes, "data", 4) == 0) {
                if (size < kToldOfPipes) toldEnd = position + size;
                break;
            }
            position += size + size % 2;
        }
        position = 0;
    }

    sf_count_t length() const {
        return source->size() ? static_cast<sf_count_t>(*source->size()) : kUnknownLength;
    }

    sf_count_t seek(sf_count_t offset, int whence) {
        sf_count_t from = whence == SEEK_SET   ? 0
                          : whence == SEEK_CUR ? static_cast<sf_count_t>(position)
                                               : length();
        if (from + offset < 0) return -1;
        position = static_cast<std::uint64_t>(from + offset);
        return static_cast<sf_count_t>(position);
    }

    /// At least one byte at `position` in the buffer of the source; false: there is none.
    bool reach() {
        if (source->position() != position) {
            if (source->size()) {
                if (!source->seek(position)) return false;
            } else if (position < source->position() ||
                       position - source->position() > kHeaderLimit) {
                return false;
            } else if (!keep(position - source->position())) {
                return false;
            }
        }
        auto bytes = source->ask(1);
        if (!bytes) failure = bytes.failure();
        return bytes && !bytes->empty();
    }

    /// Takes bytes of the source, keeping them while the header is read.
    bool keep(std::uint64_t count) {
        while (count > 0) {
            auto bytes = source->ask(1);
            if (!bytes) failure = bytes.failure();
            if (!bytes || bytes->empty()) return false;
            std::size_t step =
                static_cast<std::size_t>(std::min<std::uint64_t>(count, bytes->size()));
            if (opening && !source->size())
                head.insert(head.end(), bytes->begin(), bytes->begin() + step);
            source->take(step);
            count -= step;
        }
        return true;
    }

    sf_count_t read(void* to, sf_count_t count) {
        auto* bytes = static_cast<std::byte*>(to);
        sf_count_t done = 0;
        while (done < count) {
            auto left = static_cast<std::size_t>(count - done);
            std::size_t step = 0;
            if (position < head.size()) {
                step = std::min<std::size_t>(left, head.size() - position);
                std::memcpy(bytes + done, head.data() + position, step);
            } else {
                if (!reach()) break;
                step = std::min(left, source->buffered().size());
                std::memcpy(bytes + done, source->buffered().data(), step);
                keep(step);
            }
            done += static_cast<sf_count_t>(step);
            position += step;
        }
        return done;
    }

    std::vector<std::byte> head;
    std::uint64_t position = 0;
    std::uint64_t toldEnd = 0;
    bool opening = true;
};

class WavReader : public NumberReader {
public:
    WavReader(std::unique_ptr<SoundInput> bytes, SNDFILE* opened, const SF_INFO& about,
              Numbers kind)
        : NumberReader(nullptr, kind), input(std::move(bytes)), file(opened), sound(about) {
        // Whether the file is a pipe decides how much is read at once.
        sf_count_t frames = input->source->size() ? kFramesAtOnce : kFramesAtOnceOfPipe;
        auto samples = static_cast<std::size_t>(frames * sound.channels);
        if (asIntegers())
            integers.resize(samples);
        else
            reals.resize(samples);
    }
    ~WavReader() override { sf_close(file); }
    WavReader(const WavReader&) = delete;
    WavReader& operator=(const WavReader&) = delete;

    bool rewind() override {
        if (!input->source->size() || sf_seek(file, 0, SEEK_SET) < 0) return false;
        first = last = 0;
        forgetPart();
        return true;
    }

    std::optional<std::uint64_t> total() const override {
        if (!input->source->size()) return std::nullopt;
        auto samples =
            static_cast<std::uint64_t>(sound.frames) * static_cast<std::uint64_t>(sound.channels);
        return samples / (item.count * samplesOf(item));
    }

    std::uint64_t missing() const override { return input->missing(); }

    StreamInfo info() const override {
        StreamInfo info;
        info.channels = sound.channels;
        info.sampleRate = sound.samplerate;
        info.floating = isFloating(sound.format);
        info.bits = info.floating ? (sound.format & SF_FORMAT_SUBMASK) == SF_FORMAT_DOUBLE ? 64 : 32
                                  : bitsOf(sound.format);
        return info;
    }

protected:
    const Source& in() const override { return *input->source; }

    Result<std::size_t> readNumbers(std::byte* to, std::size_t count) override {
        std::size_t perNumber = samplesOf(item);
        std::size_t done = 0;
        while (done == 0 && count > 0) {
            if (last - first < perNumber && !fill()) {
                if (input->failure) return *input->failure;
                return std::size_t{0};
            }
            for (; done < count && last - first >= perNumber; ++done, first += perNumber)
                put(to + done * item.size);
        }
        return done;
    }

private:
    bool asIntegers() const { return item.kind == TypeKind::Int && !isFloating(sound.format); }

    bool fill() {
        std::size_t left = last - first;
        auto keepRest = [&](auto& samples) {
            std::copy(samples.begin() + static_cast<std::ptrdiff_t>(first),
                      samples.begin() + static_cast<std::ptrdiff_t>(last), samples.begin());
        };
        asIntegers() ? keepRest(integers) : keepRest(reals);
        sf_count_t room = static_cast<sf_count_t>(std::max(integers.size(), reals.size()) - left) /
                          sound.channels;
        sf_count_t got = asIntegers() ? sf_readf_int(file, integers.data() + left, room)
                                      : sf_readf_double(file, reals.data() + left, room);
        first = 0;
        last = left + static_cast<std::size_t>(std::max<sf_count_t>(got, 0) * sound.channels);
        return last > left;
    }

    void put(std::byte* to) const {
        if (asIntegers()) {
            std::int32_t sample = integers[first] >> (32 - bitsOf(sound.format));
            std::memcpy(to, &sample, sizeof sample);
        } else if (item.kind == TypeKind::Int) {
            std::int32_t sample = toSample(reals[first], kFullScale16);
            std::memcpy(to, &sample, sizeof sample);
        } else {
            Number number = ofReal(reals[first]);
            if (item.kind == TypeKind::Complex) number.imag = reals[first + 1];
            store(number, item.kind, to);
        }
    }

    std::unique_ptr<SoundInput> input;
    SNDFILE* file;
    SF_INFO sound;
    std::vector<int> integers;
    std::vector<double> reals;
    std::size_t first = 0;
    std::size_t last = 0;
};

// ---------------------------------------------------------------- writing

/// A Sink as libsndfile wants it. Into a pipe the header goes with the greatest sizes there are, as
/// other programs do, for it cannot be corrected at the end.
class SoundOutput {
public:
    explicit SoundOutput(std::unique_ptr<Sink> opened) : sink(std::move(opened)) {}

    SNDFILE* open(SF_INFO& info) {
        SF_VIRTUAL_IO io{
            [](void* self) { return static_cast<SoundOutput*>(self)->length(); },
            [](sf_count_t offset, int whence, void* self) {
                return static_cast<SoundOutput*>(self)->seek(offset, whence);
            },
            [](void*, sf_count_t, void*) { return sf_count_t{0}; },
            [](const void* from, sf_count_t count, void* self) {
                return static_cast<SoundOutput*>(self)->write(from,
                                                              static_cast<std::size_t>(count));
            },
            [](void* self) {
                return static_cast<sf_count_t>(static_cast<SoundOutput*>(self)->position);
            }};
        SNDFILE* file = sf_open_virtual(&io, SFM_WRITE, &info, this);
        // Greatest samples would be noted in the header, and so it would have to be corrected.
        if (file) sf_command(file, SFC_SET_ADD_PEAK_CHUNK, nullptr, SF_FALSE);
        start();
        return file;
    }

    /// After a failure and when libsndfile has closed the file, whose header tells of all frames that were to be written:
    /// it ends behind the last one that is whole, to an even number of bytes.
    void cutToFrames(std::size_t frameSize) {
        const std::uint64_t frames = sink->cutToItems(header.size(), frameSize);
        const std::uint64_t data = frames * frameSize;
        if (data % 2 != 0) sink->cut(header.size() + data + 1);
        putSize(kRiffSize, header.size() - kRiffSize - 4 + data + data % 2);
        if (std::memcmp(&header[kFact], "fact", 4) == 0) putSize(kFact + 8, frames);
        putSize(header.size() - 4, data);
        Status status = sink->overwrite(0, header.data(), header.size());
        if (!status && !failure) failure = status.failure();
    }

    std::unique_ptr<Sink> sink;
    std::optional<Failure> failure;
    bool isLeft = false;  ///< nothing is to be written any more, whatever libsndfile does to close

private:
    sf_count_t length() const {
        return static_cast<sf_count_t>(started ? sink->position() : header.size());
    }

    sf_count_t seek(sf_count_t offset, int whence) {
        sf_count_t from = whence == SEEK_SET   ? 0
                          : whence == SEEK_CUR ? static_cast<sf_count_t>(position)
                                               : length();
        position = static_cast<std::uint64_t>(from + offset);
        return static_cast<sf_count_t>(position);
    }

    sf_count_t write(const void* from, std::size_t count) {
        Status status = base::ok();
        if (isLeft) {
            // as it was
        } else if (!started) {
            const char* bytes = static_cast<const char*>(from);
            header.resize(std::max<std::size_t>(header.size(), position + count));
            std::copy(bytes, bytes + count, header.begin() + static_cast<std::ptrdiff_t>(position));
        } else if (position == sink->position()) {
            status = sink->write(from, count);
        } else if (sink->seekable()) {
            status = sink->failed() ? base::ok() : sink->flush();
            if (status) status = sink->overwrite(position, from, count);
        }
        if (!status) {
            if (!failure) failure = status.failure();
            return 0;
        }
        position += count;
        return static_cast<sf_count_t>(count);
    }

    /// Writes the header, which ends with the name and the size of the data chunk.
    void start() {
        started = true;
        std::size_t size = header.size();
        if (!sink->seekable() && size > 8 && std::memcmp(&header[size - 8], "data", 4) == 0) {
            std::fill(header.begin() + 4, header.begin() + 8, '\xff');
            std::fill(header.end() - 4, header.end(), '\xff');
        }
        Status status = sink->write(header.data(), size);
        if (!status) failure = status.failure();
    }

    static constexpr std::size_t kRiffSize = 4;
    static constexpr std::size_t kFact = 36;  ///< where that chunk is, if there is one

    void putSize(std::size_t at, std::uint64_t size) {
        for (std::size_t k = 0; k < 4; ++k)
            header[at + k] = static_cast<char>(size >> (8 * k) & 0xff);
    }

    std::vector<char> header;  ///< as it was written first
    bool started = false;
    std::uint64_t position = 0;
};

class WavWriter : public ItemWriter {
public:
    WavWriter(std::unique_ptr<SoundOutput> bytes, SNDFILE* opened, const SF_INFO& about,
              Numbers kind)
        : output(std::move(bytes)), file(opened), sound(about), item(kind) {}
    ~WavWriter() override {
        output->isLeft = true;
        if (file) sf_close(file);
    }
    WavWriter(const WavWriter&) = delete;
    WavWriter& operator=(const WavWriter&) = delete;

    Status write(const std::byte* from, std::size_t count) override {
        std::uint64_t numbers = count * item.count;
        for (std::uint64_t i = 0; i < numbers; ++i) {
            Number number = load(item.kind, from + i * item.size);
            frame.push_back(number.real);
            if (item.kind == TypeKind::Complex) frame.push_back(number.imag);
            if (frame.size() >= static_cast<std::size_t>(kFramesAtOnce * sound.channels)) {
                Status put = putFrames();
                if (!put) return put;
            }
        }
        return base::ok();
    }

    Status flush() override {
        Status put = putFrames();
        if (!put) return put;
        if (output->sink->seekable()) sf_command(file, SFC_UPDATE_HEADER_NOW, nullptr, 0);
        return result(output->sink->flush());
    }

    /// The last frame is filled up with silence.
    Status close() override {
        auto channels = static_cast<std::size_t>(sound.channels);
        frame.resize((frame.size() + channels - 1) / channels * channels);
        Status put = output->sink->failed() ? base::ok() : putFrames();
        Status flushed = output->sink->flush();
        sf_close(std::exchange(file, nullptr));
        if (output->sink->failed() && output->sink->seekable())
            output->cutToFrames(sampleSize() * channels);
        Status closed = result(output->sink->close());
        return !put ? put : flushed ? closed : flushed;
    }

    bool readerGone() const override { return output->sink->readerGone(); }
    Clipped clipped() const override { return {beyond, output->sink->name()}; }

private:
    /// Bytes in the file.
    std::size_t sampleSize() const {
        const int sub = sound.format & SF_FORMAT_SUBMASK;
        if (sub == SF_FORMAT_DOUBLE) return 8;
        return sub == SF_FORMAT_FLOAT ? 4 : static_cast<std::size_t>(bitsOf(sound.format)) / 8;
    }

    Status result(Status other) const {
        if (output->failure) return *output->failure;
        return other;
    }

    Status putFrames() {
        auto channels = static_cast<std::size_t>(sound.channels);
        auto frames = static_cast<sf_count_t>(frame.size() / channels);
        std::size_t samples = static_cast<std::size_t>(frames) * channels;
        if (output->sink->position() + samples * 8 > kSizeLimit && output->sink->seekable())
            return base::failure(Diag::CannotWriteFile,
                                 {output->sink->name(), "WAV files end at 4 gigabytes"});
        if (isFloating(sound.format)) {
            if (item.kind == TypeKind::Int)
                for (double& sample : frame) sample /= kFullScale16;
            sf_writef_double(file, frame.data(), frames);
        } else {
            integers.resize(samples);
            for (std::size_t i = 0; i < samples; ++i) integers[i] = encode(frame[i]);
            sf_writef_int(file, integers.data(), frames);
        }
        frame.erase(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(samples));
        return result(base::ok());
    }

    /// As libsndfile wants it: the greatest sample is the greatest int.
    int encode(double value) {
        int bits = bitsOf(sound.format);
        double scale = std::ldexp(1.0, bits - 1);
        double fraction = item.kind == TypeKind::Int ? value / scale : value;
        if (isBeyond(fraction * scale, scale, item.kind)) ++beyond;
        return static_cast<int>(static_cast<unsigned>(toSample(fraction, scale)) << (32 - bits));
    }

    std::unique_ptr<SoundOutput> output;
    SNDFILE* file;
    SF_INFO sound;
    Numbers item;
    std::vector<double> frame;
    std::vector<int> integers;
    std::uint64_t beyond = 0;
};

int sampleFormat(const StreamInfo& info) {
    if (info.floating) return info.bits == 64 ? SF_FORMAT_DOUBLE : SF_FORMAT_FLOAT;
    switch (info.bits) {
        case 8: return SF_FORMAT_PCM_U8;
        case 24: return SF_FORMAT_PCM_24;
        case 32: return SF_FORMAT_PCM_32;
        default: return SF_FORMAT_PCM_16;
    }
}

}  // namespace

Result<std::unique_ptr<ItemReader>> openWavReader(std::unique_ptr<Source> source,
                                                  const types::Type* item) {
    auto input = std::make_unique<SoundInput>(std::move(source));
    SF_INFO sound{};
    SNDFILE* file = input->open(sound);
    if (input->failure) {
        if (file) sf_close(file);
        return *input->failure;
    }
    if (!file) {
        std::string reason = sf_strerror(nullptr);
        if (reason.ends_with('.')) reason.pop_back();
        if (reason.starts_with("Error : ")) reason.erase(0, 8);
        return input->source->malformed(name(Format::Wav), reason);
    }
    return std::make_unique<WavReader>(std::move(input), file, sound, *numbersOf(item));
}

Result<std::unique_ptr<ItemWriter>> openWavWriter(std::unique_ptr<Sink> sink,
                                                  const types::Type* item, const StreamInfo& info) {
    Numbers numbers = *numbersOf(item);
    std::uint64_t samples = numbers.count * samplesOf(numbers);
    int natural = samples <= kMostNaturalChannels ? static_cast<int>(samples) : 1;
    SF_INFO sound{};
    sound.samplerate = info.sampleRate > 0 ? info.sampleRate : 44100;
    sound.channels = info.channels > 0 ? info.channels : natural;
    sound.format = SF_FORMAT_WAV | sampleFormat(info);
    auto output = std::make_unique<SoundOutput>(std::move(sink));
    SNDFILE* file = output->open(sound);
    if (output->failure) return *output->failure;
    if (!file) {
        std::string reason = sf_strerror(nullptr);
        return base::failure(Diag::CannotWriteFile, {output->sink->name(), reason});
    }
    return std::make_unique<WavWriter>(std::move(output), file, sound, numbers);
}

}  // namespace strc::io
