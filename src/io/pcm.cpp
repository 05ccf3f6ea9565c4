// Headerless sound: signed 16-bit samples, little-endian, channels interleaved.
#include <algorithm>
#include <cmath>

#include "io/numbers.h"

namespace strc::io {

using base::Result;
using base::Status;
using types::TypeKind;

namespace {

constexpr std::size_t kSampleBytes = 2;
constexpr double kFullScale = 32768;

bool isReal(TypeKind kind) { return kind == TypeKind::Float || kind == TypeKind::Double; }

class PcmReader final : public NumberReader {
public:
    using NumberReader::NumberReader;

    bool rewind() override {
        forgetPart();
        return source->seek(0);
    }
    std::optional<std::uint64_t> total() const override {
        if (!source->size()) return std::nullopt;
        return *source->size() / kSampleBytes / item.count;
    }

protected:
    Result<std::size_t> readNumbers(std::byte* to, std::size_t count) override {
        auto bytes = source->ask(kSampleBytes);
        if (!bytes) return bytes.failure();
        std::size_t samples = std::min(count, bytes->size() / kSampleBytes);
        for (std::size_t k = 0; k < samples; ++k) {
            auto low = std::to_integer<unsigned>((*bytes)[k * kSampleBytes]);
            auto high = std::to_integer<unsigned>((*bytes)[k * kSampleBytes + 1]);
            auto sample = static_cast<std::int16_t>(low | high << 8);
            store(isReal(item.kind) ? ofReal(sample / kFullScale) : ofInteger(sample), item.kind,
                  to + k * item.size);
        }
        source->take(samples * kSampleBytes);
        return samples;
    }
};

class PcmWriter final : public SinkWriter {
public:
    PcmWriter(std::unique_ptr<Sink> opened, Numbers kind)
        : SinkWriter(std::move(opened)), item(kind) {}

    Status write(const std::byte* from, std::size_t count) override {
        for (std::uint64_t k = 0; k < count * item.count; ++k) {
            double value = load(item.kind, from + k * item.size).real;
            if (isReal(item.kind)) value *= kFullScale;
            if (value != value) value = 0;
            if (isBeyond(value, kFullScale, item.kind)) ++beyond;
            auto sample =
                static_cast<int>(std::lrint(std::clamp(value, -kFullScale, kFullScale - 1)));
            const unsigned char bytes[kSampleBytes] = {
                static_cast<unsigned char>(sample & 0xff),
                static_cast<unsigned char>(sample >> 8 & 0xff)};
            if (Status done = sink->write(bytes, kSampleBytes); !done) return done;
        }
        return base::ok();
    }
    Status close() override { return sink->closeItems(item.count * kSampleBytes); }
    Clipped clipped() const override { return {beyond, sink->name()}; }

private:
    Numbers item;
    std::uint64_t beyond = 0;
};

}  // namespace

Result<std::unique_ptr<ItemReader>> openPcmReader(std::unique_ptr<Source> source,
                                                  const types::Type* item) {
    return std::make_unique<PcmReader>(std::move(source), *numbersOf(item));
}

Result<std::unique_ptr<ItemWriter>> openPcmWriter(std::unique_ptr<Sink> sink,
                                                  const types::Type* item, const StreamInfo&) {
    return std::make_unique<PcmWriter>(std::move(sink), *numbersOf(item));
}

}  // namespace strc::io
