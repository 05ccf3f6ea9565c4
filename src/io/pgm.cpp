// Portable grey maps and pixel maps: P2, P3 (numbers as text), P5, P6 (bytes), one after the other.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "io/detail/images.h"

namespace strc::io {

using base::Diag;
using base::Result;
using base::Status;

namespace {

constexpr std::uint64_t kMostPixels = 1ull << 40;

bool isSpace(std::byte byte) { return std::isspace(std::to_integer<unsigned char>(byte)) != 0; }

class PgmReader : public NumberReader {
public:
    using NumberReader::NumberReader;

    /// Reads the header of the next image; false: there is none.
    Result<bool> begin() {
        Result<bool> there = skipBlanks();
        if (!there || !*there) return there;
        auto bytes = source->ask(2);
        if (!bytes) return bytes.failure();
        char kind = bytes->size() < 2 ? '\0' : static_cast<char>((*bytes)[1]);
        if ((*bytes)[0] != std::byte{'P'} ||
            std::string_view("2356").find(kind) == std::string_view::npos)
            return wrong(images == 0 ? "it does not begin with P2, P3, P5 or P6"
                                     : "something else follows the image");
        source->take(2);
        plain = kind < '5';
        about.channels = kind == '3' || kind == '6' ? 3 : 1;
        for (std::uint64_t* number : {&width, &height, &greatest}) {
            Result<bool> read = readNumber(*number, "its header");
            if (!read) return read;
        }
        if (width == 0 || height == 0 || width > kMostPixels / height)
            return wrong(fmt::format("its size {} x {} is not possible", width, height));
        if (greatest == 0 || greatest > 65535)
            return wrong(fmt::format("its greatest value {} is not possible", greatest));
        if (!plain) {  // one white space, then bytes
            auto space = source->ask(1);
            if (!space) return space.failure();
            if (space->empty() || !isSpace((*space)[0])) return wrong("it ends in its header");
            source->take(1);
        }
        about.width = static_cast<int>(std::min<std::uint64_t>(width, INT32_MAX));
        about.height = static_cast<int>(std::min<std::uint64_t>(height, INT32_MAX));
        about.bits = greatest > 255 ? 16 : 8;
        left = width * height * static_cast<std::uint64_t>(about.channels);
        ++images;
        return true;
    }

    bool rewind() override {
        if (!source->seek(0)) return false;
        images = 0;
        forgetPart();
        Result<bool> begun = begin();
        return begun && *begun;
    }

    StreamInfo info() const override { return about; }

    std::optional<std::uint64_t> total() const override { return items; }

    /// Known of a single image of bytes: there may be more behind it.
    void countItems() {
        bool alone = !plain && source->size() == source->position() + left * sampleSize();
        if (alone) items = left / item.count;
    }

protected:
    Result<std::size_t> readNumbers(std::byte* to, std::size_t count) override {
        if (left == 0) {
            Result<bool> next = begin();
            if (!next) return next.failure();
            if (!*next) return std::size_t{0};
        }
        return plain ? readText(to, count) : readBytes(to, count);
    }

private:
    std::size_t sampleSize() const { return greatest > 255 ? 2 : 1; }

    base::Failure wrong(const std::string& reason) const {
        return source->malformed(name(Format::Pgm), reason);
    }

    Result<std::size_t> readBytes(std::byte* to, std::size_t count) {
        const std::size_t size = sampleSize();
        auto bytes = source->ask(size);
        if (!bytes) return bytes.failure();
        std::size_t samples = std::min<std::uint64_t>({count, left, bytes->size() / size});
        if (samples == 0 && source->interrupted()) return samples;
        if (samples == 0) return wrong(fmt::format("it ends {} samples too early", left));
        for (std::size_t i = 0; i < samples; ++i) {
            auto high = std::to_integer<std::uint32_t>((*bytes)[i * size]);
            std::uint32_t sample =
                size == 1 ? high
                          : high << 8 | std::to_integer<std::uint32_t>((*bytes)[i * size + 1]);
            storeSample(sample, static_cast<std::uint32_t>(greatest), item.kind,
                        to + i * item.size);
        }
        source->take(samples * size);
        left -= samples;
        return samples;
    }

