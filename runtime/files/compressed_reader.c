// Compressed sounds as they are read: libsndfile takes the bytes from the source and gives blocks of samples.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strc/files/compressed.h"
#include "strc/files/libsndfile.h"
#include "strc/files/sounds.h"

typedef struct compressed_reader {
    strc_number_reader numbers;
    strc_libsndfile library;
    strc_sndfile *file;
    int is_reported;  ///< the source has failed
    strc_sample sample;
    int shift;  ///< of integers: bits that the file does not have
    uint64_t channels;
    uint64_t samples, left;  ///< in all, and behind what is decoded; STRC_UNKNOWN: until the end
    int32_t *decoded;  ///< integers, as the library gives them
    unsigned char *block;  ///< samples
    size_t first, last;  ///< of the block: bytes that have not been taken
} compressed_reader;

// ---- the bytes of the source

static int64_t size_of(void *self) { return (int64_t)((strc_reader *)self)->source.size; }

static int64_t tell(void *self) { return (int64_t)((strc_reader *)self)->source.taken; }

static int64_t seek(int64_t offset, int whence, void *self) {
    strc_source *source = &((strc_reader *)self)->source;
    if (whence == SEEK_CUR) offset += (int64_t)source->taken;
    if (whence == SEEK_END) offset += (int64_t)source->size;
    if (offset < 0 || !strc_source_seek(source, (uint64_t)offset)) return -1;
    return offset;
}

static int64_t read_bytes(void *to, int64_t count, void *self) {
    strc_reader *reader = self;
    compressed_reader *own = reader->own;
    int64_t there = 0;
    while (there < count) {
        const int64_t got =
            strc_source_move(&reader->source, (unsigned char *)to + there, (size_t)(count - there));
        if (got < 0) own->is_reported = 1;
        if (got <= 0) break;
        there += got;
    }
    return there;
}

static strc_sndfile_bytes bytes = {size_of, seek, read_bytes, NULL, tell};

// ---- opening

/// Bits of an integer in the file; 0: its samples are floats, -1: it is no such file.
static int32_t bits_of(int format, const strc_format *wanted) {
    const int is_flac = wanted == &strc_format_flac;
    const int container = is_flac ? STRC_SNDFILE_FLAC : STRC_SNDFILE_OGG;
    if ((format & STRC_SNDFILE_CONTAINER) != container) return -1;
    switch (format & STRC_SNDFILE_CODING) {
        case STRC_SNDFILE_BITS_8: return 8;
        case STRC_SNDFILE_BITS_16: return 16;
        case STRC_SNDFILE_BITS_24: return 24;
        case STRC_SNDFILE_BITS_32: return 32;
        default: return is_flac ? -1 : 0;
    }
}

static int malformed(const strc_reader *reader, const char *why) {
    return strc_source_malformed(&reader->source, reader->format->name, why);
}

static const char other[] = "it does not begin as one";

/// The library tries its other formats with what it does not know, and some of their decoders print what they think of it. A
/// FLAC file may have tags of music players in front.
static int check_beginning(strc_reader *reader) {
    strc_source *source = &reader->source;
    const int is_flac = reader->format == &strc_format_flac;
    const int64_t there = strc_source_ask(source, 4);
    if (there < 0) return -1;
    const unsigned char *bytes = strc_source_bytes(source);
    const int is_one = there >= 4 && (memcmp(bytes, is_flac ? "fLaC" : "OggS", 4) == 0 ||
                                      (is_flac && memcmp(bytes, "ID3", 3) == 0));
    return is_one ? 0 : malformed(reader, other);
}

/// Opens the file at its beginning; 0, or -1 after reporting.
static int open_file(strc_reader *reader, strc_sndfile_info *info) {
    compressed_reader *own = reader->own;
    *info = (strc_sndfile_info){0};
    own->file = own->library.open(&bytes, STRC_SNDFILE_READ, info, reader);
    if (own->is_reported) return -1;
    char why[STRC_SNDFILE_WHY];
    if (!own->file)
        return malformed(reader, own->library.error(NULL) == STRC_SNDFILE_UNRECOGNISED
                                     ? other
                                     : strc_libsndfile_why(&own->library, NULL, why));
    return bits_of(info->format, reader->format) < 0 ? malformed(reader, other) : 0;
}

/// Room for a block behind the rest of the one before, which is smaller than a number.
static int make_block(strc_reader *reader) {
    compressed_reader *own = reader->own;
    const strc_source *source = &reader->source;
    const size_t samples = STRC_COMPRESSED_BLOCK + own->channels;
    size_t capacity = 0;
    if (strc_grow((void **)&own->block, &capacity, samples + 1, own->sample.size, source->origin,
                  source->name) != 0)
        return -1;
    capacity = 0;
    return strc_grow((void **)&own->decoded, &capacity, samples, sizeof *own->decoded,
                     source->origin, source->name);
}

