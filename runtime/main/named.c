#include "named.h"

#include <stdlib.h>
#include <string.h>

#include "tensors.h"

enum { kWords = 3 + STRC_NPY_DIMENSIONS, kTypeText = 512 };

struct strc_named_file {
    strc_writer writer;
    int64_t shape[kWords];  ///< of the first tensor; texts: of the present one
    strc_type types[2];  ///< of its memory, of an element
    char type_name[kTypeText];
    int is_begun;
};

// ---- before the first tensor

static int flush_nothing(strc_writer *writer) { return strc_sink_flush(&writer->sink); }
static int finish_nothing(strc_writer *writer) {
    (void)writer;
    return 0;
}
static const strc_format nothing = {
    .name = "nothing", .flush = flush_nothing, .finish = finish_nothing};

int strc_named_open(strc_named *named, const strc_format *format, const char *const *names,
                    uint32_t count, strc_stream_info info) {
    const strc_origin nowhere = {0, 0};
    *named = (strc_named){.format = format, .info = info};
    if (!strc_own((void **)&named->files, count * sizeof *named->files, nowhere, names[0]))
        return -1;
    for (; named->count < count; ++named->count) {
        strc_writer *writer = strc_named_writer(named, named->count);
        writer->format = &nothing;
        if (strc_sink_open(&writer->sink, names[named->count], nowhere) != 0) return -1;
    }
    return 0;
}

strc_writer *strc_named_writer(strc_named *named, uint32_t file) {
    return &named->files[file].writer;
}

// ---- tensors

static size_t words_of(const int64_t *shape) { return (size_t)(3 + shape[1]); }

static strc_kind kind_of(int64_t element) {
    switch (element) {
        case STRC_ELEMENT_BOOLEAN: return STRC_BOOLEAN;
        case STRC_ELEMENT_INT: return STRC_INT;
        case STRC_ELEMENT_FLOAT: return STRC_FLOAT;
        case STRC_ELEMENT_DOUBLE: return STRC_DOUBLE;
        default: return STRC_OTHER;
    }
}

/// What lies in memory, for formats that know nothing of tensors. A long is two ints, as far as raw files care.
static strc_item item_of(strc_named_file *file) {
    const int64_t element = file->shape[0];
    const int is_long = element == STRC_ELEMENT_LONG;
    const strc_kind kind = is_long ? STRC_INT : kind_of(element);
    const size_t count = strc_shape_count(file->shape);
    const size_t size = kind == STRC_BOOLEAN ? 1 : element == STRC_ELEMENT_DOUBLE ? 8 : 4;
    const size_t all = is_long ? 2 * count : count;
    file->types[0] = (strc_type){.kind = STRC_ARRAY, .first = 1, .count = all, .size = all * size};
    file->types[1] = (strc_type){.kind = kind, .size = size};
    strc_put_type(file->type_name, sizeof file->type_name, element, file->shape[1],
                  file->shape + 2);
    return (strc_item){.type = file->types,
                       .types = file->types,
                       .name = file->type_name,
                       .tensors = 1,
                       .shapes = file->shape,
                       .holds_raw = kind != STRC_OTHER,
                       .holds_numbers = kind != STRC_OTHER && !is_long};
}

static int differs(const strc_named_file *file, const int64_t *shape) {
    char next[kTypeText];
    if (memcmp(file->shape, shape, words_of(shape) * sizeof *shape) == 0) return 0;
    strc_put_type(next, sizeof next, shape[0], shape[1], shape + 2);
    return STRC_FAIL(file->writer.sink.origin, ItemDiffers, file->writer.sink.name, file->type_name,
                     next);
}

int strc_named_write(strc_named *named, const void *elements, const int64_t *shape) {
    strc_named_file *file = &named->files[named->written++ % named->count];
    const int is_text = named->format == &strc_format_tensor_text;
    if (file->is_begun && !is_text && differs(file, shape) != 0) return -1;
    memcpy(file->shape, shape, words_of(shape) * sizeof *shape);
    if (!file->is_begun &&
        strc_writer_begin(&file->writer, named->format, item_of(file), named->info) != 0)
        return -1;
    file->is_begun = 1;
    return named->format->write(&file->writer, elements, 1);
}
