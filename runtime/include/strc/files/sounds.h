/// What readers and writers of sounds share, with a header (wav.c), without (pcm.c) and compressed.
#ifndef STRC_MAIN_SOUNDS_H
#define STRC_MAIN_SOUNDS_H

#include "strc/files/numbers.h"
#include "strc/sounds.h"

/// Begins the own data of readers.
typedef struct strc_sound_reader {
    strc_number_reader numbers;
    strc_sample sample;
    uint64_t start;  ///< of the samples in the file
    uint64_t samples;  ///< in all; STRC_UNKNOWN: until the end of the pipe
    uint64_t left;
    uint64_t end;  ///< of the samples, as the header says; 0: it does not
} strc_sound_reader;

/// Own data, to be filled in up to `samples`; null after reporting.
strc_sound_reader *strc_sound_reader_begin(strc_reader *);
/// The file has so many bytes, if that is known.
void strc_sound_note_end(strc_reader *, uint64_t bytes);
int strc_sound_go_to(strc_reader *, uint64_t item);
int strc_sound_rewind(strc_reader *);
uint64_t strc_sound_total(const strc_reader *);

/// Samples that one number of an item takes, and an item.
static inline uint64_t strc_samples_of_number(strc_numbers item) {
    return item.kind == STRC_COMPLEX ? 2 : 1;
}
static inline uint64_t strc_samples_of(strc_numbers item) {
    return item.count * strc_samples_of_number(item);
}

/// The number that a sample is, or two of a complex number.
void strc_sound_store(strc_sample, const unsigned char *from, strc_kind, void *to);
/// Numbers as samples; 0, or -1 after reporting.
int strc_sound_write(strc_writer *, strc_numbers, strc_sample, const void *from, uint64_t items);

#endif
