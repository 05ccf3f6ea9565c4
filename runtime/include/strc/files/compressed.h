/// Compressed sounds, FLAC and Ogg, by libsndfile: strc_format_flac, _ogg and _opus are put together of these.
#ifndef STRC_COMPRESSED_H
#define STRC_COMPRESSED_H

#include "strc/files/format.h"

/// Samples that are coded or decoded together, in whole frames.
enum { STRC_COMPRESSED_BLOCK = 1 << 14 };

/// The sample of a file with so many bits; 0: it is compressed with loss, and its samples are floats.
static inline strc_sample strc_compressed_sample(int32_t bits) {
    if (bits == 0) return (strc_sample){STRC_SAMPLE_FLOATING, sizeof(float)};
    return (strc_sample){STRC_SAMPLE_SIGNED, (uint32_t)bits / 8};
}

int strc_compressed_open_reader(strc_reader *);
int strc_compressed_rewind(strc_reader *);
uint64_t strc_compressed_total(const strc_reader *);
void strc_compressed_close_reader(strc_reader *);

int strc_compressed_open_writer(strc_writer *);
int strc_compressed_write(strc_writer *, const void *from, uint64_t count);
int strc_compressed_flush(strc_writer *);
int strc_compressed_finish(strc_writer *);
void strc_compressed_close_writer(strc_writer *);

#endif
