// Sounds: WAV files, whose headers runtime/src/wav_header.c reads and writes, and samples without a header.
#include "strc/sounds.h"

#include <algorithm>
#include <array>

#include "io/numbers.h"

namespace strc::io {

using base::Diag;
using base::Result;
using base::Status;
using types::TypeKind;

namespace {

constexpr std::uint64_t kUnknown = UINT64_MAX;

std::uint64_t samplesOfNumber(const Numbers& item) {
    return item.kind == TypeKind::Complex ? 2 : 1;
}
std::uint64_t samplesOf(const Numbers& item) { return item.count * samplesOfNumber(item); }

const unsigned char* bytesAt(const std::byte* at) {
    return reinterpret_cast<const unsigned char*>(at);
}

// ---------------------------------------------------------------- reading

/// What a header says of samples, or the name of a format that has none.
struct Sound {
    strc_sample sample{};
    std::uint64_t start = 0;  ///< of the samples in the file
    std::uint64_t samples = kUnknown;  ///< in all; kUnknown: until the end of the pipe
    std::uint64_t end = 0;  ///< of the samples, as the header says; 0: it does not
    StreamInfo info = {};
};

class SoundReader final : public NumberReader {
public:
    SoundReader(std::unique_ptr<Source> opened, Numbers kind, const Sound& about)
        : NumberReader(std::move(opened), kind), sound(about), left(about.samples) {}

    bool rewind() override {
        if (!source->seek(sound.start)) return false;
        left = sound.samples;
        forgetPart();
        return true;
    }

    std::optional<std::uint64_t> total() const override {
        if (!source->size()) return std::nullopt;
        return sound.samples / samplesOf(item);
    }

    std::uint64_t missing() const override {
        const std::optional<std::uint64_t> there = source->size() ? source->size() : reached;
        return there && sound.end > *there ? sound.end - *there : 0;
    }

    /// A header tells of what is missing instead.
    Rest rest() const override {
        if (sound.info.sampleRate != 0) return {};
        const std::uint64_t size = samplesOf(item) * sound.sample.size;
        if (source->size()) return {*source->size() % size, size};
        const std::uint64_t there = source->position() + source->buffered().size();
        return {source->atEnd() ? there % size : 0, size};
    }

    StreamInfo info() const override { return sound.info; }

protected:
    Result<std::size_t> readNumbers(std::byte* to, std::size_t count) override {
        const std::uint64_t perNumber = samplesOfNumber(item);
        const std::size_t size = sound.sample.size * static_cast<std::size_t>(perNumber);
        if (left < perNumber) return std::size_t{0};
        auto bytes = source->ask(size);
        if (!bytes) return bytes.failure();
        if (bytes->size() < size) reached = source->position() + bytes->size();
        const std::size_t numbers = static_cast<std::size_t>(
            std::min<std::uint64_t>({bytes->size() / size, count, left / perNumber}));
        for (std::size_t k = 0; k < numbers; ++k)
            put(bytesAt(bytes->data()) + k * size, to + k * item.size);
        source->take(numbers * size);
        if (left != kUnknown) left -= numbers * perNumber;
        return numbers;
    }

private:
    void put(const unsigned char* from, std::byte* to) const {
        if (item.kind == TypeKind::Int) {
            store(ofInteger(strc_sample_integer(sound.sample, from)), item.kind, to);
            return;
        }
        Number number = ofReal(strc_sample_real(sound.sample, from));
        if (item.kind == TypeKind::Complex)
            number.imag = strc_sample_real(sound.sample, from + sound.sample.size);
        store(number, item.kind, to);
    }