    /// One row at most: more may be long in coming.
    Result<std::size_t> readText(std::byte* to, std::size_t count) {
        std::size_t samples = std::min<std::uint64_t>({count, left, width});
        for (std::size_t i = 0; i < samples; ++i) {
            std::uint64_t sample = 0;
            Result<bool> read = readNumber(sample, "the image");
            if (!read) return read.failure();
            if (sample > greatest)
                return wrong(
                    fmt::format("sample {} exceeds the greatest value {}", sample, greatest));
            storeSample(static_cast<std::uint32_t>(sample), static_cast<std::uint32_t>(greatest),
                        item.kind, to + i * item.size);
            --left;
        }
        return samples;
    }

    /// White space and comments; false at the end of the file.
    Result<bool> skipBlanks() {
        bool comment = false;
        while (true) {
            auto bytes = source->ask(1);
            if (!bytes) return bytes.failure();
            if (bytes->empty()) return false;
            std::size_t i = 0;
            for (; i < bytes->size(); ++i) {
                std::byte byte = (*bytes)[i];
                comment = comment ? byte != std::byte{'\n'} : byte == std::byte{'#'};
                if (!comment && !isSpace(byte)) break;
            }
            bool found = i < bytes->size();
            source->take(i);
            if (found) return true;
        }
    }

    Result<bool> readNumber(std::uint64_t& number, std::string_view where) {
        Result<bool> there = skipBlanks();
        if (!there) return there;
        number = 0;
        std::size_t digits = 0;
        while (*there) {
            auto bytes = source->ask(1);
            if (!bytes) return bytes.failure();
            if (bytes->empty() || !std::isdigit(std::to_integer<unsigned char>((*bytes)[0]))) break;
            if (++digits > 12) return wrong(fmt::format("a number in {} is too long", where));
            number = number * 10 + (std::to_integer<std::uint64_t>((*bytes)[0]) - '0');
            source->take(1);
        }
        if (digits == 0)
            return wrong(fmt::format("{} {} a number is expected", where,
                                     *there ? "has something else where" : "ends where"));
        return true;
    }

    StreamInfo about;
    bool plain = false;
    std::uint64_t width = 0;
    std::uint64_t height = 0;
    std::uint64_t greatest = 0;
    std::uint64_t left = 0;  ///< samples of this image
    std::uint64_t images = 0;
    std::optional<std::uint64_t> items;
};

class PgmWriter : public ImageWriter {
public:
    PgmWriter(std::unique_ptr<Sink> opened, Numbers kind, const StreamInfo& told)
        : ImageWriter(std::move(opened), kind, told) {}

    Status check() const {
        if (info.channels == 1 || info.channels == 3) return base::ok();
        std::string reason =
            fmt::format("pixels have 1 or 3 samples in this format, not {}", info.channels);
        return base::failure(Diag::CannotWriteFile, {sink->name(), reason});
    }

protected:
    bool takesSeveral() const override { return true; }

    Status put(const Image& image) override {
        const bool wide = image.bits == 16;
        std::string header = fmt::format("P{}\n{} {}\n{}\n", image.channels == 3 ? 6 : 5,
                                         image.width, image.height, wide ? 65535 : 255);
        Status done = sink->write(header.data(), header.size());
        std::string bytes;
        for (std::uint16_t sample : image.samples) {
            if (wide) bytes += static_cast<char>(sample >> 8);
            bytes += static_cast<char>(sample & 0xff);
        }
        return done ? sink->write(bytes.data(), bytes.size()) : done;
    }
};

}  // namespace

Result<std::unique_ptr<ItemReader>> openPgmReader(std::unique_ptr<Source> source,
                                                  const types::Type* item) {
    auto reader = std::make_unique<PgmReader>(std::move(source), *numbersOf(item));
    Result<bool> begun = reader->begin();
    if (!begun) return begun.failure();
    reader->countItems();
    return reader;
}

Result<std::unique_ptr<ItemWriter>> openPgmWriter(std::unique_ptr<Sink> sink,
                                                  const types::Type* item, const StreamInfo& info) {
    Numbers numbers = *numbersOf(item);
    StreamInfo told = info;
    bool coloured = sink->name().ends_with(".ppm") || numbers.count == 3;
    if (told.channels == 0) told.channels = coloured ? 3 : 1;
    auto writer = std::make_unique<PgmWriter>(std::move(sink), numbers, told);
    Status fits = writer->check();
    if (!fits) return fits.failure();
    return writer;
}

}  // namespace strc::io
