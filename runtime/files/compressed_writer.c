// Compressed sounds as they are written: libsndfile takes blocks of samples and gives the bytes to the sink.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strc/files/compressed.h"
#include "strc/files/libsndfile.h"
#include "strc/files/sounds.h"

typedef struct compressed_writer {
    strc_numbers item;
    strc_libsndfile library;
    strc_sndfile *file;  ///< null before the first item
    uint64_t at;  ///< the next byte
    int is_refused;  ///< there is no such sound, which has been reported
    int is_left;  ///< nothing is written any more
    strc_sample sample;
    uint64_t channels;
    int32_t *block;  ///< samples as the library takes them: integers of 32 bits, or floats
    size_t used, capacity;  ///< of them
} compressed_writer;

// ---- the bytes for the sink

static int64_t size_of(void *self) {
    return (int64_t)strc_sink_position(&((strc_writer *)self)->sink);
}

static int64_t tell(void *self) {
    const compressed_writer *own = ((strc_writer *)self)->own;
    return (int64_t)own->at;
}

/// Into a pipe nothing can be corrected: the header does not say then how many samples follow.
static int64_t seek(int64_t offset, int whence, void *self) {
    strc_writer *writer = self;
    compressed_writer *own = writer->own;
    const int64_t end = size_of(self);
    if (whence == SEEK_CUR) offset += (int64_t)own->at;
    if (whence == SEEK_END) offset += end;
    if (offset < 0 || offset > end || (offset != end && !writer->sink.seekable)) return -1;
    own->at = (uint64_t)offset;
    return offset;
}

static int64_t read_bytes(void *to, int64_t count, void *self) {
    (void)to, (void)count, (void)self;
    return 0;
}

static int64_t write_bytes(const void *from, int64_t count, void *self) {
    strc_writer *writer = self;
    compressed_writer *own = writer->own;
    strc_sink *sink = &writer->sink;
    if (own->is_left) return count;
    const uint64_t behind = strc_sink_position(sink) - own->at;
    const size_t over = behind < (uint64_t)count ? (size_t)behind : (size_t)count;
    if (over > 0 &&
        (strc_sink_flush(sink) != 0 || strc_sink_overwrite(sink, own->at, from, over) != 0))
        return 0;
    const size_t more = (size_t)count - over;
    if (more > 0 && strc_sink_write(sink, (const unsigned char *)from + over, more) != 0) return 0;
    own->at += (uint64_t)count;
    return count;
}

static strc_sndfile_bytes bytes = {size_of, seek, read_bytes, write_bytes, tell};

// ---- opening

static const char *refusal_of(const strc_format *format, int32_t rate, int32_t channels) {
    const int is_flac = format == &strc_format_flac;
    const char *why = strc_wav_refusal(rate, channels, 0, 0);
    if (why) return why;
    if (is_flac && channels > 8) return "sounds have 1 to 8 channels in this format";
    if (is_flac && rate > 655350)
        return "sounds have at most 655350 samples a second in this format";
    if (channels > 255) return "sounds have 1 to 255 channels in this format";
    const int is_known = rate == 0 || rate == 8000 || rate == 12000 || rate == 16000 ||
                         rate == 24000 || rate == 48000;
    if (format != &strc_format_opus || is_known) return NULL;
    return "sounds have 8000, 12000, 16000, 24000 or 48000 samples a second in this format";
}

int strc_compressed_open_writer(strc_writer *writer) {
    strc_sink *sink = &writer->sink;
    const char *why = refusal_of(writer->format, writer->info.rate, writer->info.channels);
    if (why) return strc_sink_fail(sink, why);
    compressed_writer *own = strc_own(&writer->own, sizeof *own, sink->origin, sink->name);
    if (!own) return -1;
    own->item = strc_numbers_of(&writer->item);
    own->is_refused = strc_libsndfile_load(&own->library, sink->origin, sink->name) != 0;
    return own->is_refused ? -1 : 0;
}

/// What the sound does not say itself is what most have.
static void complete(strc_writer *writer) {
    compressed_writer *own = writer->own;
    strc_stream_info *info = &writer->info;
    const uint64_t samples = strc_samples_of(own->item);
    if (info->rate <= 0) info->rate = writer->format == &strc_format_opus ? 48000 : 44100;
    if (info->channels <= 0)
        info->channels = samples <= STRC_WAV_NATURAL_CHANNELS ? (int32_t)samples : 1;
    if (writer->format != &strc_format_flac)
        info->bits = 0;
    else if (info->floating || info->bits > 24)
        info->bits = 24;
    else if (info->bits != 8 && info->bits != 24)
        info->bits = 16;
    own->sample = strc_compressed_sample(info->bits);
    own->channels = (uint64_t)info->channels;
}

