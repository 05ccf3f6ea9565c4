#include "turns.h"

#include <stdlib.h>
#include <string.h>

#include "paths.h"
#include "tensors.h"

enum { kWords = 3 + STRC_NPY_DIMENSIONS, kTypeText = 512 };

struct strc_turn {
    strc_writer writer;
    const strc_format *format;
    const char *name;
    uint32_t home;  ///< the first file with the same path, whose writer this one shares
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

/// Several tensors may go to one file.
static uint32_t home_of(const strc_turns *turns, uint32_t k) {
    char path[STRC_PATH], other[STRC_PATH];
    const strc_turn *file = &turns->files[k];
    for (uint32_t j = 0; file->format->add_tensor && j < k; ++j)
        if (turns->files[j].format == file->format &&
            strcmp(strc_path_of(turns->files[j].name, other), strc_path_of(file->name, path)) == 0)
            return j;
    return k;
}

int strc_turns_open(strc_turns *turns, const strc_format *const *formats, const char *const *names,
                    uint32_t count, strc_stream_info info) {
    const strc_origin nowhere = {0, 0};
    *turns = (strc_turns){.info = info};
    if (!strc_own((void **)&turns->files, count * sizeof *turns->files, nowhere, names[0]))
        return -1;
    for (; turns->count < count; ++turns->count) {
        const uint32_t k = turns->count;
        strc_turn *file = &turns->files[k];
        *file = (strc_turn){.format = formats[k], .name = names[k], .writer.format = &nothing};
        file->home = home_of(turns, k);
        if (file->home == k && strc_sink_open(&file->writer.sink, names[k], nowhere) != 0)
            return -1;
    }
    return 0;
}

strc_writer *strc_turns_writer(strc_turns *turns, uint32_t file) {
    return &turns->files[file].writer;
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
static strc_item item_of(strc_turn *file) {
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

/// Formats know so many dimensions.
static int check_rank(const strc_turn *file, const int64_t *shape) {
    if (shape[1] <= STRC_NPY_DIMENSIONS) return 0;
    return STRC_FAIL(file->writer.sink.origin, FormatItemType, file->format->name,
                     "tensors of so many dimensions");
}

static int differs(const strc_turn *file, const int64_t *shape) {
    char next[kTypeText];
    if (memcmp(file->shape, shape, words_of(shape) * sizeof *shape) == 0) return 0;
    strc_put_type(next, sizeof next, shape[0], shape[1], shape + 2);
    return STRC_FAIL(file->writer.sink.origin, ItemDiffers, file->name, file->type_name, next);
}

static int begin(strc_turns *turns, strc_turn *file) {
    strc_writer *writer = strc_turns_writer(turns, file->home);
    const strc_item item = item_of(file);
    file->is_begun = 1;
    if (writer != &file->writer) return file->format->add_tensor(writer, file->name, file->shape);
    return strc_writer_begin(writer, file->format, item, turns->info);
}

static int is_text(const strc_turn *file) { return file->format == &strc_format_tensor_text; }

/// The first shape of file `k`.
static int expect(strc_turns *turns, uint32_t k) {
    strc_turn *file = &turns->files[k];
    const strc_item *item = &turns->item;
    const int64_t *shape = strc_common_shape(turns->shapes, item->tensors, k, turns->count);
    if (!shape && is_text(file)) shape = turns->shapes[k % item->tensors];
    if (!shape) return strc_fail_shapes(file->format, item, file->writer.sink.origin);
    if (check_rank(file, shape) != 0) return -1;
    memcpy(file->shape, shape, words_of(shape) * sizeof *shape);
    return begin(turns, file);
}

int strc_turns_begin(strc_turns *turns, strc_item item) {
    const strc_sink *sink = &turns->files[0].writer.sink;
    turns->item = item;
    turns->shapes = strc_list_shapes(&item, sink->origin, sink->name);
    int status = turns->shapes ? 0 : -1;
    for (uint32_t k = 0; k < turns->count && status == 0; ++k) status = expect(turns, k);
    return status;
}

int strc_turns_write(strc_turns *turns, const void *memory, const int64_t *shape) {
    strc_turn *file = &turns->files[turns->written++ % turns->count];
    if (check_rank(file, shape) != 0) return -1;
    if (file->is_begun && !is_text(file) && differs(file, shape) != 0) return -1;
    memcpy(file->shape, shape, words_of(shape) * sizeof *shape);
    if (!file->is_begun && begin(turns, file) != 0) return -1;
    return file->format->write(strc_turns_writer(turns, file->home), memory, 1);
}

int strc_turns_write_items(strc_turns *turns, const void *items, uint64_t count) {
    const size_t size = (size_t)turns->item.type->size;
    int status = 0;
    for (uint64_t k = 0; k < count && status == 0; ++k)
        status = strc_turns_write(turns, (const unsigned char *)items + k * size,
                                  turns->shapes[turns->written % turns->item.tensors]);
    return status;
}

// ---- all files

int strc_turns_flush(strc_turns *turns) {
    int status = 0;
    for (uint32_t k = 0; k < turns->count; ++k)
        if (turns->files[k].home == k) status |= strc_writer_flush(strc_turns_writer(turns, k));
    return status;
}

int strc_turns_gone(strc_turns *turns) {
    int gone = 0;
    for (uint32_t k = 0; k < turns->count; ++k) gone |= strc_turns_writer(turns, k)->sink.gone;
    return gone;
}

void strc_turns_free(strc_turns *turns) {
    free(turns->shapes);
    free(turns->files);
}
