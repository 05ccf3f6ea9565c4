// Portable grey maps and pixel maps: P2, P3 (numbers as text), P5, P6 (bytes), one after the other.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strc/files/images.h"
#include "strc/files/tensors.h"

enum { kWhy = 120, kMostDigits = 12 };
static const uint64_t most_pixels = UINT64_C(1) << 40;

// ---- reading

typedef struct pgm_reader {
    strc_number_reader numbers;
    int plain;  ///< samples are numbers as text
    uint64_t width, height, greatest;
    uint64_t left;  ///< samples of this image
    uint64_t images;
    uint64_t items;  ///< STRC_UNKNOWN: there may be more behind the image
} pgm_reader;

static int wrong(const strc_reader *reader, const char *why) {
    return strc_source_malformed(&reader->source, "PGM", why);
}

/// White space and comments; 0 at the end of the file.
static int skip_blanks(strc_reader *reader) {
    int comment = 0;
    while (1) {
        int64_t there = strc_source_ask(&reader->source, 1);
        if (there <= 0) return (int)there;
        const unsigned char *bytes = strc_source_bytes(&reader->source);
        int64_t i = 0;
        for (; i < there; ++i) {
            comment = comment ? bytes[i] != '\n' : bytes[i] == '#';
            if (!comment && !isspace(bytes[i])) break;
        }
        strc_source_take(&reader->source, (size_t)i);
        if (i < there) return 1;
    }
}

static int read_number(strc_reader *reader, uint64_t *number, const char *where) {
    int there = skip_blanks(reader);
    if (there < 0) return -1;
    char why[kWhy];
    int digits = 0;
    *number = 0;
    while (there) {
        int64_t any = strc_source_ask(&reader->source, 1);
        if (any < 0) return -1;
        if (any == 0 || !isdigit(*strc_source_bytes(&reader->source))) break;
        if (++digits > kMostDigits) {
            snprintf(why, sizeof why, "a number in %s is too long", where);
            return wrong(reader, why);
        }
        *number = *number * 10 + (uint64_t)(*strc_source_bytes(&reader->source) - '0');
        strc_source_take(&reader->source, 1);
    }
    if (digits > 0) return 0;
    snprintf(why, sizeof why, "%s %s a number is expected", where,
             there ? "has something else where" : "ends where");
    return wrong(reader, why);
}

static int check_size(const strc_reader *reader) {
    const pgm_reader *own = reader->own;
    char why[kWhy];
    if (own->width == 0 || own->height == 0 || own->width > most_pixels / own->height) {
        snprintf(why, sizeof why, "its size %llu x %llu is not possible",
                 (unsigned long long)own->width, (unsigned long long)own->height);
        return wrong(reader, why);
    }
    if (own->greatest != 0 && own->greatest <= 65535) return 0;
    snprintf(why, sizeof why, "its greatest value %llu is not possible",
             (unsigned long long)own->greatest);
    return wrong(reader, why);
}

static int32_t within_int(uint64_t value) { return value > INT32_MAX ? INT32_MAX : (int32_t)value; }

/// Reads the header of the next image; 1, 0: there is none.
static int begin_image(strc_reader *reader) {
    pgm_reader *own = reader->own;
    strc_source *source = &reader->source;
    int there = skip_blanks(reader);
    if (there != 1) return there;
    int64_t bytes = strc_source_ask(source, 2);
    if (bytes < 0) return -1;
    const unsigned char *at = strc_source_bytes(source);
    char kind = bytes < 2 ? '\0' : (char)at[1];
    if (at[0] != 'P' || !kind || !strchr("2356", kind))
        return wrong(reader, own->images == 0 ? "it does not begin with P2, P3, P5 or P6"
                                              : "something else follows the image");
    strc_source_take(source, 2);
    own->plain = kind < '5';
    reader->info.channels = kind == '3' || kind == '6' ? 3 : 1;
    uint64_t *const numbers[] = {&own->width, &own->height, &own->greatest};
    for (int k = 0; k < 3; ++k)
        if (read_number(reader, numbers[k], "its header") != 0) return -1;
    if (check_size(reader) != 0) return -1;
    if (!own->plain) {  // one white space, then bytes
        bytes = strc_source_ask(source, 1);
        if (bytes < 0) return -1;
        if (bytes == 0 || !isspace(*strc_source_bytes(source)))
            return wrong(reader, "it ends in its header");
        strc_source_take(source, 1);
    }
    reader->info.width = within_int(own->width);
    reader->info.height = within_int(own->height);
    reader->info.bits = own->greatest > 255 ? 16 : 8;
    own->left = own->width * own->height * (uint64_t)reader->info.channels;
    ++own->images;
    return 1;
}

