// JPEG images, by libjpeg, which is loaded for the first one. Its errors jump.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// This needs stdio.h.
#include <jpeglib.h>

#include "strc/files/images.h"
#include "strc/files/loading.h"
#include "strc/files/tensors.h"
#include "strc/picture_libraries.h"

#define JPEG_FUNCTIONS(ROW) \
    ROW(std_error)          \
    ROW(CreateDecompress)   \
    ROW(mem_src)            \
    ROW(read_header)        \
    ROW(start_decompress)   \
    ROW(read_scanlines)     \
    ROW(finish_decompress)  \
    ROW(destroy_decompress) \
    ROW(CreateCompress)     \
    ROW(mem_dest)           \
    ROW(set_defaults)       \
    ROW(set_quality)        \
    ROW(start_compress)     \
    ROW(write_scanlines)    \
    ROW(finish_compress)    \
    ROW(destroy_compress)

static struct {
#define ROW(name) __typeof__(jpeg_##name) *name;
    JPEG_FUNCTIONS(ROW)
#undef ROW
} jpeg;

static const char *const names[] = {
#define ROW(name) "jpeg_" #name,
    JPEG_FUNCTIONS(ROW)
#undef ROW
};

/// Null, or why the library cannot be used.
static const char *load(void) {
    static int is_loaded;
    return strc_load_once(&is_loaded, STRC_JPEG_LIBRARY, names, sizeof names / sizeof *names,
                          &jpeg);
}

// ---- errors

typedef struct trouble {
    struct jpeg_error_mgr manager;  // first: the library knows no more of it
    jmp_buf place;
    char text[JMSG_LENGTH_MAX];
} trouble;

static _Noreturn void on_error(j_common_ptr image) {
    trouble *about = (trouble *)image->err;
    about->manager.format_message(image, about->text);
    longjmp(about->place, 1);
}

/// Warnings are of damaged data: what is made up for it would be taken for the picture.
static void on_message(j_common_ptr image, int level) {
    if (level < 0) on_error(image);
}

static struct jpeg_error_mgr *report_to(trouble *about) {
    struct jpeg_error_mgr *manager = jpeg.std_error(&about->manager);
    manager->error_exit = on_error;
    manager->emit_message = on_message;
    return manager;
}

// ---- reading

/// Of all that the source has; 0, or -1 unless the reason is in `about`, where it is 1.
static int decode(struct jpeg_decompress_struct *image, trouble *about, strc_reader *reader) {
    if (setjmp(about->place)) return 1;
    jpeg.CreateDecompress(image, JPEG_LIB_VERSION, sizeof *image);
    jpeg.mem_src(image, strc_source_bytes(&reader->source), strc_source_buffered(&reader->source));
    jpeg.read_header(image, TRUE);
    image->out_color_space = image->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg.start_decompress(image);
    const size_t row_size = (size_t)image->output_width * (size_t)image->output_components;
    strcpy(about->text, "it is too large");
    if (row_size > STRC_IMAGE_BYTES / image->output_height) return 1;
    reader->info = (strc_stream_info){.channels = image->output_components,
                                      .bits = 8,
                                      .width = (int32_t)image->output_width,
                                      .height = (int32_t)image->output_height};
    if (strc_pixels_capacity(reader, row_size) != 0) return -1;
    while (image->output_scanline < image->output_height) {
        JSAMPROW row = ((strc_pixels *)reader->own)->bytes + image->output_scanline * row_size;
        jpeg.read_scanlines(image, &row, 1);
    }
    jpeg.finish_decompress(image);
    return 0;
}

static int open_reader(strc_reader *reader) {
    strc_source *source = &reader->source;
    const char *missing = load();
    if (missing) return STRC_FAIL(source->origin, CannotReadFile, source->name, missing);
    const int64_t there = strc_source_ask(source, (size_t)STRC_IMAGE_BYTES + 1);
    if (there < 0 || !strc_pixels_begin(reader)) return -1;
    if (there > STRC_IMAGE_BYTES) return strc_source_malformed(source, "JPEG", "it is too large");
    struct jpeg_decompress_struct image = {0};
    trouble about = {.text = ""};
    image.err = report_to(&about);
    const int status = decode(&image, &about, reader);
    jpeg.destroy_decompress(&image);
    return status == 1 ? strc_source_malformed(source, "JPEG", about.text) : status;
}

