#include "io/detail/images.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace strc::io {

using base::Diag;
using base::Result;
using base::Status;
using types::TypeKind;

namespace {

constexpr std::uint64_t kMostChannels = 4;
constexpr std::uint64_t kMostSamples = 1ull << 31;  ///< of one image

class PixelReader : public NumberReader {
public:
    PixelReader(std::unique_ptr<Source> opened, Numbers kind, Pixels&& read)
        : NumberReader(std::move(opened), kind), pixels(std::move(read)) {}

    bool rewind() override {
        at = 0;
        forgetPart();
        return true;
    }
    std::optional<std::uint64_t> total() const override { return samples() / item.count; }
    StreamInfo info() const override { return pixels.info; }

protected:
    Result<std::size_t> readNumbers(std::byte* to, std::size_t count) override {
        const std::uint32_t greatest = sampleSize() == 2 ? 65535 : 255;
        std::size_t done = 0;
        for (; done < count && at < samples(); ++done, ++at) {
            std::uint16_t sample = 0;  // little-endian, as the host
            std::memcpy(&sample, &pixels.bytes[at * sampleSize()], sampleSize());
            storeSample(sample, greatest, item.kind, to + done * item.size);
        }
        return done;
    }

private:
    std::size_t sampleSize() const { return pixels.info.bits == 16 ? 2 : 1; }
    std::size_t samples() const { return pixels.bytes.size() / sampleSize(); }

    Pixels pixels;
    std::size_t at = 0;
};

}  // namespace

void storeSample(std::uint32_t sample, std::uint32_t greatest, TypeKind kind, std::byte* to) {
    bool asStored = kind == TypeKind::Int || greatest == kWhite;
    store(asStored ? ofInteger(sample) : ofReal(sample * kWhite / greatest), kind, to);
}

std::uint32_t loadSample(TypeKind kind, const std::byte* from, std::uint32_t greatest) {
    Number number = load(kind, from);
    double value = kind == TypeKind::Int ? number.real : number.real * greatest / kWhite;
    if (!(value > 0)) return 0;
    return static_cast<std::uint32_t>(std::lrint(std::min<double>(value, greatest)));
}

std::unique_ptr<ItemReader> readerOf(std::unique_ptr<Source> source, const types::Type* item,
                                     Pixels&& pixels) {
    return std::make_unique<PixelReader>(std::move(source), *numbersOf(item), std::move(pixels));
}

ImageWriter::ImageWriter(std::unique_ptr<Sink> opened, Numbers kind, StreamInfo told)
    : SinkWriter(std::move(opened)), info(told), item(kind) {
    if (info.channels <= 0)
        info.channels =
            item.count > 1 && item.count <= kMostChannels ? static_cast<int>(item.count) : 1;
    if (info.bits != 16) info.bits = 8;
    // An item of many numbers is a row.
    auto channels = static_cast<std::uint64_t>(info.channels);
    if (info.width <= 0 && item.count > kMostChannels)
        info.width = static_cast<int>(item.count / channels);
}

Status ImageWriter::write(const std::byte* from, std::size_t count) {
    const std::uint32_t greatest = info.bits == 16 ? 65535 : 255;
    const std::uint64_t whole = static_cast<std::uint64_t>(info.width) *
                                static_cast<std::uint64_t>(info.height) *
                                static_cast<std::uint64_t>(info.channels);
    for (std::uint64_t i = 0; i < count * item.count; ++i) {
        if (images > 0 && !takesSeveral())
            return base::failure(Diag::CannotWriteFile,
                                 {sink->name(), "the image is full, and more items come"});
        if (samples.size() == kMostSamples)
            return base::failure(Diag::CannotWriteFile, {sink->name(), "the image is too large"});
        samples.push_back(
            static_cast<std::uint16_t>(loadSample(item.kind, from + i * item.size, greatest)));
        if (whole == 0 || samples.size() < whole) continue;
        Status done = putImage(static_cast<std::uint64_t>(info.height));
        if (!done) return done;
    }
    return base::ok();
}

Status ImageWriter::putImage(std::uint64_t height) {
    auto channels = static_cast<std::uint64_t>(info.channels);
    std::uint64_t width = info.width > 0 ? static_cast<std::uint64_t>(info.width)
                                         : (samples.size() + channels - 1) / channels;
    if (height == 0) height = (samples.size() + width * channels - 1) / (width * channels);
    samples.resize(width * height * channels);
    ++images;
    const std::uint64_t start = sink->position();
    Status done = put({width, height, info.channels, info.bits, samples});
    if (done) imageSize = sink->position() - start;
    samples.clear();
    return done;
}

Status ImageWriter::close() {
    Status done = base::ok();
    if (!samples.empty() && !sink->failed())
        done = putImage(static_cast<std::uint64_t>(std::max(info.height, 0)));
    Status closed = sink->closeItems(imageSize);
    return done ? closed : done;
}

}  // namespace strc::io
