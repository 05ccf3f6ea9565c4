#include "io/images.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace strc::io {

using base::Diag;
using base::Status;
using types::TypeKind;

namespace {

constexpr double kWhite = 255;                 ///< as a float item gives it
constexpr std::uint64_t kMostChannels = 4;
constexpr std::uint64_t kMostSamples = 1ull << 31;  ///< of one image

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
    Status done = put({width, height, info.channels, info.bits, samples});
    samples.clear();
    ++images;
    return done;
}

Status ImageWriter::close() {
    Status done = base::ok();
    if (!samples.empty()) done = putImage(static_cast<std::uint64_t>(std::max(info.height, 0)));
    Status closed = sink->close();
    return done ? closed : done;
}

}  // namespace strc::io