    Sound sound;
    std::uint64_t left;
    std::optional<std::uint64_t> reached;  ///< the end of a pipe
};

Result<strc_wav> readHeader(Source& source) {
    strc_wav wav;
    strc_wav_begin(&wav, source.size().value_or(UINT64_MAX));
    while (wav.wanted != 0) {
        Result<bool> skipped = source.skip(wav.skip);
        if (!skipped) return skipped.failure();
        auto bytes = source.ask(*skipped ? wav.wanted : 0);
        if (!bytes) return bytes.failure();
        const std::size_t wanted = wav.wanted;
        if (!*skipped || bytes->size() < wanted)
            return source.malformed(name(Format::Wav), strc_wav_ends);
        strc_wav_read(&wav, bytesAt(bytes->data()));
        source.take(wanted);
    }
    if (wav.wrong) return source.malformed(name(Format::Wav), wav.wrong);
    return wav;
}

Sound soundOf(const strc_wav& wav, std::optional<std::uint64_t> fileSize) {
    Sound sound{.sample = wav.sample, .start = wav.start};
    const std::uint64_t data = std::min(wav.size, fileSize ? *fileSize - wav.start : kUnknown);
    const std::uint64_t frame = std::uint64_t{wav.sample.size} * wav.channels;
    if (data != kUnknown) sound.samples = data / frame * wav.channels;
    if (wav.size != STRC_WAV_ENDLESS) sound.end = wav.start + wav.size;
    sound.info.channels = static_cast<int>(wav.channels);
    sound.info.sampleRate = static_cast<int>(wav.rate);
    sound.info.bits = static_cast<int>(wav.bits);
    sound.info.floating = wav.sample.coding == STRC_SAMPLE_FLOATING;
    return sound;
}

// ---------------------------------------------------------------- writing

/// Numbers as samples.
class SoundWriter : public SinkWriter {
public:
    SoundWriter(std::unique_ptr<Sink> opened, Numbers kind, strc_sample how)
        : SinkWriter(std::move(opened)), item(kind), sample(how) {}

    Status write(const std::byte* from, std::size_t count) override {
        for (std::uint64_t k = 0; k < count * item.count; ++k)
            if (Status done = putNumber(load(item.kind, from + k * item.size)); !done) return done;
        return base::ok();
    }
    Status close() override { return sink->closeItems(samplesOf(item) * sample.size); }
    Clipped clipped() const override { return {beyond, sink->name()}; }

protected:
    Numbers item;
    strc_sample sample;

private:
    Status putNumber(const Number& number) {
        std::array<unsigned char, 8> bytes{};
        if (item.kind == TypeKind::Int) {
            const auto integer = static_cast<std::int32_t>(number.integer);
            if (strc_sample_put_integer(sample, integer, bytes.data()) != 0) ++beyond;
            return sink->write(bytes.data(), sample.size);
        }
        Status done = putReal(number.real);
        return done && item.kind == TypeKind::Complex ? putReal(number.imag) : done;
    }

    Status putReal(double value) {
        std::array<unsigned char, 8> bytes{};
        if (strc_sample_put_real(sample, value, bytes.data()) != 0) ++beyond;
        return sink->write(bytes.data(), sample.size);
    }

    std::uint64_t beyond = 0;
};

strc_sample sampleOf(const StreamInfo& info) {
    if (info.floating) return {STRC_SAMPLE_FLOATING, info.bits == 64 ? 8u : 4u};
    const bool isKnown = info.bits == 8 || info.bits == 24 || info.bits == 32;
    const std::uint32_t size = isKnown ? static_cast<std::uint32_t>(info.bits) / 8 : 2;
    return {size == 1 ? STRC_SAMPLE_UNSIGNED : STRC_SAMPLE_SIGNED, size};
}

/// Into a pipe the header goes with the greatest sizes there are, as other programs do, for it cannot be corrected
/// at the end.
class WavWriter final : public SoundWriter {
public:
    WavWriter(std::unique_ptr<Sink> opened, Numbers kind, const StreamInfo& about)
        : SoundWriter(std::move(opened), kind, {}), info(about) {}

    void complete(const strc_heard& heard, const strc_sound_use& use) override {
        const strc_stream_info all = strc_heard_complete(
            &heard, {info.channels, info.sampleRate, info.bits, info.floating, 0, 0}, use);
        info.channels = all.channels;
        info.sampleRate = all.rate;
        info.bits = all.bits;
        info.floating = all.floating != 0;
    }

    Status write(const std::byte* from, std::size_t count) override {
        if (Status begun = begin(); !begun) return begun;
        const std::uint64_t more = samplesOf(item);
        for (std::size_t k = 0; k < count; ++k) {
            if (sink->seekable() && headerSize + dataSize() + more * sample.size > strc_wav_longest)
                return base::failure(Diag::CannotWriteFile,
                                     {sink->name(), "WAV files end at 4 gigabytes"});
            Status done = SoundWriter::write(from + k * item.size * item.count, 1);
            if (!done) return done;
            samples += more;
        }
        return base::ok();
    }

