// Headerless sound: signed 16-bit samples, little-endian, channels interleaved.
#include <math.h>

#include "numbers.h"

enum { kSampleBytes = 2 };
static const double full_scale = 32768;

static int is_real(strc_kind kind) { return kind == STRC_FLOAT || kind == STRC_DOUBLE; }

static int64_t read_numbers(strc_reader *reader, unsigned char *to, uint64_t count) {
    const strc_number_reader *own = reader->own;
    int64_t bytes = strc_source_ask(&reader->source, kSampleBytes);
    if (bytes < 0) return bytes;
    uint64_t samples = (uint64_t)bytes / kSampleBytes;
    if (samples > count) samples = count;
    const unsigned char *from = strc_source_bytes(&reader->source);
    for (uint64_t k = 0; k < samples; ++k, from += kSampleBytes) {
        int16_t sample = (int16_t)(uint16_t)(from[0] | from[1] << 8);
        strc_number number =
            is_real(own->item.kind) ? strc_real(sample / full_scale) : strc_integer(sample);
        strc_number_store(number, own->item.kind, to + k * own->item.size);
    }
    strc_source_take(&reader->source, (size_t)samples * kSampleBytes);
    return (int64_t)samples;
}

static int open_reader(strc_reader *reader) {
    return strc_number_reader_begin(reader, sizeof(strc_number_reader), read_numbers) ? 0 : -1;
}

static int go_back(strc_reader *reader) {
    ((strc_number_reader *)reader->own)->part_size = 0;
    return strc_source_seek(&reader->source, 0);
}

static uint64_t total(const strc_reader *reader) {
    const strc_number_reader *own = reader->own;
    if (reader->source.size == STRC_UNKNOWN) return STRC_UNKNOWN;
    return reader->source.size / kSampleBytes / own->item.count;
}

static int open_writer(strc_writer *writer) {
    strc_number_writer *own =
        strc_own(&writer->own, sizeof *own, writer->sink.origin, writer->sink.name);
    if (!own) return -1;
    own->item = strc_numbers_of(&writer->item);
    return 0;
}

static int write_items(strc_writer *writer, const void *from, uint64_t count) {
    strc_numbers item = ((const strc_number_writer *)writer->own)->item;
    const unsigned char *at = from;
    for (uint64_t k = 0; k < count * item.count; ++k, at += item.size) {
        double value = strc_number_load(item.kind, at).real;
        if (is_real(item.kind)) value *= full_scale;
        if (value != value) value = 0;
        if (strc_is_beyond(value, full_scale, item.kind)) ++writer->clipped;
        int sample = (int)lrint(fmin(fmax(value, -full_scale), full_scale - 1));
        const unsigned char bytes[kSampleBytes] = {(unsigned char)(sample & 0xff),
                                                   (unsigned char)(sample >> 8 & 0xff)};
        if (strc_sink_write(&writer->sink, bytes, kSampleBytes) != 0) return -1;
    }
    return 0;
}

static int finish(strc_writer *writer) {
    const strc_number_writer *own = writer->own;
    return own ? strc_sink_finish_items(&writer->sink, own->item.count * kSampleBytes) : 0;
}

const strc_format strc_format_pcm = {.name = "PCM",
                                     .holds = strc_holds_pixels,
                                     .open_reader = open_reader,
                                     .read = strc_numbers_read,
                                     .rewind = go_back,
                                     .total = total,
                                     .open_writer = open_writer,
                                     .write = write_items,
                                     .flush = strc_numbers_flush,
                                     .finish = finish};
