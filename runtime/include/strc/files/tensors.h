/// Streams of tensors in files, which take turns. A format brings the beginning of its files.
#ifndef STRC_FILES_TENSORS_H
#define STRC_FILES_TENSORS_H

#include "strc/files/npy.h"
#include "strc/files/numbers.h"
#include "strc/tensor_elements.h"
#include "strc/values.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A shape, as strc_executable.shapes has them: element, rank, extents, where it lies in the item.
const int64_t *strc_next_shape(const int64_t *shape);
size_t strc_shape_offset(const int64_t *shape);
size_t strc_shape_count(const int64_t *shape);
size_t strc_shape_bytes(const int64_t *shape);  ///< in the file
/// "tensor<float>[2, 3]"; as much as there is room for.
void strc_put_type(char *to, size_t capacity, int64_t element, int64_t rank,
                   const int64_t *extents);
void strc_put_types(char *to, size_t capacity, const int64_t *const *shapes, uint32_t count);
/// By their number; null after reporting.
const int64_t **strc_list_shapes(const strc_item *, strc_origin, const char *name);
/// Of the items at `place`, `place + step`, ...: the type of all, or null if they differ.
const int64_t *strc_common_shape(const int64_t *const *shapes, uint32_t count, uint32_t place,
                                 uint32_t step);
uint32_t strc_files_of(const strc_item *);
/// Reports that they differ, but go to one file; -1.
int strc_fail_shapes(const strc_format *, const strc_item *, strc_origin);
/// strc_format::check_writer: each file gets tensors of one type, which fits.
int strc_check_shapes(const strc_writer *, strc_origin, int (*fits)(const int64_t *shape));

/// A tensor in a file, or several along a dimension more.
typedef struct strc_tensor_header {
    int64_t element;
    int big_endian;
    uint64_t count;  ///< elements
    uint64_t start;  ///< where they begin
    int64_t rank;
    int64_t extents[STRC_NPY_DIMENSIONS];
    unsigned char *decoded;  ///< the elements; null: they stand in the file
} strc_tensor_header;

/// How a format's files begin.
typedef struct strc_tensor_files {
    const char *format;
    /// How many tensors the file stands for, whose name is given; -1 after reporting.
    int64_t (*count)(strc_source *, const char *name);
    /// Finds tensor `k` of them and goes there; 0, or -1 after reporting. The header's element is the one that is wanted.
    int (*find)(const struct strc_tensor_files *, strc_source *, const char *name, uint64_t k,
                strc_tensor_header *);
    const strc_format *images;  ///< of samples, if these files are pictures
} strc_tensor_files;
/// strc_tensor_files::count of those with one.
int64_t strc_one_tensor(strc_source *, const char *name);

int strc_tensors_open(strc_reader *);
int64_t strc_tensors_read(strc_reader *, void *to, uint64_t count);
int strc_tensors_rewind(strc_reader *);
uint64_t strc_tensors_total(const strc_reader *);
void strc_tensors_close(strc_reader *);
int strc_tensors_next(strc_reader *, int is_padding, const int64_t **shape, const void **elements);

// ---- pictures

/// strc_tensor_files::find
int strc_picture_find(const strc_tensor_files *, strc_source *, const char *name, uint64_t k,
                      strc_tensor_header *);
int strc_pictures_check(const strc_writer *, strc_origin);
int strc_pictures_open(strc_writer *, const strc_format *images);
int strc_pictures_write(strc_writer *, const void *from, uint64_t count);
int strc_pictures_flush(strc_writer *);
int strc_pictures_finish(strc_writer *);
void strc_pictures_close_writer(strc_writer *);

#define STRC_PICTURES(what, how, writer)         \
    {.name = what,                               \
     .holds = strc_holds_tensors,                \
     .open_reader = strc_tensors_open,           \
     .read = strc_tensors_read,                  \
     .next_tensor = strc_tensors_next,           \
     .rewind = strc_tensors_rewind,              \
     .total = strc_tensors_total,                \
     .open_writer = writer,                      \
     .write = strc_pictures_write,               \
     .flush = strc_pictures_flush,               \
     .finish = strc_pictures_finish,             \
     .close_writer = strc_pictures_close_writer, \
     .close_reader = strc_tensors_close,         \
     .check_writer = strc_pictures_check,        \
     .files = how}

#ifdef __cplusplus
}
#endif
#endif