    Status flush() override {
        if (Status begun = begin(); !begun) return begun;
        Status flushed = sink->flush();
        return flushed ? correctHeader() : flushed;
    }

    /// The last frame is filled up with silence, the data to an even number of bytes.
    Status close() override {
        Status done = begin();
        std::array<unsigned char, 8> silence{};
        strc_sample_put_integer(sample, 0, silence.data());
        for (; !sink->failed() && samples % wav.channels != 0; ++samples)
            done = sink->write(silence.data(), sample.size);
        if (!sink->failed() && dataSize() % 2 != 0) done = sink->write("", 1);
        if (done) done = sink->flush();
        if (sink->failed()) cutToFrames();
        Status corrected = correctHeader();
        Status closed = sink->close();
        return !done ? done : !corrected ? corrected : closed;
    }

private:
    /// Nothing goes out before all is known of the sound.
    Status begin() {
        if (headerSize != 0) return base::ok();
        const std::uint64_t each = samplesOf(item);
        const std::uint64_t natural = each <= STRC_WAV_NATURAL_CHANNELS ? each : 1;
        wav.sample = sample = sampleOf(info);
        wav.rate = info.sampleRate > 0 ? static_cast<std::uint32_t>(info.sampleRate) : 44100;
        wav.channels = static_cast<std::uint32_t>(
            info.channels > 0 ? static_cast<std::uint64_t>(info.channels) : natural);
        makeHeader();
        return sink->write(header.data(), headerSize);
    }

    std::uint64_t dataSize() const { return samples * sample.size; }

    void makeHeader() {
        headerSize =
            strc_wav_header(&wav, sink->seekable() ? samples : STRC_WAV_ENDLESS, header.data());
    }

    Status correctHeader() {
        if (!sink->seekable()) return base::ok();
        makeHeader();
        return sink->overwrite(0, header.data(), headerSize);
    }

    void cutToFrames() {
        samples = wav.channels * sink->cutToItems(headerSize, wav.channels * sample.size);
        if (dataSize() % 2 != 0) sink->cut(headerSize + dataSize() + 1);
    }

    StreamInfo info;
    strc_wav wav{};
    std::array<unsigned char, STRC_WAV_HEADER> header{};
    std::size_t headerSize = 0;
    std::uint64_t samples = 0;  ///< written
};

}  // namespace

Result<std::unique_ptr<ItemReader>> openWavReader(std::unique_ptr<Source> source,
                                                  const types::Type* item) {
    Result<strc_wav> wav = readHeader(*source);
    if (!wav) return wav.failure();
    const Sound sound = soundOf(*wav, source->size());
    return std::make_unique<SoundReader>(std::move(source), *numbersOf(item), sound);
}

Result<std::unique_ptr<ItemWriter>> openWavWriter(std::unique_ptr<Sink> sink,
                                                  const types::Type* item, const StreamInfo& info) {
    if (const char* why =
            strc_wav_refusal(info.sampleRate, info.channels, info.bits, info.floating))
        return base::failure(Diag::CannotWriteFile, {sink->name(), why});
    return std::make_unique<WavWriter>(std::move(sink), *numbersOf(item), info);
}

std::uint64_t samplesOf(const types::Type* item) {
    const std::optional<Numbers> numbers = numbersOf(item);
    return numbers ? samplesOf(*numbers) : 0;
}

// ---------------------------------------------------------------- without a header

Result<std::unique_ptr<ItemReader>> openSampleReader(std::unique_ptr<Source> source,
                                                     const types::Type* item, strc_sample sample) {
    Sound sound{.sample = sample};
    if (source->size()) sound.samples = *source->size() / sample.size;
    return std::make_unique<SoundReader>(std::move(source), *numbersOf(item), sound);
}

Result<std::unique_ptr<ItemWriter>> openSampleWriter(std::unique_ptr<Sink> sink,
                                                     const types::Type* item, strc_sample sample) {
    return std::make_unique<SoundWriter>(std::move(sink), *numbersOf(item), sample);
}

}  // namespace strc::io
