// Sounds: RIFF WAVE files with samples of 8, 16, 24 or 32 bits, or floating-point numbers.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

enum {
    kInteger = 1,
    kFloating = 3,
    kExtensible = 0xFFFE,  // the real code stands in the extension
    kMostNaturalChannels = 8,  // a longer array is a piece of one channel
    kMostChannels = 1024,
    kLongestFormat = 1 << 12,
};
static const double full_scale_16 = 32768;
static const uint64_t size_limit = 0xFFFFFFFFull - 1024;  // sizes in headers have 32 bits
static const uint32_t told_of_pipes = 0x7FFF0000u;  // such sizes, too, say only that there are many
static const uint32_t unknown_size = 0xFFFFFFFFu;  // of what goes through a pipe

/// Samples that one number of an item takes.
static size_t samples_of(strc_numbers item) { return item.kind == STRC_COMPLEX ? 2 : 1; }

static int32_t to_sample(double value, double scale) {
    double scaled = value * scale;
    if (scaled != scaled) return 0;
    return (int32_t)lrint(fmin(fmax(scaled, -scale), scale - 1));
}

static uint32_t little(const unsigned char *bytes, int size) {
    uint32_t value = 0;
    for (int k = 0; k < size; ++k) value |= (uint32_t)bytes[k] << 8 * k;
    return value;
}

static void put_little(unsigned char *to, uint32_t value, int size) {
    for (int k = 0; k < size; ++k) to[k] = (unsigned char)(value >> 8 * k);
}

// ---- reading

typedef struct wav_reader {
    strc_number_reader numbers;
    size_t sample;  ///< bytes
    int floating;
    uint64_t start;  ///< of the samples in the file
    uint64_t samples;  ///< in all; STRC_UNKNOWN: until the end of the pipe
    uint64_t left;
    uint64_t end;  ///< of the samples, as the header says; 0: it does not
} wav_reader;

static int wrong(const strc_reader *reader, const char *why) {
    return strc_source_malformed(&reader->source, "WAV", why);
}

/// So many bytes, which are there; null after reporting.
static const unsigned char *demand(strc_reader *reader, size_t count) {
    int64_t there = strc_source_ask(&reader->source, count);
    if (there >= 0 && there < (int64_t)count) wrong(reader, "it ends in its header");
    return there < (int64_t)count ? NULL : strc_source_bytes(&reader->source);
}

static int read_format(strc_reader *reader, const unsigned char *chunk, uint32_t size) {
    wav_reader *own = reader->own;
    unsigned code = little(chunk, 2);
    if (code == kExtensible && size >= 26) code = little(chunk + 24, 2);
    unsigned channels = little(chunk + 2, 2);
    unsigned bits = little(chunk + 14, 2);
    unsigned frame = little(chunk + 12, 2);
    own->floating = code == kFloating;
    int known = own->floating
                    ? bits == 32 || bits == 64
                    : code == kInteger && (bits == 8 || bits == 16 || bits == 24 || bits == 32);
    if (!known) return wrong(reader, "its samples are of a kind that is not known");
    if (channels == 0 || channels > kMostChannels || frame != channels * bits / 8)
        return wrong(reader, "its header contradicts itself");
    own->sample = bits / 8;
    reader->info.channels = (int32_t)channels;
    reader->info.rate = (int32_t)little(chunk + 4, 4);
    reader->info.bits = (int32_t)bits;
    reader->info.floating = own->floating;
    return 0;
}

/// The file has so many bytes, if that is known.
static void note_end(strc_reader *reader, uint64_t bytes) {
    const wav_reader *own = reader->own;
    if (bytes != STRC_UNKNOWN && own->end > bytes) reader->missing = own->end - bytes;
}

/// Chunks up to the samples.
static int read_header(strc_reader *reader) {
    wav_reader *own = reader->own;
    strc_source *source = &reader->source;
    const unsigned char *bytes = demand(reader, 12);
    if (!bytes) return -1;
    if (memcmp(bytes, "RIFF", 4) != 0 || memcmp(bytes + 8, "WAVE", 4) != 0)
        return wrong(reader, "it does not begin as one");
    strc_source_take(source, 12);
    while (1) {
        bytes = demand(reader, 8);
        if (!bytes) return -1;
        uint32_t size = little(bytes + 4, 4);
        int is_format = memcmp(bytes, "fmt ", 4) == 0;
        int is_data = memcmp(bytes, "data", 4) == 0;
        strc_source_take(source, 8);
        if (is_data && own->sample == 0) return wrong(reader, "it does not tell its format");
        if (is_data) {
            own->start = source->taken;
            uint64_t end = source->size;
            uint64_t there = end == STRC_UNKNOWN ? STRC_UNKNOWN : end - source->taken;
            int open = end == STRC_UNKNOWN && (size == unknown_size || size == 0);
            uint64_t data = open ? STRC_UNKNOWN : size < there ? size : there;
            size_t frame = own->sample * (size_t)reader->info.channels;
            own->samples = data == STRC_UNKNOWN ? STRC_UNKNOWN
                                                : data / frame * (uint64_t)reader->info.channels;
            own->left = own->samples;
            own->end = size < told_of_pipes ? own->start + size : 0;
            note_end(reader, end);
            return 0;
        }
        if (is_format) {
            if (size < 16 || size > kLongestFormat) return wrong(reader, "its header is not known");
            bytes = demand(reader, size);
            if (!bytes || read_format(reader, bytes, size) != 0) return -1;
        }
        int skipped = strc_source_skip(source, (uint64_t)size + size % 2);
        if (skipped < 0) return -1;
        if (skipped == 0) return wrong(reader, "it has no samples");
    }
}

