// JPEG images, by libjpeg. Its errors jump: nothing with a destructor lives between setjmp and there.
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it
#include <cstdlib>
#include <jpeglib.h>

#include <fmt/format.h>

#include "io/detail/images.h"

namespace strc::io {

using base::Result;
using base::Status;

namespace {

constexpr int kQuality = 90;

struct JpegTrouble : jpeg_error_mgr {
    std::jmp_buf place;
    char text[JMSG_LENGTH_MAX] = "";
};

[[noreturn]] void onError(j_common_ptr image) {
    auto* trouble = static_cast<JpegTrouble*>(image->err);
    trouble->format_message(image, trouble->text);
    std::longjmp(trouble->place, 1);
}
/// Warnings are of damaged data: what is made up for it would be taken for the picture.
void onMessage(j_common_ptr image, int level) {
    if (level < 0) onError(image);
}

void report(JpegTrouble& trouble, jpeg_error_mgr*& errors) {
    errors = jpeg_std_error(&trouble);
    trouble.error_exit = onError;
    trouble.emit_message = onMessage;
}

// ---------------------------------------------------------------- reading

/// All that is there.
Result<std::vector<unsigned char>> everything(Source& source) {
    std::vector<unsigned char> bytes;
    for (;;) {
        auto there = source.ask(1);
        if (!there) return there.failure();
        if (there->empty()) return bytes;
        const auto* from = reinterpret_cast<const unsigned char*>(there->data());
        bytes.insert(bytes.end(), from, from + there->size());
        source.take(there->size());
        if (bytes.size() > kMostImageBytes)
            return source.malformed(name(Format::Jpeg), "it is too large");
    }
}

bool decode(jpeg_decompress_struct& image, JpegTrouble& trouble,
            const std::vector<unsigned char>& bytes, Pixels& pixels) {
    if (setjmp(trouble.place) != 0) return false;
    jpeg_create_decompress(&image);
    jpeg_mem_src(&image, bytes.data(), bytes.size());
    jpeg_read_header(&image, TRUE);
    image.out_color_space = image.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&image);
    pixels.info.width = static_cast<int>(image.output_width);
    pixels.info.height = static_cast<int>(image.output_height);
    pixels.info.channels = image.output_components;
    pixels.info.bits = 8;
    pixels.rowSize =
        std::size_t{image.output_width} * static_cast<std::size_t>(image.output_components);
    if (pixels.rowSize > kMostImageBytes / image.output_height) return false;
    pixels.bytes.resize(pixels.rowSize * image.output_height);
    while (image.output_scanline < image.output_height) {
        JSAMPROW row = &pixels.bytes[image.output_scanline * pixels.rowSize];
        jpeg_read_scanlines(&image, &row, 1);
    }
    jpeg_finish_decompress(&image);
    return true;
}

// ---------------------------------------------------------------- writing

struct Encoded {
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    ~Encoded() { std::free(bytes); }
};

struct JpegRows {
    JDIMENSION width, height;
    int channels;
    const unsigned char* bytes;
};

bool encode(jpeg_compress_struct& image, JpegTrouble& trouble, const JpegRows& rows, Encoded& to) {
    if (setjmp(trouble.place) != 0) return false;
    jpeg_create_compress(&image);
    jpeg_mem_dest(&image, &to.bytes, &to.size);
    image.image_width = rows.width;
    image.image_height = rows.height;
    image.input_components = rows.channels;
    image.in_color_space = rows.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&image);
    jpeg_set_quality(&image, kQuality, TRUE);
    jpeg_start_compress(&image, TRUE);
    const std::size_t rowSize = std::size_t{rows.width} * static_cast<std::size_t>(rows.channels);
    while (image.next_scanline < image.image_height) {
        JSAMPROW row = const_cast<JSAMPROW>(rows.bytes + image.next_scanline * rowSize);
        jpeg_write_scanlines(&image, &row, 1);
    }
    jpeg_finish_compress(&image);
    return true;
}

class JpegWriter : public ImageWriter {
public:
    JpegWriter(std::unique_ptr<Sink> opened, Numbers kind, StreamInfo told)
        : ImageWriter(std::move(opened), kind, inEight(told)) {}

    Status check() const {
        if (info.channels == 1 || info.channels == 3) return base::ok();
        return refuse(
            fmt::format("pixels have 1 or 3 samples in this format, not {}", info.channels));
    }

protected:
    bool takesSeveral() const override { return false; }

    Status put(const Image& picture) override {
        if (picture.width > JPEG_MAX_DIMENSION || picture.height > JPEG_MAX_DIMENSION)
            return refuse(fmt::format("it has more than {} rows or columns", JPEG_MAX_DIMENSION));
        const std::vector<unsigned char> bytes(picture.samples.begin(), picture.samples.end());
        Encoded encoded;
        JpegTrouble trouble;
        jpeg_compress_struct image{};
        report(trouble, image.err);
        const bool done =
            encode(image, trouble,
                   {static_cast<JDIMENSION>(picture.width), static_cast<JDIMENSION>(picture.height),
                    picture.channels, bytes.data()},
                   encoded);
        jpeg_destroy_compress(&image);
        return done ? sink->write(encoded.bytes, encoded.size) : refuse(trouble.text);
    }

private:
    static StreamInfo inEight(StreamInfo told) {
        told.bits = 8;
        return told;
    }
    base::Failure refuse(std::string reason) const {
        return base::failure(base::Diag::CannotWriteFile, {sink->name(), std::move(reason)});
    }
};

}  // namespace

Result<std::unique_ptr<ItemReader>> openJpegReader(std::unique_ptr<Source> source,
                                                   const types::Type* item) {
    auto bytes = everything(*source);
    if (!bytes) return bytes.failure();
    Pixels pixels;
    JpegTrouble trouble;
    jpeg_decompress_struct image{};
    report(trouble, image.err);
    const bool done = decode(image, trouble, *bytes, pixels);
    jpeg_destroy_decompress(&image);
    if (done) return readerOf(std::move(source), item, std::move(pixels));
    return source->malformed(name(Format::Jpeg), *trouble.text ? trouble.text : "it is too large");
}

Result<std::unique_ptr<ItemWriter>> openJpegWriter(std::unique_ptr<Sink> sink,
                                                   const types::Type* item,
                                                   const StreamInfo& info) {
    auto writer = std::make_unique<JpegWriter>(std::move(sink), *numbersOf(item), info);
    Status fits = writer->check();
    if (!fits) return fits.failure();
    return writer;
}

}  // namespace strc::io