static int coding_of(const strc_writer *writer) {
    if (writer->format == &strc_format_ogg) return STRC_SNDFILE_OGG | STRC_SNDFILE_VORBIS;
    if (writer->format == &strc_format_opus) return STRC_SNDFILE_OGG | STRC_SNDFILE_OPUS;
    switch (writer->info.bits) {
        case 8: return STRC_SNDFILE_FLAC | STRC_SNDFILE_BITS_8;
        case 24: return STRC_SNDFILE_FLAC | STRC_SNDFILE_BITS_24;
        default: return STRC_SNDFILE_FLAC | STRC_SNDFILE_BITS_16;
    }
}

/// Nothing is taken from now on; -1.
static int refuse(strc_writer *writer, const char *why) {
    ((compressed_writer *)writer->own)->is_refused = 1;
    return writer->sink.failed ? -1 : strc_sink_fail(&writer->sink, why);
}

/// The header goes out before the first item, when all is known of the sound.
static int begin(strc_writer *writer) {
    compressed_writer *own = writer->own;
    const strc_stream_info *info = &writer->info;
    if (own->is_refused) return -1;
    if (own->file) return 0;
    complete(writer);
    const char *why = refusal_of(writer->format, info->rate, info->channels);
    if (why) return refuse(writer, why);
    if (strc_grow((void **)&own->block, &own->capacity,
                  STRC_COMPRESSED_BLOCK / own->channels * own->channels, sizeof *own->block,
                  writer->sink.origin, writer->sink.name) != 0)
        return -1;
    strc_sndfile_info about = {
        .rate = info->rate, .channels = info->channels, .format = coding_of(writer)};
    own->file = own->library.open(&bytes, STRC_SNDFILE_WRITE, &about, writer);
    char text[STRC_SNDFILE_WHY];
    return own->file ? 0 : refuse(writer, strc_libsndfile_why(&own->library, NULL, text));
}

// ---- writing

/// Hands on the whole frames of the block.
static int encode(strc_writer *writer) {
    compressed_writer *own = writer->own;
    const int64_t frames = (int64_t)(own->used / own->channels);
    const size_t taken = (size_t)frames * own->channels;
    const int64_t done =
        own->sample.coding == STRC_SAMPLE_FLOATING
            ? own->library.write_floats(own->file, (const float *)own->block, frames)
            : own->library.write_integers(own->file, own->block, frames);
    memmove(own->block, own->block + taken, (own->used - taken) * sizeof *own->block);
    own->used -= taken;
    char text[STRC_SNDFILE_WHY];
    if (done == frames && !writer->sink.failed) return 0;
    return refuse(writer, strc_libsndfile_why(&own->library, own->file, text));
}

/// A sample, which is in `from` as it would be in a file.
static int put(strc_writer *writer, const unsigned char *from) {
    compressed_writer *own = writer->own;
    if (own->sample.coding == STRC_SAMPLE_FLOATING)
        memcpy(&own->block[own->used], from, sizeof *own->block);
    else
        own->block[own->used] = (int32_t)((uint32_t)strc_sample_integer(own->sample, from)
                                          << (32 - 8 * own->sample.size));
    return ++own->used == own->capacity ? encode(writer) : 0;
}

static int put_real(strc_writer *writer, double value) {
    const compressed_writer *own = writer->own;
    unsigned char sample[8];
    if (strc_sample_put_real(own->sample, value, sample)) ++writer->clipped;
    return put(writer, sample);
}

static int put_number(strc_writer *writer, const unsigned char *from) {
    const compressed_writer *own = writer->own;
    const strc_number number = strc_number_load(own->item.kind, from);
    unsigned char sample[8];
    if (own->item.kind == STRC_INT) {
        if (strc_sample_put_integer(own->sample, (int32_t)number.integer, sample))
            ++writer->clipped;
        return put(writer, sample);
    }
    if (put_real(writer, number.real) != 0) return -1;
    return own->item.kind == STRC_COMPLEX ? put_real(writer, number.imag) : 0;
}

int strc_compressed_write(strc_writer *writer, const void *from, uint64_t count) {
    compressed_writer *own = writer->own;
    if (begin(writer) != 0) return -1;
    const unsigned char *at = from;
    for (uint64_t k = 0; k < count * own->item.count; ++k, at += own->item.size)
        if (put_number(writer, at) != 0) return -1;
    return 0;
}

int strc_compressed_flush(strc_writer *writer) {
    if (begin(writer) != 0 || encode(writer) != 0) return -1;
    return strc_sink_flush(&writer->sink);
}

/// The last frame is filled up with silence.
int strc_compressed_finish(strc_writer *writer) {
    compressed_writer *own = writer->own;
    if (!own || own->is_refused || writer->sink.failed || begin(writer) != 0) return 0;
    while (own->used % own->channels != 0) own->block[own->used++] = 0;
    if (encode(writer) != 0) return -1;
    strc_sndfile *file = own->file;
    own->file = NULL;
    own->is_refused = 1;
    own->library.close(file);
    return strc_sink_flush(&writer->sink);
}

void strc_compressed_close_writer(strc_writer *writer) {
    compressed_writer *own = writer->own;
    own->is_left = 1;
    if (own->file) own->library.close(own->file);
    free(own->block);
}