static int64_t read_bytes(strc_reader *reader, unsigned char *to, uint64_t count) {
    pgm_reader *own = reader->own;
    size_t size = own->greatest > 255 ? 2 : 1;
    int64_t there = strc_source_ask(&reader->source, size);
    if (there < 0) return -1;
    uint64_t samples = (uint64_t)there / size;
    if (samples > count) samples = count;
    if (samples > own->left) samples = own->left;
    if (samples == 0 && reader->source.signalled) return 0;
    if (samples == 0) {
        char why[kWhy];
        snprintf(why, sizeof why, "it ends %llu samples too early", (unsigned long long)own->left);
        return wrong(reader, why);
    }
    const unsigned char *from = strc_source_bytes(&reader->source);
    for (uint64_t k = 0; k < samples; ++k, from += size)
        strc_sample_store(size == 1 ? from[0] : (uint64_t)from[0] << 8 | from[1], own->greatest,
                          own->numbers.item.kind, to + k * own->numbers.item.size);
    strc_source_take(&reader->source, (size_t)samples * size);
    own->left -= samples;
    return (int64_t)samples;
}

/// One row at most: more may be long in coming.
static int64_t read_text(strc_reader *reader, unsigned char *to, uint64_t count) {
    pgm_reader *own = reader->own;
    uint64_t samples = count < own->left ? count : own->left;
    if (samples > own->width) samples = own->width;
    for (uint64_t k = 0; k < samples; ++k) {
        uint64_t sample;
        if (read_number(reader, &sample, "the image") != 0) return -1;
        if (sample > own->greatest) {
            char why[kWhy];
            snprintf(why, sizeof why, "sample %llu exceeds the greatest value %llu",
                     (unsigned long long)sample, (unsigned long long)own->greatest);
            return wrong(reader, why);
        }
        strc_sample_store(sample, own->greatest, own->numbers.item.kind,
                          to + k * own->numbers.item.size);
        --own->left;
    }
    return (int64_t)samples;
}

static int64_t read_numbers(strc_reader *reader, unsigned char *to, uint64_t count) {
    pgm_reader *own = reader->own;
    if (own->left == 0) {
        int next = begin_image(reader);
        if (next != 1) return next;
    }
    return own->plain ? read_text(reader, to, count) : read_bytes(reader, to, count);
}

static int open_reader(strc_reader *reader) {
    pgm_reader *own = strc_number_reader_begin(reader, sizeof *own, read_numbers);
    if (!own || begin_image(reader) < 0) return -1;
    uint64_t bytes = own->left * (own->greatest > 255 ? 2 : 1);
    int alone = !own->plain && reader->source.size == reader->source.taken + bytes;
    own->items = alone ? own->left / own->numbers.item.count : STRC_UNKNOWN;
    return 0;
}

static int go_back(strc_reader *reader) {
    pgm_reader *own = reader->own;
    if (!strc_source_seek(&reader->source, 0)) return 0;
    own->images = 0;
    own->numbers.part_size = 0;
    return begin_image(reader) == 1;
}

static uint64_t total(const strc_reader *reader) { return ((pgm_reader *)reader->own)->items; }

// ---- writing

static int ends_with(const char *name, const char *ending) {
    size_t length = strlen(name), end = strlen(ending);
    return length >= end && strcmp(name + length - end, ending) == 0;
}

static int put_image(strc_writer *writer, const strc_image *image) {
    const strc_stream_info *info = &writer->info;
    int wide = info->bits == 16;
    char header[80];
    int length = snprintf(header, sizeof header, "P%d\n%llu %llu\n%d\n",
                          info->channels == 3 ? 6 : 5, (unsigned long long)image->width,
                          (unsigned long long)image->height, wide ? 65535 : 255);
    int status = strc_sink_write(&writer->sink, header, (size_t)length);
    uint64_t count = image->width * image->height * (uint64_t)info->channels;
    for (uint64_t k = 0; status == 0 && k < count; ++k) {
        unsigned sample = image->samples[k];
        const unsigned char bytes[] = {(unsigned char)(sample >> 8), (unsigned char)sample};
        status = strc_sink_write(&writer->sink, wide ? bytes : bytes + 1, wide ? 2 : 1);
    }
    return status;
}

static int open_writer(strc_writer *writer) {
    strc_stream_info *info = &writer->info;
    int coloured =
        ends_with(writer->sink.name, ".ppm") || strc_numbers_of(&writer->item).count == 3;
    if (info->channels <= 0) info->channels = coloured ? 3 : 1;
    if (strc_images_begin(writer, put_image, 1) != 0) return -1;
    if (info->channels == 1 || info->channels == 3) return 0;
    return strc_images_refuse_channels(writer, "1 or 3");
}

const strc_format strc_format_pgm = {.name = "PGM",
                                     .holds = strc_holds_pixels,
                                     .open_reader = open_reader,
                                     .read = strc_numbers_read,
                                     .rewind = go_back,
                                     .total = total,
                                     .open_writer = open_writer,
                                     .write = strc_images_write,
                                     .flush = strc_numbers_flush,
                                     .finish = strc_images_finish,
                                     .close_writer = strc_images_close_writer};

// ---- as tensors

static const strc_tensor_files pictures = {"PGM", strc_one_tensor, strc_picture_find,
                                           &strc_format_pgm};
static int open_picture_writer(strc_writer *writer) {
    return strc_pictures_open(writer, &strc_format_pgm);
}

const strc_format strc_format_tensor_pgm = STRC_PICTURES("PGM", &pictures, open_picture_writer);