/// A sample as an integer of its size.
static int32_t integer_of(const unsigned char *from, size_t size) {
    if (size == 1) return (int32_t)*from - 128;
    return (int32_t)(little(from, (int)size) << (32 - 8 * size)) >> (32 - 8 * size);
}

static double real_of(const wav_reader *own, const unsigned char *from) {
    if (own->floating)
        return strc_number_load(own->sample == 8 ? STRC_DOUBLE : STRC_FLOAT, from).real;
    return integer_of(from, own->sample) / ldexp(1, (int)(8 * own->sample) - 1);
}

static void store(const wav_reader *own, const unsigned char *from, unsigned char *to) {
    strc_kind kind = own->numbers.item.kind;
    strc_number number = strc_real(0);
    if (kind == STRC_INT)
        number = strc_integer(own->floating ? to_sample(real_of(own, from), full_scale_16)
                                            : integer_of(from, own->sample));
    else
        number.real = real_of(own, from);
    if (kind == STRC_COMPLEX) number.imag = real_of(own, from + own->sample);
    strc_number_store(number, kind, to);
}

static int64_t read_numbers(strc_reader *reader, unsigned char *to, uint64_t count) {
    wav_reader *own = reader->own;
    size_t per_number = samples_of(own->numbers.item);
    size_t size = own->sample * per_number;
    if (own->left < per_number) return 0;
    int64_t there = strc_source_ask(&reader->source, size);
    if (there < 0) return -1;
    if (there < (int64_t)size)
        note_end(reader, reader->source.taken + strc_source_buffered(&reader->source));
    uint64_t numbers = (uint64_t)there / size;
    if (numbers > count) numbers = count;
    if (numbers > own->left / per_number) numbers = own->left / per_number;
    const unsigned char *from = strc_source_bytes(&reader->source);
    for (uint64_t k = 0; k < numbers; ++k)
        store(own, from + k * size, to + k * own->numbers.item.size);
    strc_source_take(&reader->source, (size_t)numbers * size);
    if (own->left != STRC_UNKNOWN) own->left -= numbers * per_number;
    return (int64_t)numbers;
}

static int open_reader(strc_reader *reader) {
    if (!strc_number_reader_begin(reader, sizeof(wav_reader), read_numbers)) return -1;
    return read_header(reader);
}

static int go_back(strc_reader *reader) {
    wav_reader *own = reader->own;
    if (!strc_source_seek(&reader->source, own->start)) return 0;
    own->left = own->samples;
    own->numbers.part_size = 0;
    return 1;
}

static uint64_t total(const strc_reader *reader) {
    const wav_reader *own = reader->own;
    if (reader->source.size == STRC_UNKNOWN) return STRC_UNKNOWN;
    return own->samples / (own->numbers.item.count * samples_of(own->numbers.item));
}

// ---- writing: into a pipe the header goes with the greatest sizes there are, as other programs do, for
// it cannot be corrected at the end

typedef struct wav_writer {
    strc_numbers item;
    size_t sample;  ///< bytes
    uint32_t header_size;
    uint64_t samples;  ///< written
    unsigned char *header;
} wav_writer;

static uint64_t data_size(const wav_writer *own) { return own->samples * own->sample; }

static unsigned char *put_name(unsigned char *to, const char *name, uint32_t size) {
    memcpy(to, name, 4);
    put_little(to + 4, size, 4);
    return to + 8;
}

/// With the sizes as they are now. Floating-point files tell their length, and leave room for peaks.
static void make_header(strc_writer *writer) {
    wav_writer *own = writer->own;
    const strc_stream_info *info = &writer->info;
    uint32_t channels = (uint32_t)info->channels;
    uint32_t frame = channels * (uint32_t)own->sample;
    int open = !writer->sink.seekable;
    uint64_t data = data_size(own);
    uint32_t whole = (uint32_t)(own->header_size - 8 + data + data % 2);
    unsigned char *at = put_name(own->header, "RIFF", open ? unknown_size : whole);
    memcpy(at, "WAVE", 4);
    at = put_name(at + 4, "fmt ", 16);
    put_little(at, info->floating ? kFloating : kInteger, 2);
    put_little(at + 2, channels, 2);
    put_little(at + 4, (uint32_t)info->rate, 4);
    put_little(at + 8, (uint32_t)info->rate * frame, 4);
    put_little(at + 12, frame, 2);
    put_little(at + 14, (uint32_t)own->sample * 8, 2);
    at += 16;
    if (info->floating) {
        at = put_name(at, "fact", 4);
        put_little(at, open ? 0 : (uint32_t)(own->samples / channels), 4);
        at = put_name(at + 4, "PAD ", 8 + 8 * channels) + 8 + 8 * channels;
    }
    put_name(at, "data", open ? unknown_size : (uint32_t)data);
}

