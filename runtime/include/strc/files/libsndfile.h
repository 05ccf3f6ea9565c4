/// The part of libsndfile's interface that sounds are read and written with. The library is loaded for the first such
/// file; its interface has not changed since version 1.0, so that its own header is not needed to build this.
/// http://libsndfile.github.io/libsndfile/api.html
#ifndef STRC_LIBSNDFILE_H
#define STRC_LIBSNDFILE_H

#include <stdint.h>

#include "strc/files/faults.h"

enum {
    STRC_SNDFILE_READ = 0x10,
    STRC_SNDFILE_WRITE = 0x20,
    STRC_SNDFILE_UNRECOGNISED = 1,  ///< an error: no format that the library knows
};

/// `format` of strc_sndfile_info: a container and a coding.
enum {
    STRC_SNDFILE_CONTAINER = 0x0FFF0000,
    STRC_SNDFILE_FLAC = 0x170000,
    STRC_SNDFILE_OGG = 0x200000,
    STRC_SNDFILE_CODING = 0xFFFF,
    STRC_SNDFILE_BITS_8 = 1,  ///< signed integers
    STRC_SNDFILE_BITS_16 = 2,
    STRC_SNDFILE_BITS_24 = 3,
    STRC_SNDFILE_BITS_32 = 4,
    STRC_SNDFILE_VORBIS = 0x60,
    STRC_SNDFILE_OPUS = 0x64,
};

typedef struct strc_sndfile_info {
    int64_t frames;
    int rate, channels, format, sections, seekable;
} strc_sndfile_info;

/// A file whose bytes are elsewhere.
typedef struct strc_sndfile_bytes {
    int64_t (*size)(void *self);
    int64_t (*seek)(int64_t offset, int whence, void *self);
    int64_t (*read)(void *to, int64_t count, void *self);
    int64_t (*write)(const void *from, int64_t count, void *self);
    int64_t (*tell)(void *self);
} strc_sndfile_bytes;

typedef struct strc_sndfile strc_sndfile;  ///< an open file, as the library has it

/// Frames hold a sample of each channel. Integers have 32 bits, of which a file keeps the first ones.
typedef struct strc_libsndfile {
    strc_sndfile *(*open)(strc_sndfile_bytes *, int mode, strc_sndfile_info *, void *self);
    int (*close)(strc_sndfile *);
    int (*error)(strc_sndfile *);  ///< of null: of the file that was not opened
    const char *(*error_text)(strc_sndfile *);
    int64_t (*read_integers)(strc_sndfile *, int *to, int64_t frames);
    int64_t (*read_floats)(strc_sndfile *, float *to, int64_t frames);
    int64_t (*write_integers)(strc_sndfile *, const int *from, int64_t frames);
    int64_t (*write_floats)(strc_sndfile *, const float *from, int64_t frames);
} strc_libsndfile;

/// Loads it for the file of that name; 0, or -1 after reporting.
int strc_libsndfile_load(strc_libsndfile *, strc_origin, const char *name);

/// What was wrong, as half a sentence in `why`; of null as above.
enum { STRC_SNDFILE_WHY = 160 };
const char *strc_libsndfile_why(const strc_libsndfile *, strc_sndfile *,
                                char why[STRC_SNDFILE_WHY]);

#endif
