// Sounds: RIFF WAVE files.
#include "strc/files/sounds.h"

// ---- reading

static int read_header(strc_reader *reader, strc_wav *wav) {
    strc_source *source = &reader->source;
    strc_wav_begin(wav, source->size);
    while (wav->wanted != 0) {
        const int skipped = strc_source_skip(source, wav->skip);
        if (skipped < 0) return -1;
        const int64_t there = skipped == 0 ? 0 : strc_source_ask(source, wav->wanted);
        if (there < 0) return -1;
        if (there < (int64_t)wav->wanted)
            return strc_source_malformed(source, "WAV", strc_wav_ends);
        const size_t wanted = wav->wanted;
        strc_wav_read(wav, strc_source_bytes(source));
        strc_source_take(source, wanted);
    }
    return wav->wrong ? strc_source_malformed(source, "WAV", wav->wrong) : 0;
}

static int open_reader(strc_reader *reader) {
    strc_wav wav;
    strc_sound_reader *own = strc_sound_reader_begin(reader);
    if (!own || read_header(reader, &wav) != 0) return -1;
    const uint64_t end = reader->source.size;
    const uint64_t there = end == STRC_UNKNOWN ? STRC_UNKNOWN : end - wav.start;
    const uint64_t data = wav.size < there ? wav.size : there;
    const uint64_t frame = (uint64_t)wav.sample.size * wav.channels;
    own->sample = wav.sample;
    own->start = wav.start;
    own->samples = data == STRC_UNKNOWN ? STRC_UNKNOWN : data / frame * wav.channels;
    own->left = own->samples;
    own->end = wav.size == STRC_WAV_ENDLESS ? 0 : wav.start + wav.size;
    strc_sound_note_end(reader, end);
    reader->info.channels = (int32_t)wav.channels;
    reader->info.rate = (int32_t)wav.rate;
    reader->info.bits = (int32_t)wav.bits;
    reader->info.floating = wav.sample.coding == STRC_SAMPLE_FLOATING;
    return 0;
}

// ---- writing: into a pipe the header goes with the greatest sizes there are, as other programs do, for
// it cannot be corrected at the end

typedef struct wav_writer {
    strc_numbers item;
    strc_wav wav;
    uint64_t samples;  ///< written
    size_t header_size;
    unsigned char header[STRC_WAV_HEADER];
} wav_writer;

static void make_header(strc_writer *writer) {
    wav_writer *own = writer->own;
    const uint64_t samples = writer->sink.seekable ? own->samples : STRC_WAV_ENDLESS;
    own->header_size = strc_wav_header(&own->wav, samples, own->header);
}

static strc_sample sample_of(const strc_stream_info *info) {
    if (info->floating) return (strc_sample){STRC_SAMPLE_FLOATING, info->bits == 64 ? 8 : 4};
    const int is_known = info->bits == 8 || info->bits == 24 || info->bits == 32;
    const uint32_t size = is_known ? (uint32_t)info->bits / 8 : 2;
    return (strc_sample){size == 1 ? STRC_SAMPLE_UNSIGNED : STRC_SAMPLE_SIGNED, size};
}

static int open_writer(strc_writer *writer) {
    const strc_stream_info *info = &writer->info;
    const char *why = strc_wav_refusal(info->rate, info->channels, info->bits, info->floating);
    if (why) return strc_sink_fail(&writer->sink, why);
    wav_writer *own = strc_own(&writer->own, sizeof *own, writer->sink.origin, writer->sink.name);
    if (!own) return -1;
    own->item = strc_numbers_of(&writer->item);
    return 0;
}

/// The header goes out before the first item, when all is known of the sound.
static int begin(strc_writer *writer) {
    wav_writer *own = writer->own;
    strc_stream_info *info = &writer->info;
    const uint64_t samples = strc_samples_of(own->item);
    if (own->header_size != 0) return 0;
    if (info->rate <= 0) info->rate = 44100;
    if (info->channels <= 0)
        info->channels = samples <= STRC_WAV_NATURAL_CHANNELS ? (int32_t)samples : 1;
    own->wav.sample = sample_of(info);
    own->wav.channels = (uint32_t)info->channels;
    own->wav.rate = (uint32_t)info->rate;
    make_header(writer);
    return strc_sink_write(&writer->sink, own->header, own->header_size);
}

static uint64_t data_size(const wav_writer *own) { return own->samples * own->wav.sample.size; }

/// Bytes that the file can still take.
static uint64_t room(const wav_writer *own) {
    return strc_wav_longest - own->header_size - data_size(own);
}

static int write_items(strc_writer *writer, const void *from, uint64_t count) {
    wav_writer *own = writer->own;
    if (begin(writer) != 0) return -1;
    const uint64_t samples = strc_samples_of(own->item);
    const uint64_t fits =
        writer->sink.seekable ? room(own) / (samples * own->wav.sample.size) : count;
    const uint64_t items = count < fits ? count : fits;
    if (strc_sound_write(writer, own->item, own->wav.sample, from, items) != 0) return -1;
    own->samples += items * samples;
    if (items == count) return 0;
    return strc_sink_fail(&writer->sink, "WAV files end at 4 gigabytes");
}

static int overwrite_header(strc_writer *writer) {
    const wav_writer *own = writer->own;
    make_header(writer);
    return strc_sink_overwrite(&writer->sink, 0, own->header, own->header_size);
}

static int flush(strc_writer *writer) {
    if (begin(writer) != 0 || strc_sink_flush(&writer->sink) != 0) return -1;
    return writer->sink.seekable ? overwrite_header(writer) : 0;
}

/// To whole frames, and to an even number of bytes.
static void cut(strc_writer *writer) {
    wav_writer *own = writer->own;
    const uint64_t channels = own->wav.channels;
    own->samples = channels * strc_sink_cut_to_items(&writer->sink, own->header_size,
                                                     channels * own->wav.sample.size);
    const uint64_t data = data_size(own);
    if (data % 2 != 0) strc_sink_cut(&writer->sink, own->header_size + data + 1);
}

/// The last frame is filled up with silence, the data to an even number of bytes.
static int finish(strc_writer *writer) {
    wav_writer *own = writer->own;
    if (!own) return 0;
    strc_sink *sink = &writer->sink;
    (void)begin(writer);  // or the sink has failed
    unsigned char silence[8];
    strc_sample_put_integer(own->wav.sample, 0, silence);
    for (; !sink->failed && own->samples % own->wav.channels != 0; ++own->samples)
        strc_sink_write(sink, silence, own->wav.sample.size);
    const unsigned char none = 0;
    if (data_size(own) % 2 != 0) strc_sink_write(sink, &none, 1);
    if (strc_sink_flush(sink) != 0) cut(writer);
    return sink->seekable ? overwrite_header(writer) : 0;
}

const strc_format strc_format_wav = {.name = "WAV",
                                     .has_sound_header = 1,
                                     .holds = strc_holds_samples,
                                     .open_reader = open_reader,
                                     .read = strc_numbers_read,
                                     .rewind = strc_sound_rewind,
                                     .go_to = strc_sound_go_to,
                                     .total = strc_sound_total,
                                     .open_writer = open_writer,
                                     .write = write_items,
                                     .flush = flush,
                                     .finish = finish};
