#include "strc/files/sounds.h"

/// Do numbers lie in the file as in memory?
static int are_plain(strc_numbers item, strc_sample sample) {
    if (sample.coding != STRC_SAMPLE_FLOATING) return 0;
    return sample.size == sizeof(double) ? item.kind == STRC_DOUBLE
                                         : item.kind == STRC_FLOAT || item.kind == STRC_COMPLEX;
}

// ---- reading

void strc_sound_note_end(strc_reader *reader, uint64_t bytes) {
    const strc_sound_reader *own = reader->own;
    if (bytes != STRC_UNKNOWN && own->end > bytes) reader->missing = own->end - bytes;
}

void strc_sound_store(strc_sample sample, const unsigned char *from, strc_kind kind, void *to) {
    if (kind == STRC_INT) {
        strc_number_store(strc_integer(strc_sample_integer(sample, from)), kind, to);
        return;
    }
    strc_number number = strc_real(strc_sample_real(sample, from));
    if (kind == STRC_COMPLEX) number.imag = strc_sample_real(sample, from + sample.size);
    strc_number_store(number, kind, to);
}

/// Up to `count` numbers that are converted one by one; 0 at the end.
static int64_t convert_numbers(strc_reader *reader, unsigned char *to, uint64_t count) {
    strc_sound_reader *own = reader->own;
    const uint64_t per_number = strc_samples_of_number(own->numbers.item);
    const size_t size = own->sample.size * (size_t)per_number;
    const int64_t there = strc_source_ask(&reader->source, size);
    if (there < 0) return -1;
    uint64_t numbers = (uint64_t)there / size;
    if (numbers > count) numbers = count;
    const unsigned char *from = strc_source_bytes(&reader->source);
    for (uint64_t k = 0; k < numbers; ++k)
        strc_sound_store(own->sample, from + k * size, own->numbers.item.kind,
                         to + k * own->numbers.item.size);
    strc_source_take(&reader->source, (size_t)numbers * size);
    return (int64_t)numbers;
}

static int64_t read_numbers(strc_reader *reader, unsigned char *to, uint64_t count) {
    strc_sound_reader *own = reader->own;
    const strc_numbers item = own->numbers.item;
    const uint64_t per_number = strc_samples_of_number(item);
    if (count > own->left / per_number) count = own->left / per_number;
    if (count == 0) return 0;
    const int64_t numbers = are_plain(item, own->sample)
                                ? strc_source_move_wholes(&reader->source, to, count, item.size)
                                : convert_numbers(reader, to, count);
    if (numbers == 0)
        strc_sound_note_end(reader, reader->source.taken + strc_source_buffered(&reader->source));
    if (numbers > 0 && own->left != STRC_UNKNOWN) own->left -= (uint64_t)numbers * per_number;
    return numbers;
}

strc_sound_reader *strc_sound_reader_begin(strc_reader *reader) {
    return strc_number_reader_begin(reader, sizeof(strc_sound_reader), read_numbers);
}

int strc_sound_go_to(strc_reader *reader, uint64_t item) {
    strc_sound_reader *own = reader->own;
    const uint64_t samples = item * strc_samples_of(own->numbers.item);
    if (!strc_source_seek(&reader->source, own->start + samples * own->sample.size)) return 0;
    own->left = own->samples - samples;
    own->numbers.part_size = 0;
    return 1;
}

int strc_sound_rewind(strc_reader *reader) { return strc_sound_go_to(reader, 0); }

uint64_t strc_sound_total(const strc_reader *reader) {
    const strc_sound_reader *own = reader->own;
    if (reader->source.size == STRC_UNKNOWN) return STRC_UNKNOWN;
    return own->samples / strc_samples_of(own->numbers.item);
}

// ---- writing

static int write_real(strc_writer *writer, strc_sample sample, double value) {
    unsigned char bytes[8];
    if (strc_sample_put_real(sample, value, bytes)) ++writer->clipped;
    return strc_sink_write(&writer->sink, bytes, sample.size);
}

static int write_number(strc_writer *writer, strc_sample sample, strc_kind kind, const void *from) {
    const strc_number number = strc_number_load(kind, from);
    unsigned char bytes[8];
    if (kind == STRC_INT) {
        if (strc_sample_put_integer(sample, (int32_t)number.integer, bytes)) ++writer->clipped;
        return strc_sink_write(&writer->sink, bytes, sample.size);
    }
    if (write_real(writer, sample, number.real) != 0) return -1;
    return kind == STRC_COMPLEX ? write_real(writer, sample, number.imag) : 0;
}

int strc_sound_write(strc_writer *writer, strc_numbers item, strc_sample sample, const void *from,
                     uint64_t items) {
    const unsigned char *at = from;
    if (are_plain(item, sample))
        return strc_sink_write(&writer->sink, from, (size_t)(items * item.count) * item.size);
    for (uint64_t k = 0; k < items * item.count; ++k, at += item.size)
        if (write_number(writer, sample, item.kind, at) != 0) return -1;
    return 0;
}
