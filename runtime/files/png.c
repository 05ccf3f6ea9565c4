// PNG images, by libpng, which is loaded for the first one. Its errors jump.
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "strc/files/images.h"
#include "strc/files/loading.h"
#include "strc/files/tensors.h"
#include "strc/picture_libraries.h"

#define PNG_FUNCTIONS(ROW)      \
    ROW(create_read_struct)     \
    ROW(create_write_struct)    \
    ROW(create_info_struct)     \
    ROW(destroy_read_struct)    \
    ROW(destroy_write_struct)   \
    ROW(get_error_ptr)          \
    ROW(get_io_ptr)             \
    ROW(set_read_fn)            \
    ROW(set_write_fn)           \
    ROW(read_info)              \
    ROW(set_expand)             \
    ROW(set_swap)               \
    ROW(set_interlace_handling) \
    ROW(read_update_info)       \
    ROW(get_image_width)        \
    ROW(get_image_height)       \
    ROW(get_channels)           \
    ROW(get_bit_depth)          \
    ROW(get_rowbytes)           \
    ROW(read_row)               \
    ROW(read_end)               \
    ROW(set_IHDR)               \
    ROW(write_info)             \
    ROW(write_row)              \
    ROW(write_end)

static struct {
#define ROW(name) __typeof__(png_##name) *name;
    PNG_FUNCTIONS(ROW)
#undef ROW
} png;

static const char *const names[] = {
#define ROW(name) "png_" #name,
    PNG_FUNCTIONS(ROW)
#undef ROW
};

/// Null, or why the library cannot be used.
static const char *load(void) {
    static int has_deflate, is_loaded;
    strc_load_once(&has_deflate, STRC_DEFLATE_LIBRARY, NULL, 0, NULL);
    return strc_load_once(&is_loaded, STRC_PNG_LIBRARY, names, sizeof names / sizeof *names, &png);
}

// ---- errors

enum { kMessage = 200 };

typedef struct trouble {
    jmp_buf place;
    int is_reported;  ///< it is of the file itself
    char text[kMessage];
} trouble;

static _Noreturn void on_error(png_structp image, png_const_charp text) {
    trouble *about = png.get_error_ptr(image);
    strncpy(about->text, text, kMessage - 1);
    longjmp(about->place, 1);
}

static void on_warning(png_structp image, png_const_charp text) { (void)image, (void)text; }

// ---- reading

static void on_read(png_structp image, png_bytep to, size_t count) {
    strc_source *source = png.get_io_ptr(image);
    trouble *about = png.get_error_ptr(image);
    const int64_t there = strc_source_ask(source, count);
    about->is_reported = there < 0;
    if (there < (int64_t)count) on_error(image, "it ends too early");
    memcpy(to, strc_source_bytes(source), count);
    strc_source_take(source, count);
}

/// 0; or -1, with the reason in `about` unless it is reported.
static int decode(png_structp image, png_infop header, trouble *about, strc_reader *reader) {
    if (setjmp(about->place)) return -1;
    png.read_info(image, header);
    png.set_expand(image);
    png.set_swap(image);
    const int passes = png.set_interlace_handling(image);
    png.read_update_info(image, header);
    strc_stream_info *info = &reader->info;
    info->width = (int32_t)png.get_image_width(image, header);
    info->height = (int32_t)png.get_image_height(image, header);
    info->channels = png.get_channels(image, header);
    info->bits = png.get_bit_depth(image, header);
    const size_t row_size = png.get_rowbytes(image, header);
    if (row_size > STRC_IMAGE_BYTES / (size_t)info->height) on_error(image, "it is too large");
    about->is_reported = strc_pixels_capacity(reader, row_size) != 0;
    if (about->is_reported) return -1;
    unsigned char *bytes = ((strc_pixels *)reader->own)->bytes;
    for (int pass = 0; pass < passes; ++pass)
        for (int32_t row = 0; row < info->height; ++row)
            png.read_row(image, bytes + (size_t)row * row_size, NULL);
    png.read_end(image, NULL);
    return 0;
}

