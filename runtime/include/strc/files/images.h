/// What the formats of images share: pixels as samples of 8 or 16 bits, in rows.
#ifndef STRC_IMAGES_H
#define STRC_IMAGES_H

#include "strc/files/numbers.h"

/// A sample as an item gives it: int as stored, float and double in [0, 255].
void strc_sample_store(uint64_t sample, uint64_t greatest, strc_kind, unsigned char *to);

// ---- an image that has been decoded

enum { STRC_IMAGE_BYTES = 1 << 30 };  ///< at most, of one image in memory

/// Own data of readers of such images.
typedef struct strc_pixels {
    strc_number_reader numbers;
    unsigned char
        *bytes;  ///< samples of 8 bits or, as the reader's info says, of 16 as the machine has them
    uint64_t count, next;  ///< samples
} strc_pixels;
/// Null after reporting.
strc_pixels *strc_pixels_begin(strc_reader *);
/// Makes room for what the reader's info tells; 0, or -1 after reporting.
int strc_pixels_capacity(strc_reader *, size_t row_size);
int strc_pixels_rewind(strc_reader *);
uint64_t strc_pixels_total(const strc_reader *);
void strc_pixels_close(strc_reader *);

/// A format of single images, which are decoded when they are opened.
#define STRC_IMAGES(what, reader, writer) \
    {.name = what,                        \
     .holds = strc_holds_pixels,          \
     .open_reader = reader,               \
     .read = strc_numbers_read,           \
     .rewind = strc_pixels_rewind,        \
     .total = strc_pixels_total,          \
     .open_writer = writer,               \
     .write = strc_images_write,          \
     .flush = strc_numbers_flush,         \
     .finish = strc_images_finish,        \
     .close_reader = strc_pixels_close,   \
     .close_writer = strc_images_close_writer}

// ---- writing: whole images, when as many rows have come as one is to have, and at the end what there is,
// its last row filled up with black

typedef struct strc_image {
    uint64_t width, height;
    const uint16_t *samples;
} strc_image;

/// Own data of writers of images.
typedef struct strc_image_writer {
    strc_numbers item;
    uint16_t *samples;
    size_t capacity, size;
    uint64_t images;
    uint64_t image_size;  ///< bytes of each; 0: none is whole yet
    int takes_several;
    int (*put)(strc_writer *, const strc_image *);
} strc_image_writer;

/// Channels, width and bits that the writer's info does not tell are chosen; 0, or -1 after reporting.
int strc_images_begin(strc_writer *, int (*put)(strc_writer *, const strc_image *),
                      int takes_several);
int strc_images_write(strc_writer *, const void *from, uint64_t count);
int strc_images_finish(strc_writer *);
void strc_images_close_writer(strc_writer *);
/// Reports how many samples a pixel may have ("1 to 4"), and how many it has; -1.
int strc_images_refuse_channels(strc_writer *, const char *wanted);

#endif
