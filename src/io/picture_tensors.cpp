// Tensors as pictures: channels, rows and columns, as torchvision has them.
#include <cstring>

#include <fmt/format.h>

#include "io/detail/images.h"
#include "io/detail/tensor_files.h"

namespace strc::io {

using base::Diag;
using base::Result;
using base::Status;
using types::Type;
using types::TypeKind;

namespace {

constexpr std::size_t kAtOnce = 1 << 16;

/// An int as it stands in a file of images, another one as the format gives it.
const Type* sampleType(TypeKind element, const types::TypeTable& types) {
    return element == TypeKind::Int ? types.intType() : types.doubleType();
}

/// Where a channel's sample of a pixel stands in a picture whose pixels lie one behind the other.
std::size_t placeOf(std::size_t at, std::size_t channels, std::size_t pixels) {
    const std::size_t picture = at / (channels * pixels);
    const std::size_t inside = at % (channels * pixels);
    return picture * channels * pixels + inside % pixels * channels + inside / pixels;
}

class PictureSource : public TensorSource {
public:
    PictureSource(std::string file, TypeKind element) : file(std::move(file)) { kind = element; }

    Status decode(ItemReader& reader) {
        const std::size_t size = kind == TypeKind::Int ? sizeof(std::int32_t) : sizeof(double);
        std::vector<std::byte> part(kAtOnce * size);
        for (;;) {
            Result<std::size_t> got = reader.read(part.data(), kAtOnce);
            if (!got) return got.failure();
            if (*got == 0) break;
            for (std::size_t k = 0; k < *got; ++k) samples.push_back(sampleAt(&part[k * size]));
        }
        const StreamInfo info = reader.info();
        channels = static_cast<std::size_t>(info.channels);
        pixels = static_cast<std::size_t>(info.width) * static_cast<std::size_t>(info.height);
        const std::size_t pictures = samples.size() / (channels * pixels);
        if (pictures == 0 || samples.size() % (channels * pixels) != 0)
            return base::failure(Diag::MalformedInput,
                                 {file, "picture", "its pictures differ in size"});
        if (pictures > 1) extents.push_back(static_cast<std::int64_t>(pictures));
        extents.insert(extents.end(), {info.channels, info.height, info.width});
        return base::ok();
    }

    const std::string& name() const override { return file; }

    Result<bool> read(std::size_t count, std::byte* to) override {
        for (std::size_t k = 0; k < count; ++k, ++next) {
            const double sample = samples[placeOf(next, channels, pixels)];
            if (kind == TypeKind::Int)
                put(static_cast<std::int32_t>(sample), k, to);
            else if (kind == TypeKind::Float)
                put(static_cast<float>(sample / kWhite), k, to);
            else
                put(sample / kWhite, k, to);
        }
        return true;
    }
    bool rewind() override {
        next = 0;
        return true;
    }
    bool wouldWait() const override { return false; }

private:
    double sampleAt(const std::byte* from) const {
        std::int32_t whole = 0;
        double real = 0;
        if (kind == TypeKind::Int)
            std::memcpy(&whole, from, sizeof whole);
        else
            std::memcpy(&real, from, sizeof real);
        return kind == TypeKind::Int ? whole : real;
    }
    template <typename T>
    static void put(T value, std::size_t k, std::byte* to) {
        std::memcpy(to + k * sizeof value, &value, sizeof value);
    }

    std::string file;
    std::vector<double> samples;  ///< those of a pixel together
    std::size_t channels = 0, pixels = 0, next = 0;
};

class PictureSink : public TensorSink {
public:
    PictureSink(std::unique_ptr<ItemWriter> opened, TypeKind element, std::size_t channels)
        : writer(std::move(opened)), kind(element), channels(channels) {}

    Status write(const std::byte* from, const Type* item) override {
        const auto count = static_cast<std::size_t>(types::countElements(item));
        if (kind == TypeKind::Int) return put<std::int32_t>(from, count, 1);
        return kind == TypeKind::Float ? put<float>(from, count, kWhite)
                                       : put<double>(from, count, kWhite);
    }
    Status flush() override { return writer->flush(); }
    Status close() override { return writer->close(); }
    bool readerGone() const override { return writer->readerGone(); }

private:
    template <typename T>
    Status put(const std::byte* from, std::size_t count, T scale) {
        std::vector<T> pixels(count);
        for (std::size_t k = 0; k < count; ++k) {
            T sample{};
            std::memcpy(&sample, from + k * sizeof sample, sizeof sample);
            pixels[placeOf(k, channels, count / channels)] = sample * scale;
        }
        return writer->write(reinterpret_cast<const std::byte*>(pixels.data()), count);
    }

    std::unique_ptr<ItemWriter> writer;
    TypeKind kind;
    std::size_t channels;
};

/// Channels, rows and columns; null: it is no picture. One dimension of one may stand in front of them, and a picture without
/// the first has one channel.
bool isPicture(const Type* item, StreamInfo& info) {
    std::vector<std::int64_t> dims = item->dims;
    if (dims.size() == 4 && dims.front() == 1) dims.erase(dims.begin());
    if (dims.size() == 2) dims.insert(dims.begin(), 1);
    const TypeKind kind = item->element->kind;
    const bool isSample =
        kind == TypeKind::Int || kind == TypeKind::Float || kind == TypeKind::Double;
    if (dims.size() != 3 || dims[0] < 1 || dims[0] > 4 || !isSample) return false;
    info.channels = static_cast<int>(dims[0]);
    info.height = static_cast<int>(dims[1]);
    info.width = static_cast<int>(dims[2]);
    return true;
}

}  // namespace

Result<std::unique_ptr<TensorSource>> openPictureSource(const TensorFile& file, TypeKind element,
                                                        const Waiting& beforeWaiting) {
    const types::TypeTable types;
    auto reader = openReader(file.name, file.format, sampleType(element, types), beforeWaiting);
    if (!reader) return reader.failure();
    auto made =
        std::make_unique<PictureSource>(file.name == "-" ? "standard input" : file.name, element);
    if (Status decoded = made->decode(**reader); !decoded) return decoded.failure();
    return made;
}

SinkOfTensors openPictureSink(const TensorFile& file, const Type* item, const StreamInfo& asked) {
    StreamInfo info = asked;
    if (!item || !isPicture(item, info))
        return base::failure(Diag::FormatItemType,
                             {std::string(io::name(file.format)),
                              item ? types::toString(item) : "several types of tensors"});
    const types::TypeTable types;
    const Type* sample = item->element->is(TypeKind::Float)
                             ? types.floatType()
                             : sampleType(item->element->kind, types);
    auto writer = openWriter(file.name, file.format, sample, info);
    if (!writer) return writer.failure();
    return std::make_unique<PictureSink>(std::move(*writer), item->element->kind,
                                         static_cast<std::size_t>(info.channels));
}

}  // namespace strc::io
