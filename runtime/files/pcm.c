// Sounds without a header: nothing but samples, the channels interleaved.
#include "strc/files/sounds.h"

static int open_reader(strc_reader *reader) {
    strc_sound_reader *own = strc_sound_reader_begin(reader);
    if (!own) return -1;
    const uint64_t size = reader->source.size;
    own->sample = reader->format->sample;
    own->samples = size == STRC_UNKNOWN ? STRC_UNKNOWN : size / own->sample.size;
    own->left = own->samples;
    reader->item_bytes = strc_samples_of(own->numbers.item) * own->sample.size;
    return 0;
}

static int write_items(strc_writer *writer, const void *from, uint64_t count) {
    const strc_number_writer *own = writer->own;
    return strc_sound_write(writer, own->item, writer->format->sample, from, count);
}

static int finish(strc_writer *writer) {
    const strc_number_writer *own = writer->own;
    if (!own) return 0;
    return strc_sink_finish_items(&writer->sink,
                                  strc_samples_of(own->item) * writer->format->sample.size);
}

/// Real and imaginary parts take turns: an item has as many of these as of those.
static int holds_pairs(const strc_item *item) {
    return strc_holds_samples(item) && strc_samples_of(strc_numbers_of(item)) % 2 == 0;
}

#define STRC_SAMPLES(id, words, item, how, bytes)                                 \
    const strc_format strc_format_##id = {.name = words,                          \
                                          .holds = item,                          \
                                          .sample = {how, bytes},                 \
                                          .open_reader = open_reader,             \
                                          .read = strc_numbers_read,              \
                                          .rewind = strc_sound_rewind,            \
                                          .go_to = strc_sound_go_to,              \
                                          .total = strc_sound_total,              \
                                          .open_writer = strc_number_writer_open, \
                                          .write = write_items,                   \
                                          .flush = strc_numbers_flush,            \
                                          .finish = finish}
STRC_SAMPLES(pcm, "PCM", strc_holds_samples, STRC_SAMPLE_SIGNED, 2);
STRC_SAMPLES(u8, "u8", strc_holds_samples, STRC_SAMPLE_UNSIGNED, 1);
STRC_SAMPLES(s8, "s8", strc_holds_samples, STRC_SAMPLE_SIGNED, 1);
STRC_SAMPLES(cu8, "cu8", holds_pairs, STRC_SAMPLE_UNSIGNED, 1);
STRC_SAMPLES(cs8, "cs8", holds_pairs, STRC_SAMPLE_SIGNED, 1);
STRC_SAMPLES(cs16, "cs16", holds_pairs, STRC_SAMPLE_SIGNED, 2);
STRC_SAMPLES(cf32, "cf32", holds_pairs, STRC_SAMPLE_FLOATING, 4);
