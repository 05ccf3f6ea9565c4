// Sound devices as files: frames of floats, a channel for each sample of an item.
#include "strc/files/sound_device.h"
#include "strc/files/sounds.h"

enum { kBits = 32 };
static const strc_sample floats = {STRC_SAMPLE_FLOATING, sizeof(float)};

static int open_reader(strc_reader *reader) {
    strc_sound_reader *own = strc_sound_reader_begin(reader);
    if (!own) return -1;
    own->sample = floats;
    own->samples = own->left = STRC_UNKNOWN;
    const uint64_t channels = strc_samples_of(own->numbers.item);
    reader->item_bytes = channels * floats.size;
    reader->info = (strc_stream_info){.channels = (int32_t)channels,
                                      .rate = strc_sound_device_rate(reader->source.device),
                                      .bits = kBits,
                                      .floating = 1};
    return 0;
}

static int no_rewind(strc_reader *reader) {
    (void)reader;
    return 0;
}

/// The rate is known when the first item comes.
static int write_items(strc_writer *writer, const void *from, uint64_t count) {
    const strc_number_writer *own = writer->own;
    if (strc_sound_device_start(writer->sink.device, writer->info.rate) != 0) {
        writer->sink.failed = 1;
        return -1;
    }
    const int status = strc_sound_write(writer, own->item, floats, from, count);
    return status != 0 ? status : strc_sink_flush(&writer->sink);
}

static int finish(strc_writer *writer) { return strc_sink_flush(&writer->sink); }

const strc_format strc_format_device = {.name = "sound device",
                                        .holds = strc_holds_samples,
                                        .open_reader = open_reader,
                                        .read = strc_numbers_read,
                                        .rewind = no_rewind,
                                        .total = strc_sound_total,
                                        .open_writer = strc_number_writer_open,
                                        .write = write_items,
                                        .flush = strc_numbers_flush,
                                        .finish = finish,
                                        .has_sound_header = 1};