static int64_t read_numbers(strc_reader *reader, unsigned char *to, uint64_t count);

int strc_compressed_open_reader(strc_reader *reader) {
    strc_source *source = &reader->source;
    if (source->size == STRC_UNKNOWN) return malformed(reader, "it is no regular file");
    compressed_reader *own =
        strc_number_reader_begin(reader, sizeof(compressed_reader), read_numbers);
    if (!own || strc_libsndfile_load(&own->library, source->origin, source->name) != 0) return -1;
    strc_sndfile_info info;
    if (check_beginning(reader) != 0 || open_file(reader, &info) != 0) return -1;
    const int32_t bits = bits_of(info.format, reader->format);
    own->sample = strc_compressed_sample(bits);
    own->shift = 32 - bits;
    own->channels = (uint64_t)info.channels;
    // The header may leave out how many there are; the library says a number that no file has then, or none.
    const int is_told = info.frames > 0 && info.frames < INT64_MAX / STRC_WAV_CHANNELS;
    own->samples = is_told ? (uint64_t)info.frames * own->channels : STRC_UNKNOWN;
    own->left = own->samples;
    reader->info.channels = info.channels;
    reader->info.rate = info.rate;
    reader->info.bits = bits == 0 ? 16 : bits;
    return make_block(reader);
}

// ---- reading

/// Why no frame came: 0 at the end, or -1 after reporting.
static int end_of(const strc_reader *reader) {
    const compressed_reader *own = reader->own;
    if (own->is_reported) return -1;
    char why[STRC_SNDFILE_WHY];
    const int is_short = own->left != 0 && own->left != STRC_UNKNOWN;
    if (is_short && own->library.error(own->file) != 0)
        return malformed(reader, strc_libsndfile_why(&own->library, own->file, why));
    return is_short ? malformed(reader, "it ends too early") : 0;
}

/// Puts the next block behind what is left; the frames, 0 at the end, -1 after reporting.
static int64_t decode(strc_reader *reader) {
    compressed_reader *own = reader->own;
    const uint64_t room = STRC_COMPRESSED_BLOCK / own->channels;
    const int64_t most = room > 0 ? (int64_t)room : 1;
    const size_t rest = own->last - own->first;
    memmove(own->block, own->block + own->first, rest);
    unsigned char *to = own->block + rest;
    const int is_floating = own->sample.coding == STRC_SAMPLE_FLOATING;
    const int64_t frames = is_floating
                               ? own->library.read_floats(own->file, (float *)own->decoded, most)
                               : own->library.read_integers(own->file, own->decoded, most);
    own->first = 0;
    own->last = rest;
    if (frames <= 0) return end_of(reader);
    const uint64_t samples = (uint64_t)frames * own->channels;
    if (is_floating) memcpy(to, own->decoded, samples * sizeof(float));
    for (uint64_t k = 0; !is_floating && k < samples; ++k)
        strc_sample_put_integer(own->sample, own->decoded[k] >> own->shift,
                                to + k * own->sample.size);
    own->last += samples * own->sample.size;
    if (own->left != STRC_UNKNOWN) own->left -= samples < own->left ? samples : own->left;
    return frames;
}

static int64_t read_numbers(strc_reader *reader, unsigned char *to, uint64_t count) {
    compressed_reader *own = reader->own;
    const strc_numbers item = own->numbers.item;
    const size_t size = own->sample.size * (size_t)strc_samples_of_number(item);
    while (own->last - own->first < size) {
        const int64_t frames = decode(reader);
        if (frames <= 0) return frames;
    }
    uint64_t numbers = (own->last - own->first) / size;
    if (numbers > count) numbers = count;
    for (uint64_t k = 0; k < numbers; ++k, own->first += size)
        strc_sound_store(own->sample, own->block + own->first, item.kind, to + k * item.size);
    return (int64_t)numbers;
}

// ---- again, and the end

static void close_file(compressed_reader *own) {
    if (own->file) own->library.close(own->file);
    own->file = NULL;
}

int strc_compressed_rewind(strc_reader *reader) {
    compressed_reader *own = reader->own;
    strc_sndfile_info info;
    close_file(own);
    if (!strc_source_seek(&reader->source, 0) || open_file(reader, &info) != 0) return 0;
    own->left = own->samples;
    own->first = own->last = 0;
    own->numbers.part_size = 0;
    return 1;
}

uint64_t strc_compressed_total(const strc_reader *reader) {
    const compressed_reader *own = reader->own;
    if (own->samples == STRC_UNKNOWN) return STRC_UNKNOWN;
    return own->samples / strc_samples_of(own->numbers.item);
}

void strc_compressed_close_reader(strc_reader *reader) {
    compressed_reader *own = reader->own;
    close_file(own);
    free(own->block);
    free(own->decoded);
}
