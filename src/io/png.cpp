// PNG images, by libpng. Its errors jump: nothing with a destructor lives between setjmp and there.
#include <csetjmp>
#include <cstring>

#include <fmt/format.h>
#include <png.h>

#include "io/detail/images.h"

namespace strc::io {

using base::Diag;
using base::Result;
using base::Status;

namespace {

constexpr std::size_t kMessageSize = 200;

struct PngTrouble {
    char text[kMessageSize] = "";
};

[[noreturn]] void onError(png_structp png, png_const_charp text) {
    auto* trouble = static_cast<PngTrouble*>(png_get_error_ptr(png));
    std::strncpy(trouble->text, text, kMessageSize - 1);
    png_longjmp(png, 1);
}
void onWarning(png_structp, png_const_charp) {}

// ---------------------------------------------------------------- reading

struct PngInput {
    Source* source;
    base::Failure failure;  ///< of the file itself
};

void onRead(png_structp png, png_bytep to, png_size_t count) {
    auto* input = static_cast<PngInput*>(png_get_io_ptr(png));
    bool failed = false;
    {
        auto bytes = input->source->ask(count);
        failed = !bytes || bytes->size() < count;
        if (!bytes) input->failure = bytes.failure();
        if (!failed) std::memcpy(to, bytes->data(), count);
        if (!failed) input->source->take(count);
    }
    if (failed) png_error(png, "it ends too early");
}

bool decode(png_structp png, png_infop info, Pixels& pixels) {
    if (setjmp(png_jmpbuf(png))) return false;
    png_read_info(png, info);
    png_set_expand(png);
    png_set_swap(png);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    pixels.info.width = static_cast<int>(png_get_image_width(png, info));
    pixels.info.height = static_cast<int>(png_get_image_height(png, info));
    pixels.info.channels = png_get_channels(png, info);
    pixels.info.bits = png_get_bit_depth(png, info);
    pixels.rowSize = png_get_rowbytes(png, info);
    if (pixels.rowSize > kMostImageBytes / static_cast<std::uint64_t>(pixels.info.height))
        png_error(png, "it is too large");
    pixels.bytes.resize(pixels.rowSize * static_cast<std::size_t>(pixels.info.height));
    for (int pass = 0; pass < passes; ++pass)
        for (int row = 0; row < pixels.info.height; ++row)
            png_read_row(png, &pixels.bytes[static_cast<std::size_t>(row) * pixels.rowSize],
                         nullptr);
    png_read_end(png, nullptr);
    return true;
}

// ---------------------------------------------------------------- writing

struct PngOutput {
    Sink* sink;
    Status status;
};

void onWrite(png_structp png, png_bytep from, png_size_t count) {
    auto* output = static_cast<PngOutput*>(png_get_io_ptr(png));
    output->status = output->sink->write(from, count);
    if (!output->status) png_error(png, "");
}
void onFlush(png_structp) {}

struct PngRows {
    std::uint64_t width, height;
    int colour;
    int bits;
    std::size_t rowSize;
    const png_byte* bytes;
};

bool encode(png_structp png, png_infop info, const PngRows& rows) {
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_IHDR(png, info, static_cast<png_uint_32>(rows.width),
                 static_cast<png_uint_32>(rows.height), rows.bits, rows.colour, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (std::uint64_t row = 0; row < rows.height; ++row)
        png_write_row(png, rows.bytes + row * rows.rowSize);
    png_write_end(png, info);
    return true;
}

class PngWriter : public ImageWriter {
public:
    PngWriter(std::unique_ptr<Sink> opened, Numbers kind, const StreamInfo& told)
        : ImageWriter(std::move(opened), kind, told) {}

    Status check() const {
        if (info.channels <= 4) return base::ok();
        std::string reason =
            fmt::format("pixels have 1 to 4 samples in this format, not {}", info.channels);
        return base::failure(Diag::CannotWriteFile, {sink->name(), reason});
    }

protected:
    bool takesSeveral() const override { return false; }

    Status put(const Image& image) override {
        static constexpr int kColours[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                           PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
        std::vector<png_byte> bytes;
        for (std::uint16_t sample : image.samples) {
            if (image.bits == 16) bytes.push_back(static_cast<png_byte>(sample >> 8));
            bytes.push_back(static_cast<png_byte>(sample & 0xff));
        }
        PngRows rows{image.width,
                     image.height,
                     kColours[image.channels - 1],
                     image.bits,
                     bytes.size() / image.height,
                     bytes.data()};
        PngTrouble trouble;
        PngOutput output{sink.get(), base::ok()};
        png_structp png =
            png_create_write_struct(PNG_LIBPNG_VER_STRING, &trouble, onError, onWarning);
        png_infop header = png ? png_create_info_struct(png) : nullptr;
        if (header) png_set_write_fn(png, &output, onWrite, onFlush);
        bool done = header && encode(png, header, rows);
        png_destroy_write_struct(&png, &header);
        if (!output.status || done) return output.status;
        return base::failure(Diag::CannotWriteFile, {sink->name(), trouble.text});
    }
};

}  // namespace

Result<std::unique_ptr<ItemReader>> openPngReader(std::unique_ptr<Source> source,
                                                  const types::Type* item) {
    Pixels pixels;
    PngTrouble trouble;
    PngInput input{source.get(), {}};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &trouble, onError, onWarning);
    png_infop header = png ? png_create_info_struct(png) : nullptr;
    if (header) png_set_read_fn(png, &input, onRead);
    bool done = header && decode(png, header, pixels);
    png_destroy_read_struct(&png, &header, nullptr);
    if (!input.failure.text.empty()) return input.failure;
    if (!done) return source->malformed(name(Format::Png), trouble.text);
    return readerOf(std::move(source), item, std::move(pixels));
}

Result<std::unique_ptr<ItemWriter>> openPngWriter(std::unique_ptr<Sink> sink,
                                                  const types::Type* item, const StreamInfo& info) {
    auto writer = std::make_unique<PngWriter>(std::move(sink), *numbersOf(item), info);
    Status fits = writer->check();
    if (!fits) return fits.failure();
    return writer;
}

}  // namespace strc::io