static int open_reader(strc_reader *reader) {
    strc_source *source = &reader->source;
    const char *missing = load();
    if (missing) return STRC_FAIL(source->origin, CannotReadFile, source->name, missing);
    if (!strc_pixels_begin(reader)) return -1;
    trouble about = {.text = ""};
    png_structp image = png.create_read_struct(PNG_LIBPNG_VER_STRING, &about, on_error, on_warning);
    png_infop header = image ? png.create_info_struct(image) : NULL;
    if (header) png.set_read_fn(image, source, on_read);
    const int status = header ? decode(image, header, &about, reader) : -1;
    png.destroy_read_struct(&image, &header, NULL);
    if (status == 0 || about.is_reported) return status;
    return strc_source_malformed(source, "PNG", about.text);
}

// ---- writing

static void on_write(png_structp image, png_bytep from, size_t count) {
    trouble *about = png.get_error_ptr(image);
    about->is_reported = strc_sink_write(png.get_io_ptr(image), from, count) != 0;
    if (about->is_reported) on_error(image, "");
}

static void on_flush(png_structp image) { (void)image; }

typedef struct rows {
    uint64_t width, height;
    int colour, bits;
    size_t row_size;
    const unsigned char *bytes;
} rows;

static int encode(png_structp image, png_infop header, trouble *about, const rows *from) {
    if (setjmp(about->place)) return -1;
    png.set_IHDR(image, header, (png_uint_32)from->width, (png_uint_32)from->height, from->bits,
                 from->colour, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png.write_info(image, header);
    for (uint64_t row = 0; row < from->height; ++row)
        png.write_row(image, from->bytes + row * from->row_size);
    png.write_end(image, header);
    return 0;
}

static int put_rows(strc_writer *writer, const rows *from) {
    trouble about = {.text = ""};
    png_structp image =
        png.create_write_struct(PNG_LIBPNG_VER_STRING, &about, on_error, on_warning);
    png_infop header = image ? png.create_info_struct(image) : NULL;
    if (header) png.set_write_fn(image, &writer->sink, on_write, on_flush);
    const int status = header ? encode(image, header, &about, from) : -1;
    png.destroy_write_struct(&image, &header);
    return status == 0 || about.is_reported ? status : strc_sink_fail(&writer->sink, about.text);
}

static int put_image(strc_writer *writer, const strc_image *image) {
    static const int colours[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                  PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    const strc_stream_info *info = &writer->info;
    const size_t size = info->bits == 16 ? 2 : 1;
    const size_t row = (size_t)image->width * (size_t)info->channels;
    const size_t samples = row * (size_t)image->height;
    unsigned char *bytes = NULL;
    size_t capacity = 0;
    if (strc_grow((void **)&bytes, &capacity, samples * size, 1, writer->sink.origin,
                  writer->sink.name) != 0)
        return -1;
    for (size_t k = 0; k < samples; ++k) {
        if (size == 2) bytes[2 * k] = (unsigned char)(image->samples[k] >> 8);
        bytes[size * k + size - 1] = (unsigned char)image->samples[k];
    }
    const rows from = {image->width, image->height, colours[info->channels - 1],
                       info->bits,   row * size,    bytes};
    const int status = put_rows(writer, &from);
    free(bytes);
    return status;
}

static int open_writer(strc_writer *writer) {
    const char *missing = load();
    if (missing) return strc_sink_fail(&writer->sink, missing);
    if (strc_images_begin(writer, put_image, 0) != 0) return -1;
    return writer->info.channels <= 4 ? 0 : strc_images_refuse_channels(writer, "1 to 4");
}

const strc_format strc_format_png = STRC_IMAGES("PNG", open_reader, open_writer);

// ---- as tensors

static const strc_tensor_files pictures = {"PNG", strc_one_tensor, strc_picture_find,
                                           &strc_format_png};
static int open_picture_writer(strc_writer *writer) {
    return strc_pictures_open(writer, &strc_format_png);
}

const strc_format strc_format_tensor_png = STRC_PICTURES("PNG", &pictures, open_picture_writer);