static size_t sample_size(const strc_stream_info *info) {
    if (info->floating) return info->bits == 64 ? 8 : 4;
    return info->bits == 8 || info->bits == 24 || info->bits == 32 ? (size_t)info->bits / 8 : 2;
}

static int open_writer(strc_writer *writer) {
    strc_stream_info *info = &writer->info;
    strc_numbers item = strc_numbers_of(&writer->item);
    uint64_t samples = item.count * samples_of(item);
    if (info->rate <= 0) info->rate = 44100;
    if (info->channels <= 0)
        info->channels = samples <= kMostNaturalChannels ? (int32_t)samples : 1;
    if (info->channels > kMostChannels)
        return strc_sink_fail(&writer->sink, "sounds have at most 1024 channels");
    uint32_t header = 44 + (info->floating ? 28 + 8 * (uint32_t)info->channels : 0);
    wav_writer *own =
        strc_own(&writer->own, sizeof *own + header, writer->sink.origin, writer->sink.name);
    if (!own) return -1;
    own->item = item;
    own->sample = sample_size(info);
    own->header_size = header;
    own->header = (unsigned char *)(own + 1);
    make_header(writer);
    return strc_sink_write(&writer->sink, own->header, header);
}

static int write_sample(strc_writer *writer, double value) {
    wav_writer *own = writer->own;
    const strc_stream_info *info = &writer->info;
    unsigned char bytes[8];
    int is_int = own->item.kind == STRC_INT;
    if (info->floating) {
        if (is_int) value /= full_scale_16;
        strc_number_store(strc_real(value), own->sample == 8 ? STRC_DOUBLE : STRC_FLOAT, bytes);
    } else {
        double scale = ldexp(1, (int)(8 * own->sample) - 1);
        if (strc_is_beyond(is_int ? value : value * scale, scale, own->item.kind))
            ++writer->clipped;
        int32_t sample = to_sample(is_int ? value / scale : value, scale);
        put_little(bytes, (uint32_t)sample + (own->sample == 1 ? 128 : 0), (int)own->sample);
    }
    ++own->samples;
    return strc_sink_write(&writer->sink, bytes, own->sample);
}

static int write_items(strc_writer *writer, const void *from, uint64_t count) {
    wav_writer *own = writer->own;
    const unsigned char *at = from;
    for (uint64_t k = 0; k < count * own->item.count; ++k, at += own->item.size) {
        if (writer->sink.seekable && own->header_size + data_size(own) > size_limit)
            return strc_sink_fail(&writer->sink, "WAV files end at 4 gigabytes");
        strc_number number = strc_number_load(own->item.kind, at);
        if (write_sample(writer, number.real) != 0) return -1;
        if (own->item.kind == STRC_COMPLEX && write_sample(writer, number.imag) != 0) return -1;
    }
    return 0;
}

static int overwrite_header(strc_writer *writer) {
    const wav_writer *own = writer->own;
    make_header(writer);
    return strc_sink_overwrite(&writer->sink, 0, own->header, own->header_size);
}

static int flush(strc_writer *writer) {
    if (strc_sink_flush(&writer->sink) != 0) return -1;
    return writer->sink.seekable ? overwrite_header(writer) : 0;
}

/// To whole frames, and to an even number of bytes.
static void cut(strc_writer *writer) {
    wav_writer *own = writer->own;
    const uint64_t channels = (uint64_t)writer->info.channels;
    own->samples =
        channels * strc_sink_cut_to_items(&writer->sink, own->header_size, channels * own->sample);
    const uint64_t data = data_size(own);
    if (data % 2 != 0) strc_sink_cut(&writer->sink, own->header_size + data + 1);
}

/// The last frame is filled up with silence, the data to an even number of bytes.
static int finish(strc_writer *writer) {
    wav_writer *own = writer->own;
    if (!own) return 0;
    const uint64_t channels = (uint64_t)writer->info.channels;
    strc_sink *sink = &writer->sink;
    while (!sink->failed && own->samples % channels != 0) write_sample(writer, 0);
    const unsigned char none = 0;
    if (data_size(own) % 2 != 0) strc_sink_write(sink, &none, 1);
    if (strc_sink_flush(sink) != 0) cut(writer);
    return sink->seekable ? overwrite_header(writer) : 0;
}

const strc_format strc_format_wav = {.name = "WAV",
                                     .holds = strc_holds_samples,
                                     .open_reader = open_reader,
                                     .read = strc_numbers_read,
                                     .rewind = go_back,
                                     .total = total,
                                     .open_writer = open_writer,
                                     .write = write_items,
                                     .flush = flush,
                                     .finish = finish};
