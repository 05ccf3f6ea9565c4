#include "strc/files/images.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostChannels = 4, kWhy = 80 };
static const uint64_t most_samples = UINT64_C(1) << 31;  // of an image that is written
static const double white = 255;  // as a float item gives it

static uint64_t greatest_of(const strc_stream_info *info) { return info->bits == 16 ? 65535 : 255; }

void strc_sample_store(uint64_t sample, uint64_t greatest, strc_kind kind, unsigned char *to) {
    int as_stored = kind == STRC_INT || greatest == 255;
    strc_number number = as_stored ? strc_integer((int64_t)sample)
                                   : strc_real((double)sample * white / (double)greatest);
    strc_number_store(number, kind, to);
}

static uint16_t load_sample(strc_kind kind, const unsigned char *from, double greatest) {
    double value = strc_number_load(kind, from).real;
    if (kind != STRC_INT) value = value * greatest / white;
    if (!(value > 0)) return 0;
    return (uint16_t)lrint(value < greatest ? value : greatest);
}

// ---- an image that has been decoded

static int64_t read_samples(strc_reader *reader, unsigned char *to, uint64_t count) {
    strc_pixels *own = reader->own;
    const uint64_t greatest = greatest_of(&reader->info);
    const size_t size = greatest > 255 ? 2 : 1;
    if (count > own->count - own->next) count = own->count - own->next;
    for (uint64_t k = 0; k < count; ++k, ++own->next) {
        uint16_t sample = own->bytes[own->next * size];
        if (size == 2) memcpy(&sample, own->bytes + own->next * size, sizeof sample);
        strc_sample_store(sample, greatest, own->numbers.item.kind,
                          to + k * own->numbers.item.size);
    }
    return (int64_t)count;
}

strc_pixels *strc_pixels_begin(strc_reader *reader) {
    return strc_number_reader_begin(reader, sizeof(strc_pixels), read_samples);
}

int strc_pixels_capacity(strc_reader *reader, size_t row_size) {
    strc_pixels *own = reader->own;
    const strc_stream_info *info = &reader->info;
    const strc_source *source = &reader->source;
    own->count = (uint64_t)info->width * (uint64_t)info->height * (uint64_t)info->channels;
    size_t capacity = 0;
    return strc_grow((void **)&own->bytes, &capacity, row_size * (size_t)info->height, 1,
                     source->origin, source->name);
}

int strc_pixels_rewind(strc_reader *reader) {
    strc_pixels *own = reader->own;
    own->next = 0;
    own->numbers.part_size = 0;
    return 1;
}

uint64_t strc_pixels_total(const strc_reader *reader) {
    const strc_pixels *own = reader->own;
    return own->count / own->numbers.item.count;
}

void strc_pixels_close(strc_reader *reader) { free(((strc_pixels *)reader->own)->bytes); }

// ---- writing

int strc_images_begin(strc_writer *writer, int (*put)(strc_writer *, const strc_image *),
                      int takes_several) {
    strc_image_writer *own =
        strc_own(&writer->own, sizeof *own, writer->sink.origin, writer->sink.name);
    if (!own) return -1;
    own->item = strc_numbers_of(&writer->item);
    own->put = put;
    own->takes_several = takes_several;
    strc_stream_info *info = &writer->info;
    const int is_pixel = own->item.count > 1 && own->item.count <= kMostChannels;
    if (info->channels <= 0) info->channels = is_pixel ? (int32_t)own->item.count : 1;
    if (info->bits != 16) info->bits = 8;
    // An item of many numbers is a row.
    if (info->width <= 0 && own->item.count > kMostChannels)
        info->width = (int32_t)(own->item.count / (uint64_t)info->channels);
    return 0;
}

static int put_image(strc_writer *writer, uint64_t height) {
    strc_image_writer *own = writer->own;
    const strc_stream_info *info = &writer->info;
    const strc_sink *sink = &writer->sink;
    const uint64_t channels = (uint64_t)info->channels;
    const uint64_t width =
        info->width > 0 ? (uint64_t)info->width : (own->size + channels - 1) / channels;
    if (height == 0) height = (own->size + width * channels - 1) / (width * channels);
    const size_t whole = (size_t)(width * height * channels);
    if (strc_grow((void **)&own->samples, &own->capacity, whole, sizeof *own->samples, sink->origin,
                  sink->name) != 0)
        return -1;
    if (own->size < whole)
        memset(own->samples + own->size, 0, (whole - own->size) * sizeof *own->samples);
    const strc_image image = {width, height, own->samples};
    const uint64_t start = strc_sink_position(sink);
    const int status = own->put(writer, &image);
    if (status == 0) own->image_size = strc_sink_position(sink) - start;
    own->size = 0;
    ++own->images;
    return status;
}

int strc_images_write(strc_writer *writer, const void *from, uint64_t count) {
    strc_image_writer *own = writer->own;
    const strc_stream_info *info = &writer->info;
    const strc_sink *sink = &writer->sink;
    const double greatest = (double)greatest_of(info);
    const uint64_t whole =
        (uint64_t)info->width * (uint64_t)info->height * (uint64_t)info->channels;
    const unsigned char *at = from;
    for (uint64_t k = 0; k < count * own->item.count; ++k, at += own->item.size) {
        if (own->images > 0 && !own->takes_several)
            return strc_sink_fail(&writer->sink, "the image is full, and more items come");
        if (own->size == most_samples)
            return strc_sink_fail(&writer->sink, "the image is too large");
        if (strc_grow((void **)&own->samples, &own->capacity, own->size + 1, sizeof *own->samples,
                      sink->origin, sink->name) != 0)
            return -1;
        own->samples[own->size++] = load_sample(own->item.kind, at, greatest);
        if (whole == 0 || own->size < whole) continue;
        if (put_image(writer, (uint64_t)info->height) != 0) return -1;
    }
    return 0;
}

int strc_images_finish(strc_writer *writer) {
    strc_image_writer *own = writer->own;
    if (!own) return 0;
    const int32_t height = writer->info.height;
    if (own->size != 0 && !writer->sink.failed)
        put_image(writer, height > 0 ? (uint64_t)height : 0);
    return strc_sink_finish_items(&writer->sink, own->image_size);
}

void strc_images_close_writer(strc_writer *writer) {
    free(((strc_image_writer *)writer->own)->samples);
}

int strc_images_refuse_channels(strc_writer *writer, const char *wanted) {
    char why[kWhy];
    snprintf(why, sizeof why, "pixels have %s samples in this format, not %d", wanted,
             (int)writer->info.channels);
    return strc_sink_fail(&writer->sink, why);
}