// ---- writing

enum { kQuality = 90, kWhy = 80 };

typedef struct rows {
    uint64_t width, height;
    int channels;
    unsigned char *bytes;
} rows;

typedef struct encoded {
    unsigned char *bytes;
    unsigned long size;
} encoded;

static int encode(struct jpeg_compress_struct *image, trouble *about, const rows *from,
                  encoded *to) {
    if (setjmp(about->place)) return -1;
    jpeg.CreateCompress(image, JPEG_LIB_VERSION, sizeof *image);
    jpeg.mem_dest(image, &to->bytes, &to->size);
    image->image_width = (JDIMENSION)from->width;
    image->image_height = (JDIMENSION)from->height;
    image->input_components = from->channels;
    image->in_color_space = from->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg.set_defaults(image);
    jpeg.set_quality(image, kQuality, TRUE);
    jpeg.start_compress(image, TRUE);
    const size_t row_size = (size_t)from->width * (size_t)from->channels;
    while (image->next_scanline < image->image_height) {
        JSAMPROW row = from->bytes + image->next_scanline * row_size;
        jpeg.write_scanlines(image, &row, 1);
    }
    jpeg.finish_compress(image);
    return 0;
}

static int put_rows(strc_writer *writer, const rows *from) {
    struct jpeg_compress_struct image = {0};
    trouble about = {.text = ""};
    image.err = report_to(&about);
    encoded made = {NULL, 0};
    int status = encode(&image, &about, from, &made);
    jpeg.destroy_compress(&image);
    status = status == 0 ? strc_sink_write(&writer->sink, made.bytes, made.size)
                         : strc_sink_fail(&writer->sink, about.text);
    free(made.bytes);
    return status;
}

static int put_image(strc_writer *writer, const strc_image *image) {
    char why[kWhy];
    snprintf(why, sizeof why, "it has more than %ld rows or columns", JPEG_MAX_DIMENSION);
    if (image->width > JPEG_MAX_DIMENSION || image->height > JPEG_MAX_DIMENSION)
        return strc_sink_fail(&writer->sink, why);
    const int channels = writer->info.channels;
    const size_t samples = (size_t)image->width * (size_t)image->height * (size_t)channels;
    unsigned char *bytes = NULL;
    size_t capacity = 0;
    if (strc_grow((void **)&bytes, &capacity, samples, 1, writer->sink.origin, writer->sink.name) !=
        0)
        return -1;
    for (size_t k = 0; k < samples; ++k) bytes[k] = (unsigned char)image->samples[k];
    const rows from = {image->width, image->height, channels, bytes};
    const int status = put_rows(writer, &from);
    free(bytes);
    return status;
}

static int open_writer(strc_writer *writer) {
    const char *missing = load();
    if (missing) return strc_sink_fail(&writer->sink, missing);
    writer->info.bits = 8;
    if (strc_images_begin(writer, put_image, 0) != 0) return -1;
    const int channels = writer->info.channels;
    return channels == 1 || channels == 3 ? 0 : strc_images_refuse_channels(writer, "1 or 3");
}

const strc_format strc_format_jpeg = STRC_IMAGES("JPEG", open_reader, open_writer);

// ---- as tensors

static const strc_tensor_files pictures = {"JPEG", strc_one_tensor, strc_picture_find,
                                           &strc_format_jpeg};
static int open_picture_writer(strc_writer *writer) {
    return strc_pictures_open(writer, &strc_format_jpeg);
}

const strc_format strc_format_tensor_jpeg = STRC_PICTURES("JPEG", &pictures, open_picture_writer);
