/// Files that get tensors whose shapes only the run knows. What a file has is what its first one is; texts take all.
#ifndef STRC_NAMED_H
#define STRC_NAMED_H

#include "format.h"

typedef struct strc_named_file strc_named_file;

typedef struct strc_named {
    strc_named_file *files;  ///< that take turns
    uint32_t count;
    const strc_format *format;
    strc_stream_info info;
    uint64_t written;
} strc_named;

/// Opens the files, of which nothing is said yet; 0, or -1 after reporting.
int strc_named_open(strc_named *, const strc_format *, const char *const *names, uint32_t count,
                    strc_stream_info);
/// The writer of a file.
strc_writer *strc_named_writer(strc_named *, uint32_t file);
/// A tensor in memory; 0, or -1 after reporting.
int strc_named_write(strc_named *, const void *elements, const int64_t *shape);

#endif
